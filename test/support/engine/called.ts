/** Steps that call workflows, and the sub DAG runs that come of it, on a real engine. */
import { temporaryFolder } from '../homes.ts'
import { type Ended, liveEngine, seen } from './live.ts'

/** A workflow to be called, as one more document of a file. */
export const KID = `
---
name: kid
params: X=1 Y=2
steps:
  - command: echo "$X and $Y"
    output: OUT
`

/** For the tests of a `describe`. */
export function calledBench() {
  const dags = temporaryFolder()
  const live = liveEngine({ dagsDir: dags })
  /** The only sub DAG run of a step. */
  const subOf = (run: Ended, step: string): Ended => {
    const item = run.nodes.find((node) => node.step.name === step)?.calls?.subRuns[0]
    const view = item && live.engine.subRun(run.run, item.dagRunId)
    if (!view) throw new Error(`step ${step} has no sub DAG run`)
    return seen(view)
  }
  /** What a step says of its sub DAG run. */
  const json = (run: Ended, step: string) => JSON.parse(run.out(step))
  return { dags, live, subOf, json }
}
