/** One run of 500 steps with one command, beside the machine's own limit: a plain `sh` that starts as many programs in a loop. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { hasEnded, hasSucceeded } from './client.ts'
import { type Question, scaled } from './question.ts'
import { until } from './waiting.ts'

const STEPS = 500
const LIMIT_MS = 300_000

/** How steps are joined: one after another, not at all, or in layers, where each waits for all of the layer before its own. */
export type Shape = 'chain' | 'wide' | 'layers'
const A_LAYER = 25

/** A question about a run of `STEPS` times `command`, joined as `shape` says. */
export const manySteps = (name: string, shape: Shape, command: string): Question => ({
  name,
  definitions: (scale) => ({ [name]: definitionOf(shape, command, scaled(STEPS, scale)) }),
  steps: (scale) => scaled(STEPS, scale),
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

export function definitionOf(shape: Shape, command: string, steps: number): string {
  const text = Array.from({ length: steps }, (_, index) => {
    const above = shape === 'layers' ? index - (index % A_LAYER) - A_LAYER : -1
    const depends = above < 0 ? [] : Array.from({ length: A_LAYER }, (_, column) => `s${above + column + 1}`)
    return `  - name: s${index + 1}\n    command: "${command}"\n${depends.length > 0 ? `    depends: [${depends}]\n` : ''}`
  })
  return `type: ${shape === 'chain' ? 'chain' : 'graph'}\nmaxActiveRuns: -1\nsteps:\n${text.join('')}`
}

/** Programs that `sh` starts and waits for in a loop, per second. */
async function shellLoop(count: number): Promise<number> {
  const begun = performance.now()
  await promisify(execFile)('sh', ['-c', `i=0; while [ $i -lt ${count} ]; do /bin/true; i=$((i + 1)); done`])
  return count / ((performance.now() - begun) / 1000)
}
