/** The transitions of a run as a sequence that can be resumed: from the record, then as they come. Source: docs/embedding/README.md. */
import type { RunKey } from '../../machines/vocabulary.ts'
import type { Engine, EngineEvent } from '../engine/engine.ts'
import { TroupeError } from '../errors.ts'

/** Records that are read together. */
const TOGETHER = 500
const OPEN: ReadonlySet<string> = new Set(['not_started', 'queued', 'running'])

/** Ends with the run. @throws TroupeError not_found; service_unavailable: the engine closes, and the run goes on in the next one */
export async function* runEvents(
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
