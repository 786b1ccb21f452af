/** `troupe queues`: the running runs of each queue, and the waiting ones in their order. Source: api-semantics 6.1; our addition. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { QueueView } from '../../engine/engine.ts'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { openToRead } from '../owner/open-client.ts'
import { paintFor } from '../view/paint.ts'
import { queueLines } from '../view/queue-rows.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock } = context
  const settings = settingsOf(args)
  const { environment, tz } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    const queues = await client.queues()
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
    await client.close()
  }
}

/** As in `GET /queues`. */
const jsonOf = ({ name, maxConcurrency, running, queued }: QueueView, summary: (run: RunRecord) => object) => ({
  name,
  type: maxConcurrency === undefined ? 'dag-based' : 'custom',
  ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
  summary: { running: running.length, queued: queued.length, total: running.length + queued.length },
  runningDAGRuns: running.map(summary),
  queuedDAGRuns: queued.map(summary)
})
