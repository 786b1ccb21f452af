/** `troupe queues`: what runs in which queue, and what waits there in which order. Source: api-semantics 6.1; our addition. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { QueueView } from '../../engine/engine.ts'
import type { CommandRoom } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { openToRead } from '../owner/open-door.ts'
import { paintFor } from '../view/paint.ts'
import { queueLines } from '../view/queue-rows.ts'

export const run: CommandRoom['run'] = async (args, surroundings) => {
  const { out, clock } = surroundings
  const settings = settingsOf(args)
  const { environment, tz } = surroundings.configure(settings)
  const door = await openToRead(surroundings, settings)
  try {
    const queues = await door.queues()
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      const { summaryOf } = await import('../foreground/details.ts')
      out.write(`${JSON.stringify({ queues: queues.map((queue) => jsonOf(queue, (run) => summaryOf(run, tz))) })}\n`)
      return 0
    }
    const paint = paintFor(out.isTTY, environment)
    const lines = queues.flatMap((queue) => queueLines(queue, paint, clock.now()))
    out.write(`${lines.join('\n') || 'no queue is configured, and nothing runs or waits'}\n`)
    return 0
  } finally {
    await door.close()
  }
}

/** As `GET /queues` has it. */
const jsonOf = ({ name, maxConcurrency, running, queued }: QueueView, summary: (run: RunRecord) => object) => ({
  name,
  type: maxConcurrency === undefined ? 'dag-based' : 'custom',
  ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
  summary: { running: running.length, queued: queued.length, total: running.length + queued.length },
  runningDAGRuns: running.map(summary),
  queuedDAGRuns: queued.map(summary)
})
