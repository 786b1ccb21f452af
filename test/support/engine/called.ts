/** Steps that call workflows, and the sub DAG runs that come of it, on a real engine. */
import { temporaryFolder } from '../homes.ts'
import { type Ended, liveEngine, seen } from './live.ts'

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
  return { dags, live, subOf }
}
