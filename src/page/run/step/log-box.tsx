/**
 * The part of a log that scrolls. Of a long log only the lines in sight are drawn: the line that is at the same fraction of the log as the
 * scroll bar stands at the same fraction of the box, whatever the height of the lines around it.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { drawnLine } from './drawn-line.tsx'
import type { LiveLog } from './use-log.ts'

// D1202: only the lines in sight of a log are drawn, and the scroll bar counts lines
/** Where the log is to be. */
export interface LogPlace {
  /** From 0 on; undefined: at its end, as that moves. */
  line: number | undefined
  /** Grows when it is asked for again. */
  asked: number
}

interface Props {
  log: LiveLog
  label: string
  place: LogPlace
  onPlace: (change: (before: LogPlace) => LogPlace) => void
  /** New lines are read out. */
  isLive: boolean
  isWrapped: boolean
  /** The line in the address. */
  chosen: number | undefined
  found: number | undefined
  /** Marked where it is found. */
  text: string
  /** Lines that are marked as a whole, in their order. */
  matches: readonly number[]
  onChoose: (line: number) => void
}

/** Lines that are drawn whole. */
const FEW = 400
/** Height of a line that is not wrapped, as in the style sheet. */
const LINE_PX = 20
/** Browsers have no higher elements. */
const MOST_PX = 12_000_000

export function LogBox({
  log,
  label,
  place,
  onPlace,
  isLive,
  isWrapped,
  chosen,
  found,
  text,
  matches,
  onChoose
}: Props) {
  const { lines, want } = log
  const { total } = lines
  const box = useRef<HTMLDivElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  /** Where the latest jump to a line has led; -1: somebody has scrolled since. */
  const jumped = useRef(-1)
  const [{ part, height }, setView] = useState({ part: 1, height: 600 })
  const isWhole = total <= FEW
  const room = Math.ceil(height / LINE_PX) + 4
  // In lines, with a fraction: what is drawn at the same part of the box.
  const anchor = part * total
  const from = isWhole ? 0 : Math.max(0, Math.floor(anchor) - room)
  const until = isWhole ? total : Math.min(total, Math.floor(anchor) + room)
  useEffect(() => want(from, until), [want, from, until, total])

  const look = () => {
    const it = box.current
    if (!it) return
    const most = it.scrollHeight - it.clientHeight
    const now = most <= 0 ? 1 : Math.min(1, it.scrollTop / most)
    setView((before) =>
      before.part === now && before.height === it.clientHeight ? before : { part: now, height: it.clientHeight }
    )
  }
  const onScroll = () => {
    const it = box.current
    if (!it) return
    look()
    // A jump to a line near the end does not ask to follow.
    if (it.scrollTop === jumped.current) return
    jumped.current = -1
    const isAtEnd = it.scrollHeight - it.scrollTop - it.clientHeight < 24
    if (isAtEnd === (place.line === undefined)) return
    const line = isAtEnd ? undefined : Math.floor((it.scrollTop / it.scrollHeight) * total)
    // The number stays: the box is there already.
    onPlace((before) => ({ ...before, line }))
  }

  // To the end as it grows; to a line when it is asked for.
  const follow = useRef(() => {})
  follow.current = () => {
    const it = box.current
    if (it && place.line === undefined) it.scrollTop = it.scrollHeight
    look()
  }
  useLayoutEffect(
    () => follow.current(),
    [place.line === undefined, total, isWrapped, log.lines.at(total - 1) === undefined]
  )
  useLayoutEffect(() => {
    const it = box.current
    if (!it || place.line === undefined) return
    const row = isWhole ? pane.current?.children[place.line] : undefined
    // Rows of the whole log are elements of the page.
    if (row instanceof HTMLElement) it.scrollTop = row.offsetTop - it.clientHeight / 2
    else it.scrollTop = ((place.line + 0.5) / total) * (it.scrollHeight - it.clientHeight)
    jumped.current = it.scrollTop
    look()
  }, [place.asked, isWrapped])
  useEffect(() => {
    const sizes = new ResizeObserver(() => follow.current())
    if (box.current) sizes.observe(box.current)
    return () => sizes.disconnect()
  }, [])

  // After each drawing, because lines have any height.
  useLayoutEffect(() => {
    const it = pane.current
    if (!it) return
    const row = isWhole ? undefined : it.children[Math.min(Math.floor(anchor), total - 1) - from]
    if (!(row instanceof HTMLElement)) it.style.transform = ''
    else {
      const fraction = anchor >= total ? 1 : anchor % 1
      it.style.transform = `translateY(${part * height - row.offsetTop - fraction * row.offsetHeight}px)`
    }
  })

  const marked = useMemo(() => new Set(matches), [matches])
  const numbers = Array.from({ length: Math.max(0, until - from) }, (_, at) => from + at)
  return (
    <div
      ref={box}
      class={isWhole ? 'log-box' : 'log-box windowed'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
      tabIndex={0}
      role="log"
      aria-live={isLive ? 'polite' : 'off'}
      aria-label={label}
      onScroll={onScroll}
    >
      <div class="log-frame" style={{ height: isWhole ? undefined : `${height}px` }}>
        <div ref={pane} class="log-pane" style={{ '--digits': String(String(total).length) }}>
          {numbers.map((number) => (
            <Line
              key={number}
              number={number}
              log={log}
              text={text}
              look={number === found ? 'log-line found' : number === chosen ? 'log-line chosen' : 'log-line'}
              isMatch={marked.has(number)}
              onChoose={onChoose}
            />
          ))}
        </div>
      </div>
      {!isWhole && <div style={{ height: `${Math.min(MOST_PX, total * LINE_PX) - height}px` }} />}
    </div>
  )
}

interface LineProps {
  number: number
  log: LiveLog
  text: string
  look: string
  isMatch: boolean
  onChoose: (line: number) => void
}

function Line({ number, log, text, look, isMatch, onChoose }: LineProps) {
  const parts = log.lines.at(number)
  return (
    <div class={isMatch ? `${look} match` : look}>
      {/* Not one stop for each line: the search leads to any of them. */}
      <button
        type="button"
        class="line-number"
        tabIndex={-1}
        aria-label={`Link to line ${number + 1}`}
        onClick={() => onChoose(number)}
      >
        {number + 1}
      </button>
      <span class="log-text">{parts ? drawnLine(parts, text) : '…'}</span>
    </div>
  )
}
