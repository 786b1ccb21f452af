/** How a run ends for who waits for its result, be its engine in this process or another. Source: docs/embedding/README.md. */
import type { Json, RunKey, RunStatus, Stopper, Thrown } from '../../machines/vocabulary.ts'
import type { Clock } from '../clock.ts'
import { numeric, only, positive } from './host-values.ts'
import { errorOf, RunCanceled, RunFailed } from './run-errors.ts'

/** Options of `result` and `events` of a run, besides their signals. */
export const waiting = only('option', { timeoutMs: positive })
export const following = only('option', { after: numeric })

interface Failure {
  step: string
  finishedAt?: number | undefined
  error?: string | undefined
  thrown?: Thrown | undefined
}

export interface RunEnd {
  run: RunKey
  status: RunStatus
  error: string | undefined
  /** A precondition of the run did not hold. */
  isUnmet: boolean
  stoppedBy: Stopper | undefined
  /** Steps and handlers that have failed. */
  failures: readonly Failure[]
  /** Asked for when the run ended well. */
  result(): Json
}

/** @throws RunFailed, RunCanceled */
export function outcome({ run, status, error, isUnmet, stoppedBy, failures, result }: RunEnd): Json {
  const { name, dagRunId } = run
  const key = { name, dagRunId }
  if (status === 'succeeded' || status === 'partially_succeeded') return result()
  if (status === 'canceled') throw new RunCanceled(key, isUnmet ? 'preconditions' : 'stop', stoppedBy)
  const [failed] = [...failures].sort((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0))
  const reason = error || failed?.error || 'a step failed'
  throw new RunFailed(key, `run ${dagRunId} of ${name} failed${failed ? ` at step ${failed.step}` : ''}: ${reason}`, {
    ...(failed ? { step: failed.step } : {}),
    ...(failed?.thrown ? { cause: errorOf(failed.thrown) } : {})
  })
}

interface Patience {
  clock: Clock
  timeoutMs: number | undefined
  signal: AbortSignal | undefined
  late(): Error
}

/** The answer, unless the caller has waited long enough. What is left of the wait costs nothing. */
export function within<T>(answer: Promise<T>, { clock, timeoutMs, signal, late }: Patience): Promise<T> {
  if (timeoutMs === undefined && !signal) return answer
  return new Promise((resolve, reject) => {
    const abort = () => leave(signal?.reason)
    const cancel = timeoutMs === undefined ? () => {} : clock.after(timeoutMs, () => leave(late()))
    const end = () => {
      cancel()
      signal?.removeEventListener('abort', abort)
    }
    const leave = (reason: unknown) => {
      end()
      reject(reason)
    }
    if (signal?.aborted) return leave(signal.reason)
    signal?.addEventListener('abort', abort, { once: true })
    answer.then(
      (value) => {
        end()
        resolve(value)
      },
      (error) => leave(error)
    )
  })
}
