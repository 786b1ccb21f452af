/**
 * Runs that wait for a signal: what each keeps in memory, and how long `engine.waiting()` takes. A process of its own, which prints one
 * line of JSON. `node dist/test/bench/functions/waiting-runs.js [runs]`. Source: embedding 2.9.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createEngine, defineDag } from '../../../src/index.ts'
import { eventually } from '../../support/waiting.ts'

const RUNS = Number(process.argv[2] ?? 10_000)
const AT_ONCE = 200
const MIB = 1024 * 1024

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const heap = () => {
  collect()
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
  await eventually('all runs wait', () => engine.waitingPart({}, 1).waiting.length > 0 && wait(to))
}
const wait = (count: number) => (engine.waiting().length === count ? true : undefined)
await start(0, 100) // until the code is loaded
const before = heap()
const spent = process.cpuUsage()
await start(100, RUNS + 100)
const { user, system } = process.cpuUsage(spent)
const each = (heap() - before) / RUNS
const used = process.cpuUsage()
const from = performance.now()
const found = engine.waiting().length
const listed = process.cpuUsage(used)
console.log(
  JSON.stringify({
    runs: found,
    heapEach: Math.round(each),
    rssMiB: Math.round(rss()),
    startMsEach: (user + system) / 1_000 / RUNS,
    listMs: Math.round(performance.now() - from),
    listCpuMs: Math.round((listed.user + listed.system) / 1_000)
  })
)
await engine.close()
