/** A run of a definition in code, by its key: nothing of it is kept here. Source: docs/embedding/README.md. */
import type { RunKey } from '../../machines/vocabulary.ts'
import type { Run } from '../builder/run-types.ts'
import type { Clock } from '../clock.ts'
import type { Engine, EngineEvent, RunView } from '../engine/engine.ts'
import { resultOf } from '../engine/views/run-result.ts'
import { TroupeError } from '../errors.ts'
import { mustBe } from './host-values.ts'
import { WaitTimedOut } from './run-errors.ts'
import { following, outcome, waiting, within } from './run-outcome.ts'

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
  const { run, nodes, handlers } = view
  return outcome({
    run,
    status: run.status,
    error: run.error,
    isUnmet: run.conditions?.some(({ matched }) => !matched) ?? false,
    stoppedBy: run.stoppedBy,
    failures: [...nodes, ...Object.values(handlers)].flatMap(({ step: { name }, node }) =>
      node.status === 'failed' ? [{ ...node, step: name }] : []
    ),
    result: () => resultOf(view) ?? null
  })
}

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
