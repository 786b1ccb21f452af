/** Executions for the tests of executors that work inside the engine's process: run to their end, with what they wrote. */
import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import type { Execution, ExecutionEnd, Executor, Running } from '../../../src/executors/executor.ts'
import { type InProcess, inProcess } from '../../../src/executors/frame/in-process.ts'
import { step } from '../charts/plans.ts'
import { textOf } from '../engine/live.ts'
import { temporaryFolder } from '../homes.ts'

export interface Outcome extends ExecutionEnd {
  out: string
  err: string
}

export interface Bench {
  /** Working directory of its executions. */
  folder: string
  execution(given: Partial<Execution>): Execution
  start(given: Partial<Execution>): { execution: Execution; running: Running; outcome: Promise<Outcome> }
  run(given: Partial<Execution>): Promise<Outcome>
}

/** @param perform called for each execution */
export const benchFor = (perform: InProcess['perform']): Bench =>
  benchOf(() => inProcess({ type: 'test', reads: 'words', perform }, systemClock))

/** @param make called for each execution */
export function benchOf(make: () => Executor): Bench {
  const folder = temporaryFolder()
  const traces = temporaryFolder()
  let count = 0
  const bench: Bench = {
    folder,
    execution(given) {
      const base = join(traces, `step-${++count}`)
      return {
        step: step('step'),
        args: [],
        shells: { fallback: 'sh' },
        workingDir: folder,
        env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
        stdout: `${base}.out`,
        stderr: `${base}.err`,
        state: `${base}.1`,
        ...given
      }
    },
    start(given) {
      const execution = bench.execution(given)
      const running = make().start(execution)
      const outcome = running.ended.then((end) => ({
        ...end,
        out: textOf(execution.stdout),
        err: textOf(execution.stderr)
      }))
      return { execution, running, outcome }
    },
    run: (given) => bench.start(given).outcome
  }
  return bench
}
