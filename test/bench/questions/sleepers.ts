/** What does a run cost in memory while its step runs? 100 runs sleep at the same time; the idle server is subtracted. */
import { setTimeout as pause } from 'node:timers/promises'
import { hasEnded, isRunning } from '../client.ts'
import { type Question, scaled } from '../question.ts'
import { until } from '../waiting.ts'

const RUNS = 100
/** Seconds a step sleeps: long enough for a slow engine to start all runs before the first one wakes. */
const SLEEP = 30
/** Starts asked for at a time; more would measure the burst, not the sleeping. */
const AT_A_TIME = 10
const SETTLE_MS = 1000

export const sleepers: Question = {
  name: 'sleepers',
  definitions: () => ({ sleepers: `maxActiveRuns: -1\nsteps:\n  - name: s1\n    command: sleep ${SLEEP}\n` }),
  async ask({ client, tree }, scale) {
    const count = scaled(RUNS, scale)
    await pause(SETTLE_MS)
    const idle = tree.memory()
    const begun = performance.now()
    for (let asked = 0; asked < count; asked += AT_A_TIME) {
      await Promise.all(Array.from({ length: Math.min(AT_A_TIME, count - asked) }, () => client.start('sleepers')))
    }
    const left = SLEEP * 1000 - (performance.now() - begun) - 2 * SETTLE_MS
    const asleep = await until(`${count} runs that sleep at the same time`, Math.max(0, left), async () => {
      const runs = await client.runs('sleepers')
      const running = runs.filter(isRunning).length
      // A run that an engine has lost sleeps no more: the others are measured, and their number is a separate figure.
      const settled = runs.filter(hasEnded).length + running === count && tree.named('sleep') === running
      return settled && running > 0 ? running : undefined
    })
    await pause(SETTLE_MS)
    const busy = tree.memory()
    if (tree.named('sleep') !== asleep) throw new Error('some steps had ended before the memory was read')
    return [
      { figure: 'PSS per running run', unit: 'MiB', better: 'less', value: (busy.pssMiB - idle.pssMiB) / asleep },
      { figure: 'RSS per running run', unit: 'MiB', better: 'less', value: (busy.rssMiB - idle.rssMiB) / asleep },
      { figure: 'processes per run', unit: '', better: 'less', value: (busy.processes - idle.processes) / asleep },
      { figure: `running of ${count}`, unit: 'runs', better: 'more', value: asleep }
    ]
  }
}
