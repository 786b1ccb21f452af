/** A run from its start to its end, as lines of JSON. */
import type { Engine } from '../../engine/engine.ts'
import type { StartedRun } from '../contract/owner-operations.ts'
import { eventShape, runDetails } from '../shapes/shapes.ts'
import { timeTextOf } from '../shapes/time-text.ts'

/** Events that are read at once. */
const AT_A_TIME = 1_000

/** Has a place in the journal and no queue, so a slow reader costs no memory. @param gone ends it */
export async function* followed(
  engine: Engine,
  started: StartedRun,
  gone: AbortSignal
): AsyncGenerator<string, void, undefined> {
  const { key, queued } = started
  const time = timeTextOf(engine.config)
  yield lineOf(started)
  if (queued) return
  let wake = () => {}
  let [after, isNew] = [started.after, true]
  const ring = () => {
    isNew = true
    wake()
  }
  gone.addEventListener('abort', ring, { once: true })
  const unsubscribe = engine.subscribe(ring, key)
  let end: string | undefined
  const failed = engine.result(key).then((run) => {
    end = lineOf({ ended: runDetails(run, time) })
    ring()
  })
  failed.catch(ring)
  try {
    for (;;) {
      isNew = false
      const records = engine.journal(key, after, AT_A_TIME)
      after = records.at(-1)?.seq ?? after
      if (records.length > 0) yield records.map((record) => lineOf({ event: eventShape(record, time) })).join('')
      if (gone.aborted) return
      if (records.length > 0 || isNew) continue
      if (end !== undefined) break
      await Promise.race([failed, new Promise<void>((resolve) => (wake = resolve))])
    }
    yield end
  } finally {
    unsubscribe()
    gone.removeEventListener('abort', ring)
  }
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`
