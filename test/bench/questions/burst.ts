/** How fast are 200 runs done that are all asked for at once, and do all of them succeed? */
import { hasEnded, hasSucceeded } from '../client.ts'
import { type Question, scaled } from '../question.ts'
import { until } from '../waiting.ts'

const RUNS = 200
const LIMIT_MS = 180_000

export const burst: Question = {
  name: 'burst',
  definitions: () => ({ burst: 'maxActiveRuns: -1\nsteps:\n  - name: s1\n    command: "true"\n' }),
  steps: (scale) => scaled(RUNS, scale),
  async ask({ client }, scale) {
    const count = scaled(RUNS, scale)
    const begun = performance.now()
    const answers = await Promise.allSettled(Array.from({ length: count }, () => client.start('burst')))
    const accepted = answers.filter(({ status }) => status === 'fulfilled').length
    const ended = await until(`${accepted} accepted runs`, LIMIT_MS, async () => {
      const runs = (await client.runs('burst')).filter(hasEnded)
      return runs.length >= accepted ? runs : undefined
    })
    const seconds = (performance.now() - begun) / 1000
    return [
      { figure: 'throughput', unit: 'runs/s', better: 'more', value: ended.length / seconds },
      { figure: `accepted of ${count}`, unit: 'runs', better: 'more', value: accepted },
      { figure: `succeeded of ${count}`, unit: 'runs', better: 'more', value: ended.filter(hasSucceeded).length }
    ]
  }
}
