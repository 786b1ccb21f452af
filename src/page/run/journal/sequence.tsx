/** The messages between the actors of a run: a lane for each actor, an arrow for each message. Selecting one travels to it. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { JournalEvent, Message } from '../../answers.ts'
import { pathOf, send } from '../../api.ts'
import { putIntoClipboard } from '../../clipboard.ts'
import { OnlySelected } from '../../parts/fields.tsx'
import { useAction } from '../../parts/notices.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Option, Windowed } from '../../parts/windowed.tsx'
import { exactTime, shortened } from '../../text.ts'
import { addressText, eventName } from './event-text.ts'
import { type Family, lanesOf, shortName } from './lanes.ts'
import { useMessages } from './use-messages.ts'

interface Props {
  name: string
  dagRunId: string
  at: number | undefined
  latest: JournalEvent | undefined
  /** Name of the selected step. */
  selected: string | undefined
  onTravel: (seq: number | undefined) => void
}

const ROW_PX = 34
const LANE_PX = 124
/** Width of the time, left of the lanes. */
const LEFT_PX = 104
const MOST_SIGNS = 15
/** Width of an arrow in sight that has room for its words. */
const LEAST_PX = 60
/** Lanes beside those in sight that are drawn, too. */
const SPARE_LANES = 2

export function SequenceView({ name, dagRunId, at, latest, selected, onTravel }: Props) {
  const { messages, omitted, refusal } = useMessages(name, dagRunId, latest?.seq ?? 0)
  const [isOwn, setOwn] = useState(false)
  const [open, setOpen] = useState<ReadonlySet<Family>>(new Set())
  const [{ left, across }, setSight] = useState({ left: 0, across: 1_200 })
  const { act } = useAction()
  const text = (address: string) => addressText(address, name, dagRunId)
  const shown = useMemo(() => {
    const isOfStep = (address: string) =>
      new RegExp(`^(?:node|handler)/${escaped(selected ?? '')}(?:/|$)`).test(text(address))
    return isOwn && selected !== undefined
      ? messages.filter(({ from, to }) => isOfStep(from) || isOfStep(to))
      : messages
  }, [messages, isOwn, selected])
  const chosen = at === undefined ? shown.length - 1 : shown.findLastIndex(({ seq }) => seq <= at)
  const { lanes, of, families } = useMemo(() => lanesOf(shown, text, open), [shown, open])
  const width = LEFT_PX + lanes.length * LANE_PX
  const first = Math.max(0, Math.floor((left - LEFT_PX) / LANE_PX) - SPARE_LANES)
  const last = Math.ceil((left + across - LEFT_PX) / LANE_PX) + SPARE_LANES
  const inSight = lanes.map((lane, place) => ({ ...lane, place })).slice(first, last)
  const isOutside = (address: string) => lanes[of.get(address) ?? -1]?.family === 'outside'
  /** The step of a message, where a lane says so of many. */
  const withinFolded = ({ from, to }: Message) => {
    const folded = [to, from].filter((address) => lanes[of.get(address) ?? -1]?.family)
    // A message from or to a step says which step it is.
    const [known] = folded.toSorted((a, b) => Number(isOutside(a)) - Number(isOutside(b)))
    return known === undefined ? '' : shortName(text(known))
  }
  const travel = ({ seq }: Message) => onTravel(seq === latest?.seq ? undefined : seq)
  const copy = () =>
    act(async () => {
      const answer = await send(`/dag-runs${pathOf(name, dagRunId)}/sequence?format=mermaid&limit=5000`)
      await putIntoClipboard(await answer.text())
      return 'Copied. Paste it into any Mermaid editor.'
    })
  const room = useRef<HTMLDivElement>(null)
  const arrow = shown[chosen]
  useEffect(() => {
    const list = room.current?.querySelector('.windowed')
    if (!list || !arrow) return
    const [from, to] = [middleOf(of.get(arrow.from) ?? 0), middleOf(of.get(arrow.to) ?? 0)]
    const [start, end] = [Math.min(from, to), Math.max(from, to)]
    // The beginning of the arrow, if there is no room for all of it.
    if (start < list.scrollLeft + LEFT_PX || end > list.scrollLeft + list.clientWidth)
      list.scrollLeft = start - LEFT_PX - LANE_PX / 2
  }, [arrow?.seq, of])
  if (refusal && messages.length === 0) return <Problem refusal={refusal} />
  return (
    <div ref={room}>
      <div class="filters">
        <OnlySelected selected={selected} isOn={isOwn} onChange={setOwn} />
        <span class="soft">
          {shown.length} messages between {of.size} actors{omitted > 0 && `, ${omitted} more to come`}; select one to
          travel there
        </span>
        {families.map(({ family, name: its, count }) => (
          <button
            key={family}
            type="button"
            class="chip press lane-fold"
            aria-expanded={open.has(family)}
            onClick={() => setOpen(open.has(family) ? without(open, family) : new Set(open).add(family))}
          >
            {its}: {count}
          </button>
        ))}
        <button type="button" class="button small" onClick={copy}>
          Copy as Mermaid
        </button>
      </div>
      <Windowed
        label="Messages"
        kind="sequence"
        of={shown}
        rowPx={ROW_PX}
        width={width}
        chosen={chosen}
        onChoose={travel}
        onScroll={({ scrollLeft, clientWidth }) =>
          (scrollLeft !== left || clientWidth !== across) && setSight({ left: scrollLeft, across: clientWidth })
        }
        head={
          <div class="lane-names" style={{ width: `${width}px` }}>
            {inSight.map(({ text, title, place }) => (
              <span key={title} title={title} style={{ left: `${LEFT_PX + place * LANE_PX}px` }}>
                {shortened(text, MOST_SIGNS)}
              </span>
            ))}
          </div>
        }
        idOf={({ seq }) => `message-${seq}`}
        row={(message, index) => (
          <Arrow
            key={message.seq}
            message={message}
            words={[text(message.from), text(message.to)]}
            from={of.get(message.from) ?? 0}
            to={of.get(message.to) ?? 0}
            within={withinFolded(message)}
            lanes={inSight.map(({ place }) => place)}
            width={width}
            sight={[left + LEFT_PX, left + across]}
            isChosen={index === chosen}
            isAhead={index > chosen}
            onChoose={() => travel(message)}
          />
        )}
      />
    </div>
  )
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const middleOf = (lane: number) => LEFT_PX + (lane + 0.5) * LANE_PX

const without = (families: ReadonlySet<Family>, one: Family) => new Set([...families].filter((it) => it !== one))

interface ArrowProps {
  message: Message
  /** Names of sender and receiver. */
  words: [string, string]
  from: number
  to: number
  /** The actor in a lane of several; empty: each has its own. */
  within: string
  /** Lanes that are drawn. */
  lanes: readonly number[]
  width: number
  /** What is in sight of that width, in px. */
  sight: readonly [number, number]
  isChosen: boolean
  /** The event is later than the moment that is shown. */
  isAhead: boolean
  onChoose: () => void
}

function Arrow({ message, words, from, to, within, lanes, width, sight, isChosen, isAhead, onChoose }: ArrowProps) {
  const { seq, atMs, event, state } = message
  const [start, end] = [middleOf(from), middleOf(to)]
  const isOwn = from === to
  const line = isOwn ? `M${start} 20h34v8h-28` : `M${start} 26H${end + (end > start ? -7 : 7)}`
  const said = eventName({ event })
  // The words stay in sight, also of an arrow that does not fit there.
  const [left, right] = [Math.max(Math.min(start, end), sight[0]), Math.min(Math.max(start, end), sight[1])]
  const middle = isOwn ? start + 40 : right - left > LEAST_PX ? (left + right) / 2 : (start + end) / 2
  return (
    <Option
      id={`message-${seq}`}
      kind={`message-row ${isAhead ? 'ahead' : ''}`}
      isChosen={isChosen}
      title={`${words[0]} → ${words[1]}: ${said}, then ${state}`}
      onChoose={onChoose}
    >
      <span class="unseen">
        {seq}: {said} from {words[0]} to {words[1]}, then {state}
      </span>
      <svg width={width} height={ROW_PX} aria-hidden="true">
        {lanes.map((lane) => (
          <path key={lane} class="lane" d={`M${middleOf(lane)} 0V${ROW_PX}`} />
        ))}
        <text class="message-at" x={12} y={21}>
          {exactTime(atMs)}
        </text>
        <path class="message-line" d={line} />
        <path class="message-head" d={headAt(isOwn ? start : end, isOwn ? 28 : 26, isOwn || end < start)} />
        <text class="message-words" x={middle} y={isOwn ? 18 : 19} text-anchor={isOwn ? 'start' : 'middle'}>
          {within === '' ? said : `${shortened(within, MOST_SIGNS)}: ${said}`}
        </text>
      </svg>
    </Option>
  )
}

/** The head of an arrow, its tip at that place. */
const headAt = (x: number, y: number, isLeft: boolean) => `M${x} ${y}l${isLeft ? 8 : -8} -4v8z`
