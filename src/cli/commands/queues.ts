/** `troupe queues`: the running runs of each queue, and the waiting ones in their order. Source: api-semantics 6.1; our addition. */
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { openToRead } from '../owner/open-client.ts'
import { paintFor } from '../view/paint.ts'
import { queueLines } from '../view/queue-rows.ts'
import { roomIn } from '../view/table.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock } = context
  const settings = settingsOf(args)
  const { environment } = context.configure(settings)
  const client = await openToRead(context, settings)
  try {
    const { queues } = await client.api.listQueues()
    if (args.on.has('quiet')) return 0
    if (args.on.has('json')) {
      out.write(`${JSON.stringify({ queues })}\n`)
      return 0
    }
    const paint = paintFor(out.isTTY, environment)
    const lines = queues.flatMap((queue) => queueLines(queue, paint, clock.now(), roomIn(out)))
    out.write(`${lines.join('\n') || 'no queue is configured, and nothing runs or waits'}\n`)
    return 0
  } finally {
    await client.close()
  }
}
