/** `troupe queues`: the running runs of each queue, and the waiting ones in their order. Source: api-semantics 6.1; our addition. */
import type { CommandModule } from '../input/command.ts'
import { show } from '../owner/answer.ts'
import { queueLines } from '../view/queue-rows.ts'

export const run: CommandModule['run'] = (args, context) =>
  show(args, context, async ({ api, paint, now, room, write }) => {
    const { queues } = await api.listQueues()
    const lines = () => queues.flatMap((queue) => queueLines(queue, paint, now(), room))
    write({ queues }, lines, 'no queue is configured, and nothing runs or waits')
  })
