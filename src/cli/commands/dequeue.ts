/** `troupe dequeue`: takes a run out of its queue. Source: api-semantics 11, execution-semantics 12.13. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Client } from '../../client/index.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { Arguments, CommandModule } from '../input/command.ts'
import { keyOf, requestedRun } from '../input/requested-run.ts'
import { act } from '../owner/answer.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const wanted = wantedOf(args)
  return act(
    args,
    context,
    async (client) => {
      if ('queue' in wanted) return dequeuedNext(client.api, wanted.queue)
      return dequeued(client.api, keyOf(await requestedRun({ operand: wanted.run, text: {} }, context, client)))
    },
    (key, write) => write({ dequeued: key }, () => [`run ${key.dagRunId} of ${key.name} is no longer queued`])
  )
}

async function dequeued(api: Client, key: RunKey): Promise<RunKey> {
  await api.dequeueRun({ path: { ...key } })
  return key
}

/** A run that is started at this moment is no longer queued: then the next one is removed. @throws TroupeError not_found */
async function dequeuedNext(api: Client, queue: string): Promise<RunKey> {
  for (;;) {
    const { queues } = await api.listQueues()
    const found = queues.find(({ name }) => name === queue)
    const [next] = found?.queuedDAGRuns ?? []
    if (!next) {
      const known = queues.map(({ name }) => name)
      throw new TroupeError('not_found', `no run waits in the queue ${queue}${found ? '' : didYouMean(queue, known)}`)
    }
    const path = { name: next.name, dagRunId: next.dagRunId }
    try {
      return await dequeued(api, path)
    } catch (error) {
      if ((await api.getRun({ path })).dagRun.statusLabel === 'queued') throw error
    }
  }
}

/** @throws TroupeError bad_request */
function wantedOf({ operand: queue, text: { 'dag-run': run } }: Arguments): { run: string } | { queue: string } {
  if (run !== undefined && queue)
    throw new TroupeError('bad_request', `dequeue: wanted a queue or --dag-run, found both: ${queue} and ${run}`)
  if (run === undefined) {
    if (queue) return { queue }
    throw new TroupeError('bad_request', 'dequeue: wanted a queue, or --dag-run=RUN for one run, found neither')
  }
  return { run }
}
