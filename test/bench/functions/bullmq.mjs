/** The same of BullMQ: jobs of a flow, each the parent of the one before. @param argv its package folder, and the address of Redis */
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { FlowProducer, Queue, QueueEvents, Worker } = createRequire(join(process.argv[2], 'package.json'))('bullmq')
const { hostname: host, port } = new URL(process.argv[3])
const connection = { host, port: Number(port), maxRetriesPerRequest: null }
const name = `bench-${process.pid}`
const flows = new FlowProducer({ connection })
const events = new QueueEvents(name, { connection })
await events.waitUntilReady()
const worker = new Worker(name, async ({ data }) => ({ i: data.i }), { connection, concurrency: 50 })
await worker.waitUntilReady()

async function measured(runs, steps) {
  const [begun, used] = [performance.now(), process.cpuUsage()]
  const flow = () => {
    let job
    for (let i = 0; i < steps; i++)
      job = { name: `s${i}`, queueName: name, data: { i }, ...(job ? { children: [job] } : {}) }
    return flows.add(job)
  }
  const roots = await Promise.all(Array.from({ length: runs }, flow))
  await Promise.all(roots.map(({ job }) => job.waitUntilFinished(events)))
  const { user, system } = process.cpuUsage(used)
  const all = runs * steps
  return { perSecond: (all / (performance.now() - begun)) * 1_000, cpuMs: (user + system) / 1_000 / all }
}

await measured(1, 50)
console.log(JSON.stringify({ chain: await measured(1, 200), wide: await measured(50, 10) }))
await new Queue(name, { connection }).obliterate({ force: true })
process.exit()
