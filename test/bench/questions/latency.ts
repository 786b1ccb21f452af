/** How long does one run of one step take, from the request to its end as a client sees it, with nothing else going on? */
import { hasEnded, hasSucceeded } from '../client.ts'
import { percentile } from '../figures.ts'
import { type Question, scaled } from '../question.ts'
import { until } from '../waiting.ts'

const RUNS = 200
const LIMIT_MS = 30_000

export const latency: Question = {
  name: 'latency',
  definitions: () => ({ latency: 'maxActiveRuns: -1\nsteps:\n  - name: s1\n    command: "true"\n' }),
  steps: (scale) => scaled(RUNS, scale),
  async ask({ client }, scale) {
    const times: number[] = []
    for (let n = 0; n < scaled(RUNS, scale); n++) {
      const begun = performance.now()
      const id = await client.start('latency')
      const run = await until(`run ${n + 1}`, LIMIT_MS, async () => {
        const run = await client.run('latency', id)
        return run && hasEnded(run) ? run : undefined
      })
      times.push(performance.now() - begun)
      if (!hasSucceeded(run)) throw new Error(`run ${n + 1} ended ${run.statusLabel}`)
    }
    return [
      { figure: 'start to end, p50', unit: 'ms', better: 'less', value: percentile(times, 50) },
      { figure: 'start to end, p99', unit: 'ms', better: 'less', value: percentile(times, 99) }
    ]
  }
}
