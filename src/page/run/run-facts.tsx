/** What is known of a run as a whole. */

import type { RunDetails } from '../answers.ts'
import { pathOf } from '../api.ts'
import { useNow } from '../parts/now.ts'
import { instant, timeText } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { Facts } from './facts.tsx'
import { Conditions } from './node-facts.tsx'

/** @param isPast an event that has passed is looked at: what came later is left out */
export function RunFacts({ details, isPast }: { details: RunDetails; isPast: boolean }) {
  const { name, dagRunId, statusLabel, queuedAt, startedAt, finishedAt, params, error, preconditions, attempt } =
    details
  const now = useNow(false)
  const isOver = !isPast && statusLabel !== 'running'
  const outputs = useOutputs(name, dagRunId, isOver ? finishedAt : '')
  return (
    <>
      {error !== '' && !isPast && <p class="problem">{error}</p>}
      <Facts
        rows={[
          ['Id', <code key="id">{dagRunId}</code>],
          ['Queued', queuedAt && timeText(instant(queuedAt), now)],
          ['Began', startedAt && timeText(instant(startedAt), now)],
          ['Ended', isOver && finishedAt && timeText(instant(finishedAt), now)],
          ['Times run', attempt > 1 ? String(attempt) : ''],
          ['Parameters', params && <code key="params">{params}</code>],
          ['Conditions', preconditions.length > 0 && <Conditions all={preconditions} />]
        ].map(([label, value]) => [String(label), value || undefined] as const)}
      />
      {outputs.length > 0 && (
        <>
          <h3>Outputs</h3>
          <Facts rows={outputs.map(([key, value]) => [key, <code key={key}>{value}</code>] as const)} />
        </>
      )}
    </>
  )
}

/** Outputs of the run, once it has ended: as the server masks them. */
function useOutputs(name: string, dagRunId: string, finishedAt: string): [string, string][] {
  const { value } = useAnswer<{ outputs?: Record<string, unknown> }>(
    finishedAt === '' ? undefined : `/dag-runs${pathOf(name, dagRunId)}/outputs`
  )
  return Object.entries(value?.outputs ?? {}).map(([key, output]) => [
    key,
    typeof output === 'string' ? output : JSON.stringify(output)
  ])
}
