/** One step in the graph. */
import type { Label } from '../../answers.ts'
import { StatusShape } from '../../parts/icon.tsx'
import { memo } from '../../parts/memo.tsx'
import { shortened, statusText } from '../../text.ts'

export const SIZE = { width: 196, height: 48 } as const

interface Props {
  name: string
  label: Label | undefined
  /** For something outside: the detail says for what. */
  isWaiting: boolean
  isOfRun: boolean
  detail: string
  x: number
  y: number
  isSelected: boolean
  /** By the Tab key. */
  isReached: boolean
  isFound: boolean
  onOpen: (name: string) => void
}

/** With the full name: the drawing may shorten it. */
const spoken = (name: string, label: Label | undefined, detail: string) =>
  [name, ...new Set([label ? statusText(label) : '', detail])].filter((text) => text !== '').join(', ')

/** Letters of a name at the zoom that a graph begins with, and of a name that is alone in a small box. */
const SIGNS = { name: 19, detail: 22, alone: 14 } as const
/** A box of a definition has no mark. */
const WITHOUT_MARK = 2

export const NodeBox = memo((props: Props) => {
  const { name, label, isWaiting, isOfRun, detail, x, y, isSelected, isReached, isFound, onOpen } = props
  const [left, more] = isOfRun ? [36, 0] : [14, WITHOUT_MARK]
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG has no button
    <g
      id={`dag-${name}`}
      class={`dag-node ${label ? `s-${label}` : ''} ${isWaiting ? 's-waiting' : ''} ${isFound ? 'found' : ''}`}
      transform={`translate(${x - SIZE.width / 2} ${y - SIZE.height / 2})`}
      role="button"
      tabindex={isReached ? 0 : -1}
      aria-pressed={isSelected}
      onClick={() => onOpen(name)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onOpen(name)
      }}
    >
      <title>{spoken(name, isWaiting ? undefined : label, detail)}</title>
      <rect class="dag-box" width={SIZE.width} height={SIZE.height} rx={9} />
      {label && (
        <g transform="translate(11 16)">
          <StatusShape label={isWaiting ? 'waiting' : label} />
        </g>
      )}
      <text class="dag-name" x={left} y={detail ? 21 : 29}>
        {shortened(name, SIGNS.name + more)}
      </text>
      {detail && (
        <text class="dag-detail" x={left} y={38}>
          {shortened(detail, SIGNS.detail + more)}
        </text>
      )}
      <text class="dag-alone" x={left} y={SIZE.height / 2} dominant-baseline="central">
        {shortened(name, SIGNS.alone)}
      </text>
    </g>
  )
})
