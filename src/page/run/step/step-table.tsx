/** Every step as a row, with its attempts and waits along a common timeline. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { JournalEvent } from '../../answers.ts'
import { Check, SearchField } from '../../parts/fields.tsx'
import { memo } from '../../parts/memo.tsx'
import { useNow } from '../../parts/now.ts'
import { Status } from '../../parts/status.tsx'
import { labelText, lengthText } from '../../text.ts'
import { eventAt } from '../journal/event-text.ts'
import type { Moment, NodeMoment } from '../moment.ts'
import { type Bar, barsOf } from './bars.ts'
import { MOST_WHOLE, useWindow } from './use-window.ts'

interface Props {
  moment: Moment
  events: readonly JournalEvent[]
  /** `seq` of the event that is shown; undefined: now. */
  at: number | undefined
  selected: string | undefined
  onSelect: (name: string) => void
}

export function StepTable({ moment, events, at, selected, onSelect }: Props) {
  const [wanted, setWanted] = useState('')
  const [isByLength, setByLength] = useState(false)
  const bars = useMemo(() => barsOf(events, at ?? Number.POSITIVE_INFINITY), [events, at])
  const isMoving = moment.at === undefined && moment.label === 'running'
  const now = useNow(isMoving)
  const end = moment.at ?? (isMoving ? now : Math.max(...events.slice(-1).map(eventAt), 0))
  const start = events[0] ? eventAt(events[0]) : end
  const rows = useRef<HTMLElement>(null)
  const text = wanted.trim().toLowerCase()
  const shown = moment.nodes.filter(
    ({ name, label }) => text === '' || name.toLowerCase().includes(text) || (label && labelText(label) === text)
  )
  if (isByLength) shown.sort((one, other) => lengthOf(other, end) - lengthOf(one, end))
  const { first, last, rowPx } = useWindow(rows, shown.length)
  // A step selected elsewhere, such as by the button for the first failure, is scrolled into view.
  const reveal = useRef(() => {})
  reveal.current = () => {
    const box = rows.current
    const index = shown.findIndex(({ name }) => name === selected)
    if (!box || index < 0) return
    // The page itself stays where it is.
    const row = box.querySelector<HTMLElement>('tr.chosen')
    const [above, high] = row ? [row.offsetTop, row.offsetHeight] : [index * rowPx, rowPx]
    if (above < box.scrollTop || above + high > box.scrollTop + box.clientHeight)
      box.scrollTop = above - box.clientHeight / 2
  }
  useEffect(() => {
    reveal.current()
    // What is above it may take room from it yet.
    const watcher = new ResizeObserver(() => reveal.current())
    if (rows.current) watcher.observe(rows.current)
    return () => watcher.disconnect()
  }, [selected])
  return (
    <div>
      <div class="filters">
        <SearchField label="Find steps" placeholder="Name or status" value={wanted} onText={setWanted} />
        <Check text="Longest first" isOn={isByLength} onChange={setByLength} />
        <span class="soft">
          {shown.length} of {moment.nodes.length}; the timeline spans {lengthText(end - start)}; thick: an attempt,
          thin: a wait
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys */}
      <section ref={rows} class="rows" tabIndex={0} aria-label="Steps">
        <table class={`list steps ${shown.length > MOST_WHOLE ? 'even' : ''}`} aria-rowcount={shown.length + 1}>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Status</th>
              <th scope="col" class="figure">
                Duration
              </th>
              <th scope="col" class="wide">
                Timeline
              </th>
            </tr>
          </thead>
          <tbody>
            {first > 0 && <Gap px={first * rowPx} />}
            {shown.slice(first, last).map((node) => (
              <StepRow
                key={node.name}
                name={node.name}
                label={node.label}
                waitingFor={node.waitingFor}
                took={tookOf(node, end)}
                tries={node.retries && node.retries.made > 0 ? node.retries.made + 1 : 0}
                // The bars of a running step grow.
                drawing={drawingOf(bars.get(node.name) ?? [], start, end)}
                isSelected={node.name === selected}
                onSelect={onSelect}
              />
            ))}
            {last < shown.length && <Gap px={(shown.length - last) * rowPx} />}
          </tbody>
        </table>
      </section>
    </div>
  )
}

/** In the place of rows that are out of sight. */
const Gap = ({ px }: { px: number }) => <tr class="gap" style={{ height: `${px}px` }} />

/** In ms; -1: it has not started. */
const lengthOf = ({ startedAt, finishedAt }: NodeMoment, now: number): number =>
  startedAt === undefined ? -1 : (finishedAt ?? now) - startedAt

const tookOf = (node: NodeMoment, now: number): string =>
  node.startedAt === undefined ? '–' : lengthText(lengthOf(node, now))

/** As text, so that rows are compared cheaply: `class,begin,width,words;...`, in thousandths of the axis. */
const drawingOf = (bars: readonly Bar[], start: number, end: number): string => {
  const scale = 1_000 / Math.max(1, end - start)
  let attempts = 0
  return bars
    .map(({ from, until = end, state, kind, label }) => {
      if (kind === 'attempt') attempts++
      const [begin, width] = [(from - start) * scale, Math.max(3, (until - from) * scale)]
      const what = kind === 'attempt' ? `Attempt ${attempts} ${label ? labelText(label) : 'passed'}` : wait(state)
      const look = kind === 'attempt' ? `work ${label ? `s-${label}` : ''}` : 'wait'
      return `${look},${Math.min(997, begin).toFixed(1)},${width.toFixed(1)},${what}: ${lengthText(until - from)}`
    })
    .join(';')
}

const WAITS: Record<string, string> = { waiting: 'Waiting for a retry', repeating: 'Waiting for the next pass' }
const wait = (state: string): string => WAITS[state] ?? state

interface RowProps {
  name: string
  label: NodeMoment['label']
  waitingFor: NodeMoment['waitingFor']
  took: string
  /** 0: not more than once. */
  tries: number
  drawing: string
  isSelected: boolean
  onSelect: (name: string) => void
}

const StepRow = memo(({ name, label, waitingFor, took, tries, drawing, isSelected, onSelect }: RowProps) => (
  <tr class={isSelected ? 'chosen' : ''}>
    <th scope="row">
      <button type="button" class="link" aria-pressed={isSelected} onClick={() => onSelect(name)}>
        {name}
      </button>
    </th>
    <td>
      {label ? <Status label={label} waitingFor={waitingFor} /> : '…'}
      {tries > 0 && <span class="chip">{tries} attempts</span>}
    </td>
    <td class="figure">{took}</td>
    <td class="wide">
      <Bars drawing={drawing} />
    </td>
  </tr>
))

function Bars({ drawing }: { drawing: string }) {
  const bars = drawing === '' ? [] : drawing.split(';').map((bar) => bar.split(','))
  const said = bars.map(([, , , words]) => words).join(', ')
  return (
    <svg class="bars" viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label={said || 'Not run yet'}>
      <path class="axis" d="M0 8H1000" />
      {bars.map(([look = '', x, width, words], at) => {
        const isWork = look !== 'wait'
        return (
          // Bars are only ever appended.
          <rect key={at} class={look} x={x} y={isWork ? 2 : 5} width={width} height={isWork ? 12 : 6}>
            <title>{words}</title>
          </rect>
        )
      })}
    </svg>
  )
}
