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
  execution(input: Partial<Execution>): Execution
  start(input: Partial<Execution>): { execution: Execution; running: Running; outcome: Promise<Outcome> }
  run(input: Partial<Execution>): Promise<Outcome>
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
    execution(input) {
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
        ...input
      }
    },
    start(input) {
      const execution = bench.execution(input)
      const running = make().start(execution)
      const outcome = running.ended.then((end) => ({
        ...end,
        out: textOf(execution.stdout),
        err: textOf(execution.stderr)
      }))
      return { execution, running, outcome }
    },
    run: (input) => bench.start(input).outcome
  }
  return bench
}
