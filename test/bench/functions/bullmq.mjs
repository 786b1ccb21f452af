/** The same of BullMQ: jobs of a flow, each the parent of the one before, or one of them of all others. @param argv its package folder, and the address of Redis */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { playRounds } from '../../../dist/test/bench/functions/rounds.js'

const { FlowProducer, Queue, QueueEvents, Worker } = createRequire(join(process.argv[2], 'package.json'))('bullmq')
const { hostname: host, port } = new URL(process.argv[3])
const connection = { host, port: Number(port), maxRetriesPerRequest: null }
const name = `bench-${process.pid}`
const flows = new FlowProducer({ connection })
const events = new QueueEvents(name, { connection })
await events.waitUntilReady()
const worker = new Worker(name, async ({ data }) => ({ i: data.i }), { connection, concurrency: 50 })
await worker.waitUntilReady()

const jobOf = (i, children) => ({ name: `s${i}`, queueName: name, data: { i }, children })
function flowOf(steps, isWide) {
  if (isWide)
    return jobOf(
      0,
      Array.from({ length: steps - 1 }, (_, i) => jobOf(i + 1))
    )
  let job
  for (let i = 0; i < steps; i++) job = jobOf(i, job && [job])
  return job
}

await playRounds(async (runs, steps, isWide) => {
  const roots = await Promise.all(Array.from({ length: runs }, () => flows.add(flowOf(steps, isWide))))
  await Promise.all(roots.map(({ job }) => job.waitUntilFinished(events)))
})
await new Queue(name, { connection }).obliterate({ force: true })
process.exit()
