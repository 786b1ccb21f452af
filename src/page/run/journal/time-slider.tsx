/** The journal of a run as a timeline to go back in. Its right end is now. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { NODE_ENDS } from '../../../../machines/vocabulary/lists.ts'
import type { JournalEvent } from '../../answers.ts'
import { after } from '../../clock.ts'
import { IconButton } from '../../parts/fields.tsx'
import { Time } from '../../parts/time.tsx'
import { FailureFlag } from '../failure/failure-flag.tsx'
import { type Breakpoint, breakpointText, isHit } from './breakpoints.ts'
import { actorText, eventAt, eventName } from './event-text.ts'

interface Props {
  events: readonly JournalEvent[]
  /** `seq` of the event that is shown; undefined: now. */
  at: number | undefined
  /** The run has not ended. */
  isLive: boolean
  /** Where playing stops. */
  points: readonly Breakpoint[]
  onRemove: (point: Breakpoint) => void
  onTravel: (seq: number | undefined) => void
  /** @param step undefined: it is the run itself that failed */
  onFailure: (seq: number, step: string | undefined) => void
}

const PLAY_MS = 350

export function TimeSlider({ events, at, isLive, points, onRemove, onTravel, onFailure }: Props) {
  const [isPlaying, setPlaying] = useState(false)
  const last = events.length - 1
  const found = at === undefined ? last : events.findLastIndex(({ seq }) => seq <= at)
  const index = Math.max(0, found)
  const event = events[index]
  const isNow = at === undefined
  const go = (to: number) => onTravel(to >= last ? undefined : events[Math.max(0, to)]?.seq)
  const stopAnd = (act: () => void) => () => {
    setPlaying(false)
    act()
  }
  useEffect(() => {
    if (!isPlaying) return
    if (isNow) return setPlaying(false)
    return after(PLAY_MS, () => {
      const next = events[index + 1]
      if (next && isHit(points, next)) setPlaying(false)
      go(index + 1)
    })
  }, [isPlaying, index, isNow])
  const play = () => {
    if (isNow) onTravel(events[0]?.seq)
    setPlaying(!isPlaying)
  }
  if (!event) return null
  const said = `${index + 1} of ${events.length}: ${actorText(event)} ${eventName(event)}`
  return (
    <section class={`time ${isNow ? '' : 'back'}`} aria-label="Time">
      <div class="time-buttons">
        <IconButton icon="first" text="First event" onAct={stopAnd(() => go(0))} isOff={index === 0} />
        <IconButton icon="back" text="Previous event" onAct={stopAnd(() => go(index - 1))} isOff={index === 0} />
        <IconButton icon={isPlaying ? 'pause' : 'play'} text={isPlaying ? 'Pause' : 'Play'} onAct={play} />
        <IconButton icon="forward" text="Next event" onAct={stopAnd(() => go(index + 1))} isOff={isNow} />
        <IconButton icon="last" text="Now" onAct={stopAnd(() => onTravel(undefined))} isOff={isNow} />
        <FailureFlag events={events} at={at} onFailure={(seq, step) => stopAnd(() => onFailure(seq, step))()} />
      </div>
      <div class="time-line">
        <Ticks events={events} index={index} points={points} />
        <input
          type="range"
          min={0}
          max={Math.max(0, last)}
          value={index}
          aria-label="Journal event"
          aria-valuetext={said}
          onInput={({ currentTarget }) => stopAnd(() => go(Number(currentTarget.value)))()}
        />
      </div>
      <p class="time-text" title={`${said.slice(said.indexOf(':') + 2)} → ${event.to}`}>
        <b>{isNow ? (isLive ? 'Live' : 'Ended') : `Event ${event.seq}`}</b>{' '}
        <Time at={eventAt(event)} today={0} isExact />{' '}
        <span>
          {actorText(event)} <i>{eventName(event)}</i> {event.from !== event.to && `→ ${event.to}`}
        </span>
      </p>
      {points.length > 0 && (
        <ul class="breakpoints" aria-label="Playing stops when">
          {points.map((point) => (
            <li key={point} class="chip">
              Stop when {breakpointText(point)}
              <button
                type="button"
                class="plain"
                aria-label={`Remove: ${breakpointText(point)}`}
                onClick={() => onRemove(point)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const MOST_TICKS = 240
const ENDS: ReadonlySet<string> = new Set(NODE_ENDS)

/** Where on the timeline something ended, and how; a failure wins over other events at the same place. And where playing stops. */
interface TicksProps {
  events: readonly JournalEvent[]
  index: number
  points: readonly Breakpoint[]
}

function Ticks({ events, index, points }: TicksProps) {
  const ticks = useMemo(() => {
    const found = new Map<number, string>()
    for (const [at, { statusLabel = '', step, from, to }] of events.entries()) {
      if (step === undefined || from === to || !ENDS.has(statusLabel)) continue
      const place = Math.round((at / Math.max(1, events.length - 1)) * MOST_TICKS)
      if (found.get(place) !== 'failed') found.set(place, statusLabel)
    }
    return [...found]
  }, [events])
  const stops = useMemo(
    () =>
      events.flatMap((event, at) => (isHit(points, event) ? [(at / Math.max(1, events.length - 1)) * MOST_TICKS] : [])),
    [events, points.join('\n')]
  )
  const done = (index / Math.max(1, events.length - 1)) * MOST_TICKS
  return (
    <svg class="ticks" viewBox={`0 0 ${MOST_TICKS} 10`} preserveAspectRatio="none" aria-hidden="true">
      {ticks.map(([place, label]) => (
        <rect
          key={place}
          class={`s-${label} ${place > done ? 'ahead' : ''}`}
          x={place - 0.4}
          y={0}
          width={0.9}
          height={10}
        />
      ))}
      {stops.map((place) => (
        <circle key={place} class="stop" cx={place} cy={2} r={1.6} />
      ))}
    </svg>
  )
}
