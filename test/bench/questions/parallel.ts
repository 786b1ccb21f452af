/** How fast does one step call a sub workflow of one step for each of 200 items? */
import { hasEnded, hasSucceeded } from '../client.ts'
import { type Question, scaled } from '../question.ts'
import { until } from '../waiting.ts'

const ITEMS = 200
const LIMIT_MS = 180_000

export const parallel: Question = {
  name: 'parallel',
  definitions: (scale) => ({ parallel: definition(scaled(ITEMS, scale)) }),
  steps: (scale) => scaled(ITEMS, scale),
  async ask({ client }, scale) {
    const items = scaled(ITEMS, scale)
    const begun = performance.now()
    await client.start('parallel')
    const run = await until('the run of parallel', LIMIT_MS, async () => (await client.runs('parallel')).find(hasEnded))
    const seconds = (performance.now() - begun) / 1000
    if (!hasSucceeded(run)) throw new Error(`the run ended ${run.statusLabel}`)
    return [{ figure: 'throughput', unit: 'items/s', better: 'more', value: items / seconds }]
  }
}

const definition = (items: number) => `steps:
  - name: call
    call: one
    params: "I=\${ITEM}"
    parallel:
      maxConcurrent: 10
      items: [${Array.from({ length: items }, (_, index) => `i${index}`).join(', ')}]
---
name: one
params: I=none
steps:
  - name: s1
    command: "true"
`
