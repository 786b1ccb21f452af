/** Name, status and length of a run, and what may be done about it. */
import type { RunDetails } from '../answers.ts'
import type { Connection } from '../event-stream.ts'
import { useNow } from '../parts/now.ts'
import { Status } from '../parts/status.tsx'
import { instant, lengthText, timeText } from '../text.ts'
import type { Moment } from './moment.ts'
import { RunActions } from './run-actions.tsx'

interface Props {
  details: RunDetails
  moment: Moment
  /** Undefined: nothing more is awaited. */
  connection: Connection | undefined
  onChanged: () => void
}

export function RunHead({ details, moment, connection, onChanged }: Props) {
  const { name, dagRunId, startedAt, finishedAt, statusLabel } = details
  const isMoving = statusLabel === 'running' && moment.at === undefined
  const now = useNow(isMoving)
  const began = instant(startedAt)
  const ended = isMoving ? now : (moment.at ?? instant(finishedAt) ?? now)
  return (
    <header class="run-head">
      <div class="run-name">
        <h1>{name}</h1>
        <p class="soft">
          <code>{dagRunId}</code>
        </p>
      </div>
      <p class="run-state">
        <Status label={moment.label} />
        {began !== undefined && (
          <span class="soft">
            {timeText(began, now)}, {lengthText(Math.max(0, ended - began))}
          </span>
        )}
        {connection && <span class={`connection ${connection}`}>{CONNECTION[connection]}</span>}
      </p>
      <RunActions details={details} onChanged={onChanged} />
    </header>
  )
}

const CONNECTION: Record<Connection, string> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost, trying again'
}
