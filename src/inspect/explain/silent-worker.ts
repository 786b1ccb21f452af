/** Why a run or a step on a worker does not go on: that worker is not heard. Source: distribution 9, D15. */
import { lasting, type Said, type Situation } from './situation.ts'

/** Undefined: its worker is heard, or it has none. @param what was given to it */
export function silentWorker({ now, record, worker }: Situation, what = 'the run'): Said | undefined {
  const { placement } = record
  if (!placement || worker?.state === 'serving.healthy') return undefined
  const { lostAt } = worker ?? {}
  const isPending = lostAt !== undefined && lostAt > now
  const lost = isPending ? `; it is declared lost in ${lasting(lostAt - now)}` : ''
  const silence = worker ? ` has been silent for ${lasting(now - worker.heardAt)}` : ' is not known here'
  return {
    cause: 'worker_silent',
    text: `${what} was given to the worker ${placement.id}, which${silence}${lost}`,
    ...(isPending ? { until: lostAt } : {}),
    ...(worker ? { since: worker.heardAt } : {}),
    blockedBy: [{ kind: 'worker', name: placement.id }],
    unblock:
      'It goes on when the worker is back. One that is silent for worker.lostAfter is lost: onWorkerLost and retryPolicy decide what follows.'
  }
}
