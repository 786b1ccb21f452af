/** The chart of one actor of a run as it is at a moment, with its context, what changed it, and what could happen next. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Actor, JournalEvent, RunInstant } from '../../answers.ts'
import { pathOf } from '../../api.ts'
import { ChartView } from '../../chart/chart-view.tsx'
import { Problem } from '../../parts/problem.tsx'
import { changeQuery } from '../../route.ts'
import { useAnswer } from '../../use-answer.ts'
import { addressText } from '../journal/event-text.ts'
import { usePast } from '../use-past.ts'
import { type ActorNow, ActorTree } from './actor-tree.tsx'
import { changesOf } from './changes.ts'
import { ContextTree } from './context-tree.tsx'
import { TryEvent } from './try-event.tsx'

interface Props {
  name: string
  dagRunId: string
  /** Step or handler; undefined: the run itself. */
  step: string | undefined
  /** The actor of the step, as `addressText` has it; undefined: the first. */
  wanted: string | undefined
  events: readonly JournalEvent[]
  /** `seq` of the event that is shown; undefined: now. */
  at: number | undefined
  /** Stops playing when an actor enters a state. */
  onBreak: (actor: string, state: string) => void
}

export function ActorChart({ name, dagRunId, step, wanted, events, at, onBreak }: Props) {
  const addresses = useMemo(() => addressesOf(events, name, dagRunId, step), [events, name, dagRunId, step])
  const address = addresses.find((it) => addressText(it, name, dagRunId) === wanted) ?? addresses[0]
  const latest = events.findLast(({ actor, seq }) => actor === address && seq <= (at ?? seq))
  const before = events.findLast(({ actor, seq }) => actor === address && seq < (latest?.seq ?? 0))
  const run = `/dag-runs${pathOf(name, dagRunId)}`
  const path = address && `${run}/actors?actor=${encodeURIComponent(address)}`
  const isThere = (seq: number) => address !== undefined && existsAt(events, address, `run/${name}/${dagRunId}`, seq)
  const isAway = events.length > 0 && !isThere(at ?? Number.POSITIVE_INFINITY)
  const now = useAnswer<RunInstant>(at === undefined && !isAway ? path : undefined)
  const next = at === undefined ? undefined : events.find(({ seq }) => seq > at)?.seq
  const pathAt = (seq: number | undefined) => (seq !== undefined && isThere(seq) ? `${path}&at=${seq}` : undefined)
  const then = usePast<RunInstant>(pathAt(at), pathAt(next))
  const earlier = usePast<RunInstant>(pathAt(before?.seq)).value?.actors[0]
  const { value, refusal, refresh } = at === undefined ? now : then
  const moves = useMemo(
    () => events.filter(({ actor, seq, from, to }) => actor === address && seq <= (at ?? seq) && from !== to),
    [events, address, at]
  )
  const [would, setWould] = useState<readonly string[]>()
  // After an event the actor may accept others.
  useEffect(refresh, [latest?.seq, refresh])
  const actor = value?.actors.find((it) => it.address === address)
  const machine = actor?.machine ?? (step === undefined ? 'run' : address?.endsWith('/attempt') ? 'call' : 'node')
  // Until the next answer is there, that of the last one.
  const known = useRef<{ address: string | undefined; reach: Actor['reach'] } | undefined>(undefined)
  if (actor) known.current = { address, reach: actor.reach }
  const reach = known.current?.address === address ? known.current?.reach : undefined
  const choose = (chosen: ActorNow) =>
    changeQuery({ step: chosen.step, actor: addressText(chosen.address, name, dagRunId) })
  // Everything is new in an actor that has just begun.
  const changes = useMemo(
    () =>
      actor && latest?.seq === actor.seq && before && earlier ? changesOf(earlier.context, actor.context) : new Map(),
    [actor, earlier, before, latest]
  )
  const shown = address && addressText(address, name, dagRunId)
  return (
    <div>
      <ActorTree events={events} name={name} dagRunId={dagRunId} at={at} chosen={address} onChoose={choose} />
      {refusal && refusal.status !== 404 && <Problem refusal={refusal} retry={refresh} />}
      {!actor && (value || isAway || refusal?.status === 404) && (
        <p class="soft">
          {at === undefined
            ? 'There is no such actor: it has not started, or was never needed.'
            : 'There was no such actor at that moment: it had not started, or was never needed.'}
        </p>
      )}
      {(reach || value || isAway || refusal) && (
        <ChartView
          key={address}
          machine={machine}
          active={actor?.states ?? []}
          would={actor && would}
          reach={reach}
          moves={moves}
          latest={actor && latest && { from: latest.from, to: latest.to }}
          onBreak={shown === undefined ? undefined : (state) => onBreak(shown, state)}
        />
      )}
      {actor && (
        <>
          <TryEvent
            actor={actor}
            path={`${run}/preview?actor=${encodeURIComponent(actor.address)}${at === undefined ? '' : `&at=${at}`}`}
            onWould={setWould}
          />
          <section class="actor-facts">
            <h3>Context</h3>
            {latest && changes.size > 0 && <p class="soft">Marked: what event {latest.seq} changed.</p>}
            <ContextTree label="Context" value={actor.context} changes={changes} />
          </section>
        </>
      )}
    </div>
  )
}

/** Events of a node that was resolved by a rule, or set by hand, and has no actor. */
const WITHOUT_ACTOR: ReadonlySet<string> = new Set(['node.settled', 'node.set'])

/** Whether an actor was there at an event: it has begun in the attempt of the run that had begun by then. */
function existsAt(events: readonly JournalEvent[], address: string, run: string, at: number): boolean {
  const attempt = events.findLast(({ actor, from, seq }) => actor === run && from === '' && seq <= at)?.seq ?? 0
  return events.some(
    ({ actor, event, seq }) => actor === address && seq >= attempt && seq <= at && !WITHOUT_ACTOR.has(event)
  )
}

/** The actors that stand for a step, or for the run. */
function addressesOf(
  events: readonly JournalEvent[],
  name: string,
  dagRunId: string,
  step: string | undefined
): string[] {
  const run = `run/${name}/${dagRunId}`
  if (step === undefined) return [run]
  const found = events.find((event) => event.step === step && event.actor !== run)?.actor
  if (found === undefined) return []
  const within = new Set(events.map(({ actor }) => actor).filter((actor) => actor.startsWith(`${found}/`)))
  return [found, ...within]
}
