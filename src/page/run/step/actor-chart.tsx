/** The chart of one actor of a run as it is at a moment, with its context and what could happen next. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Actor, JournalEvent, RunInstant } from '../../answers.ts'
import { pathOf } from '../../api.ts'
import { ChartView } from '../../chart/chart-view.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useAnswer } from '../../use-answer.ts'
import { addressText } from '../journal/event-text.ts'
import { usePast } from '../use-past.ts'

interface Props {
  name: string
  dagRunId: string
  /** Step or handler; undefined: the run itself. */
  step: string | undefined
  events: readonly JournalEvent[]
  /** `seq` of the event that is shown; undefined: now. */
  at: number | undefined
}

export function ActorChart({ name, dagRunId, step, events, at }: Props) {
  const addresses = useMemo(() => addressesOf(events, name, dagRunId, step), [events, name, dagRunId, step])
  const [wanted, setWanted] = useState<string>()
  const address = addresses.find((it) => it === wanted) ?? addresses[0]
  const latest = events.findLast(({ actor, seq }) => actor === address && seq <= (at ?? seq))
  const path = address && `/dag-runs${pathOf(name, dagRunId)}/actors?actor=${encodeURIComponent(address)}`
  const now = useAnswer<RunInstant>(at === undefined ? path : undefined)
  const next = at === undefined ? undefined : events.find(({ seq }) => seq > at)?.seq
  const pathAt = (seq: number | undefined) => (path && seq !== undefined ? `${path}&at=${seq}` : undefined)
  const then = usePast<RunInstant>(pathAt(at), pathAt(next))
  const { value, refusal, refresh } = at === undefined ? now : then
  // After an event the actor may accept others.
  useEffect(refresh, [latest?.seq, refresh])
  const actor = value?.actors.find((it) => it.address === address)
  const machine = actor?.machine ?? (step === undefined ? 'run' : address?.endsWith('/attempt') ? 'call' : 'node')
  return (
    <div>
      {addresses.length > 1 && (
        <label class="field actor-choice">
          Actor
          <select value={address} onChange={({ currentTarget }) => setWanted(currentTarget.value)}>
            {addresses.map((it) => (
              <option key={it} value={it}>
                {addressText(it, name, dagRunId)}
              </option>
            ))}
          </select>
        </label>
      )}
      {refusal && refusal.status !== 404 && <Problem refusal={refusal} retry={refresh} />}
      {!actor && (value || refusal?.status === 404 || address === undefined) && (
        <p class="soft">
          {at === undefined
            ? 'There is no such actor: it has not started, or was never needed.'
            : 'There was no such actor at that moment: it had not started, or was never needed.'}
        </p>
      )}
      <ChartView
        key={address}
        machine={machine}
        active={actor?.states ?? []}
        latest={actor && latest && { from: latest.from, to: latest.to }}
      />
      {actor && <ActorFacts {...actor} />}
    </div>
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

const ActorFacts = ({ accepts, refuses, context }: Actor) => (
  <section class="actor-facts">
    <h3>What can happen next</h3>
    {accepts.length + refuses.length === 0 ? (
      <p class="soft">Nothing: it has ended.</p>
    ) : (
      <ul class="chips">
        {accepts.map((event) => (
          <li key={event} class="chip">
            {event}
          </li>
        ))}
        {refuses.map(({ event, guard }) => (
          <li key={`${event} ${guard}`} class="chip no" title={`Refused by the guard ${guard}`}>
            {event} <span class="soft">guard: {guard}</span>
          </li>
        ))}
      </ul>
    )}
    <details>
      <summary>Context</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys */}
      <pre tabIndex={0}>{JSON.stringify(context, null, 2)}</pre>
    </details>
  </section>
)
