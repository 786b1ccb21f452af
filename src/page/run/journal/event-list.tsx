/** The journal as a list. */
import { useMemo, useState } from 'preact/hooks'
import type { JournalEvent } from '../../answers.ts'
import { OnlySelected } from '../../parts/fields.tsx'
import { Time } from '../../parts/time.tsx'
import { Option, Windowed } from '../../parts/windowed.tsx'
import { actorText, eventAt, eventName } from './event-text.ts'

interface Props {
  events: readonly JournalEvent[]
  at: number | undefined
  selected: string | undefined
  onTravel: (seq: number | undefined) => void
}

const ROW_PX = 30

export function EventList({ events, at, selected, onTravel }: Props) {
  const [isOwn, setOwn] = useState(false)
  const shown = useMemo(
    () => (isOwn && selected !== undefined ? events.filter(({ step }) => step === selected) : events),
    [events, isOwn, selected]
  )
  const chosen = at === undefined ? shown.length - 1 : shown.findLastIndex(({ seq }) => seq <= at)
  const travel = (event: JournalEvent) => onTravel(event === events.at(-1) ? undefined : event.seq)
  return (
    <div>
      <div class="filters">
        <OnlySelected selected={selected} isOn={isOwn} onChange={setOwn} />
        <span class="soft">{shown.length} events; use the arrow keys to move</span>
      </div>
      <Windowed
        label="Journal events"
        kind="events"
        of={shown}
        rowPx={ROW_PX}
        chosen={chosen}
        onChoose={travel}
        idOf={({ seq }) => `event-${seq}`}
        row={(event, index) => (
          <Row key={event.seq} event={event} isChosen={index === chosen} onChoose={() => travel(event)} />
        )}
      />
    </div>
  )
}

const Row = ({ event, isChosen, onChoose }: { event: JournalEvent; isChosen: boolean; onChoose: () => void }) => (
  <Option id={`event-${event.seq}`} kind="event" isChosen={isChosen} onChoose={onChoose}>
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
  </Option>
)
