/** One run of 500 equal steps, beside the machine's own limit: a plain `sh` that starts as many programs in a loop. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { hasEnded, hasSucceeded } from './client.ts'
import { type Question, scaled } from './question.ts'
import { until } from './waiting.ts'

const STEPS = 500
const LIMIT_MS = 300_000

/** A question about a run of `STEPS` times `command`, joined as `type` says. */
export const manySteps = (name: string, type: 'chain' | 'graph', command: string): Question => ({
  name,
  definitions: (scale) => ({ [name]: definition(type, command, scaled(STEPS, scale)) }),
  async ask({ client }, scale) {
    const steps = scaled(STEPS, scale)
    const loopPerSecond = await shellLoop(steps)
    const begun = performance.now()
    await client.start(name)
    // The listing, not the details: a summary costs a server the same however many steps there are.
    const run = await until(`the run of ${name}`, LIMIT_MS, async () => (await client.runs(name)).find(hasEnded))
    const perSecond = steps / ((performance.now() - begun) / 1000)
    if (!hasSucceeded(run)) throw new Error(`the run ended ${run.statusLabel}`)
    return [
      { figure: 'throughput', unit: 'steps/s', better: 'more', value: perSecond },
      { figure: 'plain sh loop of /bin/true', unit: 'starts/s', better: 'more', value: loopPerSecond },
      { figure: 'x_of_sh_loop', unit: 'x its time', better: 'less', value: loopPerSecond / perSecond }
    ]
  }
})

const definition = (type: string, command: string, steps: number) => `type: ${type}
maxActiveRuns: -1
steps:
${Array.from({ length: steps }, (_, i) => `  - name: s${i + 1}\n    command: "${command}"\n`).join('')}`

/** Programs that `sh` starts and waits for in a loop, per second. */
async function shellLoop(count: number): Promise<number> {
  const begun = performance.now()
  await promisify(execFile)('sh', ['-c', `i=0; while [ $i -lt ${count} ]; do /bin/true; i=$((i + 1)); done`])
  return count / ((performance.now() - begun) / 1000)
}
