/** One round of Troupe, with functions as steps. */
import { z } from 'zod'
import { createEngine, defineFunction } from '../../../src/index.ts'
import { playRounds } from './rounds.ts'

const count = defineFunction({ name: 'count', params: z.object({ i: z.number() }) }, ({ params }) => ({ i: params.i }))
const engine = await createEngine({ temporary: true, functions: [count] })
const spec = (steps: number, isWide: boolean) =>
  ['maxActiveRuns: -1', `type: ${isWide ? 'graph' : 'chain'}`, 'steps:']
    .concat(
      Array.from(
        { length: steps },
        (_, i) => `  - {name: s${i}, executor: {type: function, config: {name: count, params: {i: ${i}}}}}`
      )
    )
    .join('\n')

await playRounds(async (runs, steps, isWide) => {
  const text = spec(steps, isWide)
  const keys = await Promise.all(Array.from({ length: runs }, () => engine.start({ name: 'bench', spec: text })))
  for (const key of keys) {
    const { run } = await engine.result(key)
    if (run.status !== 'succeeded') throw new Error(`a run ${run.status}`)
  }
})
await engine.close()
