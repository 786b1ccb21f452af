/** Icons. They are hidden from screen readers: each has a text beside it. */
import type { Marked } from '../text.ts'

/** Each status has its own shape, so that nobody depends on its color. Drawn in a square of 16. */
const SHAPES: Record<Marked, string> = {
  not_started: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
  queued: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3',
  running: 'M6.2 4.8v6.4l5-3.2z',
  waiting: 'M6.2 5.2v5.6M9.8 5.2v5.6',
  succeeded: 'M4.4 8.3l2.4 2.4 4.8-5.2',
  partially_succeeded: 'M4.2 7l1.9 1.9 3.4-3.8M7 11.5h5',
  failed: 'M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6',
  canceled: 'M4.6 8h6.8',
  skipped: 'M4 5l3 3-3 3M8.5 5l3 3-3 3',
  unknown: 'M6 6.2a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1M8 11.4v.2'
}
const OPEN: ReadonlySet<Marked> = new Set(['not_started', 'queued', 'skipped', 'unknown'])

/** The mark of a status within an SVG, its upper left corner at 0, 0. */
export function StatusShape({ label }: { label: Marked }) {
  const isOpen = OPEN.has(label)
  return (
    <g class={`mark s-${label}`}>
      {isOpen ? (
        label === 'skipped' && <circle cx={8} cy={8} r={7} class="mark-dashed" />
      ) : (
        <circle cx={8} cy={8} r={7} class="mark-full" />
      )}
      <path d={SHAPES[label]} class={isOpen ? 'mark-open' : label === 'running' ? 'mark-solid' : 'mark-line'} />
    </g>
  )
}

export const StatusMark = ({ label, size = 16 }: { label: Marked; size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
    <StatusShape label={label} />
  </svg>
)

const ICONS = {
  play: 'M5 3.5v9l7-4.5z',
  pause: 'M5 3.5v9M11 3.5v9',
  first: 'M4 3.5v9M12 3.5L6 8l6 4.5z',
  back: 'M11 3.5L5 8l6 4.5z',
  forward: 'M5 3.5L11 8l-6 4.5z',
  last: 'M12 3.5v9M4 3.5L10 8l-6 4.5z',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  down: 'M4.5 6.5L8 10l3.5-3.5',
  find: 'M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.5 3.5',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  full: 'M9 7l4-4M9.5 3H13v3.5M7 9l-4 4M6.5 13H3V9.5',
  leaveFull: 'M13 3L9 7M9 3.5V7h3.5M3 13l4-4M3.5 9H7v3.5',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  left: 'M9.5 4.5L6 8l3.5 3.5',
  right: 'M6.5 4.5L10 8l-3.5 3.5',
  copy: 'M6 5.5h7.5V14H6zM10 5.5V2.5H2.5V11H6',
  save: 'M8 2.5v7.5M4.5 7L8 10.5 11.5 7M3 13.5h10',
  wrap: 'M2.5 4h11M2.5 8h8.5a2.2 2.2 0 0 1 0 4.5H8M9.5 10.8L7.8 12.5l1.7 1.7M2.5 12.5h3',
  follow: 'M4.5 3.5L8 7l3.5-3.5M4.5 8.5L8 12l3.5-3.5',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8L13 13M3 13l1.2-1.2M11.8 4.2L13 3',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3a5.5 5.5 0 1 0 6.6 6.6z',
  half: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  flag: 'M4 14V2.5h8L10 6l2 3.5H4',
  book: 'M8 4.2C6.6 3.2 4.6 3 2.5 3.2v9.3c2-.2 4 .1 5.5 1.1 1.5-1 3.5-1.3 5.5-1.1V3.2C11.4 3 9.4 3.2 8 4.2zM8 4.2v9.4',
  leave: 'M9 3H3.5v10H9M6.5 8H14M11 5l3 3-3 3'
} as const

export type IconName = keyof typeof ICONS

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg class="icon line" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
)

/** The mark of Troupe, as in `icon.svg`. */
export const Mark = () => (
  <svg class="icon brand" width={28} height={28} viewBox="0 0 32 32" aria-hidden="true">
    <rect width={32} height={32} rx={8} />
    <path d="M10 16h4.5M17.5 11.8 20 10M17.5 20.2 20 22" />
    <circle cx={8} cy={16} r={3.4} />
    <circle cx={23} cy={9.5} r={3.4} />
    <circle cx={23} cy={22.5} r={3.4} />
    <circle cx={16} cy={16} r={2.2} />
  </svg>
)
