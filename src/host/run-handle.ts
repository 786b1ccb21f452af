/** A run of a definition in code, by its key: nothing of it is kept here. Source: docs/embedding/README.md. */
import type { Run } from '../builder/run-types.ts'
import type { Clock } from '../clock.ts'
import type { Engine, RunView } from '../engine/engine.ts'
import { TroupeError } from '../errors.ts'
import { mustBe, numeric, only, positive } from './host-values.ts'
import { errorOf, RunCanceled, RunFailed, WaitTimedOut } from './run-errors.ts'
import { runEvents } from './run-events.ts'
import { resultOf } from './run-result.ts'

const waiting = only('option', { timeoutMs: positive })
const following = only('option', { after: numeric })

export function runHandle(engine: Engine, clock: Clock, { name, dagRunId }: { name: string; dagRunId: string }): Run {
  const key = { name, dagRunId }
  return {
    ...key,
    async result({ timeoutMs, signal } = {}) {
      mustBe(waiting, { timeoutMs }, 'result')
      const view = await within(engine.result(key), {
        clock,
        signal,
        timeoutMs,
        late: () => new WaitTimedOut(key, timeoutMs ?? 0)
      })
      return outcomeOf(view)
    },
    signal: (step, payload, options = {}) => engine.signal({ ...key, step }, payload, options),
    stop: (options = {}) => engine.stop(key, options),
    view() {
      const view = engine.run(key)
      if (view) return view
      throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
    },
    events({ after = 0, signal } = {}) {
      mustBe(following, { after }, 'events')
      return runEvents(engine, key, after, signal)
    }
  }
}

/** @throws RunFailed, RunCanceled */
function outcomeOf(view: RunView): unknown {
  const { run } = view
  const { name, dagRunId, status, error } = run
  const key = { name, dagRunId }
  if (status === 'succeeded' || status === 'partially_succeeded') return resultOf(view)
  if (status === 'canceled') {
    const unmet = run.conditions?.some(({ matched }) => !matched) ?? false
    throw new RunCanceled(key, unmet ? 'preconditions' : 'stop', run.stoppedBy)
  }
  const failed = [...view.nodes, ...Object.values(view.handlers)]
    .filter(({ node }) => node.status === 'failed')
    .sort((a, b) => (a.node.finishedAt ?? 0) - (b.node.finishedAt ?? 0))[0]
  const reason = error || failed?.node.error || 'a step failed'
  throw new RunFailed(
    key,
    `run ${dagRunId} of ${name} failed${failed ? ` at step ${failed.step.name}` : ''}: ${reason}`,
    {
      ...(failed ? { step: failed.step.name } : {}),
      ...(failed?.node.thrown ? { cause: errorOf(failed.node.thrown) } : {})
    }
  )
}

interface Patience {
  clock: Clock
  timeoutMs: number | undefined
  signal: AbortSignal | undefined
  late(): Error
}

/** The answer, unless the caller has waited long enough. What is left of the wait costs nothing. */
function within<T>(answer: Promise<T>, { clock, timeoutMs, signal, late }: Patience): Promise<T> {
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
