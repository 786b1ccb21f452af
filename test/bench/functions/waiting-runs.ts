/**
 * Runs that wait for a signal: what each keeps in memory, and how long `engine.waiting()` takes. A process of its own, which prints one
 * line of JSON. `node dist/test/bench/functions/waiting-runs.js [runs]`. Source: embedding 2.9.
 */
import { Session } from 'node:inspector/promises'
import { createEngine, defineDag } from '../../../src/index.ts'
import { eventually } from '../../support/waiting.ts'

const RUNS = Number(process.argv[2] ?? 10_000)
const AT_ONCE = 200
const MIB = 1024 * 1024

const session = new Session()
session.connect()
/** Bytes in use, once V8 has collected all that is garbage and given it back. */
async function heap(): Promise<number> {
  await session.post('HeapProfiler.collectGarbage')
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  return process.memoryUsage().heapUsed
}
const rss = () => process.memoryUsage.rss() / MIB

const order = defineDag({ name: 'order', maxActiveRuns: -1 }, (d) => {
  const asked = d.approval('asked', { ask: 'May it go?' })
  return d.step('book', { depends: [asked] }, ({ results }) => results.asked.payload.approved)
})
const engine = await createEngine({ temporary: true, dags: [order] })
const start = async (from: number, to: number) => {
  for (let n = from; n < to; n += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, to - n) }, (_, i) => engine.start(order, {}, { dagRunId: `r${n + i}` }))
    )
  await eventually('all runs wait', () => (engine.waiting().length === to ? true : undefined), 60_000)
}
await start(0, 100) // until the code is loaded
const before = await heap()
await start(100, RUNS + 100)
const rssMiB = Math.round(rss())
const heapEach = Math.round(((await heap()) - before) / RUNS)
const collectedRssMiB = Math.round(rss())
const used = process.cpuUsage()
const runs = engine.waiting().length
const { user, system } = process.cpuUsage(used)
const listCpuMs = Math.round((user + system) / 1_000)
console.log(JSON.stringify({ runs, heapEach, rssMiB, collectedRssMiB, listCpuMs }))
await engine.close({ runs: 'leave' })
session.disconnect()
