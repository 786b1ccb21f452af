/** The journal as a list. Only visible rows are rendered: a journal may have tens of thousands. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { JournalEvent } from '../../answers.ts'
import { Time } from '../../parts/time.tsx'
import { actorText, eventAt, eventName } from './event-text.ts'

interface Props {
  events: readonly JournalEvent[]
  at: number | undefined
  selected: string | undefined
  onTravel: (seq: number | undefined) => void
}

const ROW_PX = 30
const SPARE_ROWS = 12

export function EventList({ events, at, selected, onTravel }: Props) {
  const [isOwn, setOwn] = useState(false)
  const [top, setTop] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const shown = useMemo(
    () => (isOwn && selected !== undefined ? events.filter(({ step }) => step === selected) : events),
    [events, isOwn, selected]
  )
  const height = box.current?.clientHeight ?? 480
  const chosen = at === undefined ? shown.length - 1 : shown.findLastIndex(({ seq }) => seq <= at)
  useEffect(() => {
    const list = box.current
    if (!list) return
    const place = chosen * ROW_PX
    if (place < list.scrollTop || place + ROW_PX > list.scrollTop + list.clientHeight)
      list.scrollTop = place - list.clientHeight / 2
  }, [chosen])
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE_ROWS)
  const rows = shown.slice(first, first + Math.ceil(height / ROW_PX) + 2 * SPARE_ROWS)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const next = shown[Math.max(0, chosen + step)]
    onTravel(next === undefined || next === events.at(-1) ? undefined : next.seq)
  }
  return (
    <div>
      <div class="filters">
        <label class="check">
          <input
            type="checkbox"
            checked={isOwn}
            disabled={selected === undefined}
            onChange={({ currentTarget }) => setOwn(currentTarget.checked)}
          />
          {selected === undefined ? 'Only the selected step' : `Only ${selected}`}
        </label>
        <span class="soft">{shown.length} events; use the arrow keys to move</span>
      </div>
      <div
        ref={box}
        class="events"
        role="listbox"
        tabIndex={0}
        aria-label="Journal events"
        aria-activedescendant={shown[chosen] ? `event-${shown[chosen].seq}` : undefined}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
        onKeyDown={move}
      >
        <div style={{ height: `${shown.length * ROW_PX}px` }} role="presentation">
          <div style={{ transform: `translateY(${first * ROW_PX}px)` }} role="presentation">
            {rows.map((event, row) => (
              <Row
                key={event.seq}
                event={event}
                isChosen={first + row === chosen}
                onChoose={() => onTravel(event === events.at(-1) ? undefined : event.seq)}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

const Row = ({ event, isChosen, onChoose }: { event: JournalEvent; isChosen: boolean; onChoose: () => void }) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys for its rows
  // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
  <div id={`event-${event.seq}`} class="event" role="option" aria-selected={isChosen} onClick={onChoose}>
    <span class="event-seq">{event.seq}</span>
    <span class="event-at">
      <Time at={eventAt(event)} today={0} isExact />
    </span>
    <span class="event-actor" title={actorText(event)}>
      {actorText(event)}
    </span>
    <span class="event-name" title={eventName(event)}>
      {eventName(event)}
    </span>
    <span class={`event-to ${event.statusLabel ? `s-${event.statusLabel}` : ''}`} title={event.to}>
      {event.from === event.to ? '' : event.to}
    </span>
    <span class="event-cause">{event.cause === undefined ? '' : `by ${event.cause}`}</span>
  </div>
)
