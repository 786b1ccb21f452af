/** Name, status, duration and actions of a run. */
import type { JournalEvent, RunDetails } from '../answers.ts'
import type { Connection } from '../event-stream.ts'
import { useNow } from '../parts/now.ts'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { CONNECTION, instant, lengthText } from '../text.ts'
import { eventAt } from './journal/event-text.ts'
import type { Moment } from './moment.ts'
import { RunActions } from './run-actions.tsx'

interface Props {
  details: RunDetails
  moment: Moment
  events: readonly JournalEvent[]
  /** Undefined: nothing more will come. */
  connection: Connection | undefined
  onChanged: () => void
}

export function RunHead({ details, moment, events, connection, onChanged }: Props) {
  const { name, dagRunId, startedAt, finishedAt, statusLabel } = details
  // Instants of details are whole seconds.
  const first = events.findLast(
    (event) =>
      event.from === '' && event.actor === `run/${name}/${dagRunId}` && eventAt(event) <= (moment.at ?? eventAt(event))
  )
  const last = events.at(-1)
  const isMoving = statusLabel === 'running' && moment.at === undefined
  const now = useNow(isMoving)
  const began = first ? eventAt(first) : instant(startedAt)
  const ended = isMoving ? now : (moment.at ?? (first && last ? eventAt(last) : instant(finishedAt)) ?? now)
  return (
    <header class="run-head">
      <h1>{name}</h1>
      <p class="run-state">
        {moment.label ? <Status label={moment.label} waitingFor={moment.waitingFor} /> : <span class="soft">…</span>}
        {began !== undefined && (
          <span class="soft">
            <Time at={began} today={now} />, {lengthText(Math.max(0, ended - began))}
          </span>
        )}
        {connection && <span class={`connection ${connection}`}>{CONNECTION[connection]}</span>}
      </p>
      <RunActions details={details} onChanged={onChanged} />
    </header>
  )
}
