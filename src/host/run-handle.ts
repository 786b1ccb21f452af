/** A run of a definition in code, by its key: nothing of it is kept here. Source: docs/embedding/README.md. */
import type { Json, RunKey } from '../../machines/vocabulary.ts'
import type { Run } from '../builder/run-types.ts'
import type { Clock } from '../clock.ts'
import type { Engine, EngineEvent, RunView } from '../engine/engine.ts'
import { TroupeError } from '../errors.ts'
import { resultOfRun, resultOfStep } from '../store/step-result.ts'
import { mustBe, numeric, only, positive } from './host-values.ts'
import { errorOf, RunCanceled, RunFailed, WaitTimedOut } from './run-errors.ts'

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

/** Null for a step that did not run, and for a run without a result. */
const resultOf = ({ plan, nodes }: Pick<RunView, 'plan' | 'nodes'>): Json =>
  resultOfRun(plan, (name) => {
    const found = nodes.find(({ step }) => step.name === name)
    return found ? resultOfStep(found.step, found.node) : null
  }) ?? null

/** Records that are read together. */
const TOGETHER = 500
const OPEN: ReadonlySet<string> = new Set(['not_started', 'queued', 'running'])

/** Ends with the run. @throws TroupeError not_found; service_unavailable: the engine closes, and the run goes on in the next one */
async function* runEvents(
  engine: Engine,
  key: RunKey,
  after: number,
  signal: AbortSignal | undefined
): AsyncGenerator<EngineEvent, void> {
  let wake = () => {}
  const ring = () => wake()
  const stopped = [engine.closing, ...(signal ? [signal] : [])]
  const unsubscribe = engine.subscribe(ring, key)
  for (const one of stopped) one.addEventListener('abort', ring)
  try {
    for (let seq = after; ; ) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      signal?.throwIfAborted()
      if (engine.closing.aborted)
        throw new TroupeError('service_unavailable', 'the engine is closing: follow the run on from the latest event')
      const record = engine.record(key) // before its events: they are complete when it has ended
      if (!record) throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
      const found = engine.journal(key, seq, TOGETHER)
      for (const event of found) {
        yield event
        seq = event.seq
      }
      if (found.length > 0) continue
      if (!OPEN.has(record.status)) return
      await woken
    }
  } finally {
    unsubscribe()
    for (const one of stopped) one.removeEventListener('abort', ring)
  }
}
