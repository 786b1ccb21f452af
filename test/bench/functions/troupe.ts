/** One round of Troupe: a chain of 200 function steps, then 50 runs of 10 at once. Prints one line of JSON. */
import { z } from 'zod'
import { createEngine, defineFunction } from '../../../src/index.ts'

const count = defineFunction({ name: 'count', params: z.object({ i: z.number() }) }, ({ params }) => ({ i: params.i }))
const engine = await createEngine({ temporary: true, functions: [count] })
const spec = (steps: number) =>
  ['maxActiveRuns: -1', 'steps:']
    .concat(
      Array.from(
        { length: steps },
        (_, i) => `  - {name: s${i}, executor: {type: function, config: {name: count, params: {i: ${i}}}}}`
      )
    )
    .join('\n')

async function measured(runs: number, steps: number) {
  const text = spec(steps)
  const [begun, used] = [performance.now(), process.cpuUsage()]
  const keys = await Promise.all(Array.from({ length: runs }, () => engine.start({ name: 'bench', spec: text })))
  for (const key of keys) {
    const { run } = await engine.result(key)
    if (run.status !== 'succeeded') throw new Error(`a run ${run.status}`)
  }
  const { user, system } = process.cpuUsage(used)
  const all = runs * steps
  return { perSecond: (all / (performance.now() - begun)) * 1_000, cpuMs: (user + system) / 1_000 / all }
}

await measured(1, 50)
console.log(JSON.stringify({ chain: await measured(1, 200), wide: await measured(50, 10) }))
await engine.close()
