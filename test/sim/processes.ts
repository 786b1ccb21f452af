/** The processes of a simulated machine: they outlive the engine that has started them, and are found by the next one. */
import type { ExecutionEnd, Executor, Running } from '../../src/executors/executor.ts'
import type { Capture } from '../../src/executors/launcher/capture.ts'
import { ON_ITS_WAY_MS } from '../../src/testing/memory/memory-ahead.ts'
import type { Moments } from '../../src/testing/moments.ts'
import type { SimulatedClock } from '../support/simulated/simulated-clock.ts'

/** How an execution goes, by the place of its records. */
export type Fate = (state: string) => { ms: number; exitCode: number; stubborn: boolean }

export interface Processes {
  /** What one engine may do with them. */
  executorFor(moments: Moments): Executor
  captureFor(moments: Moments): Capture
  /** The machine has gone down: none of them is alive, and how they would have ended is unknown. */
  lose(): void
}

interface Process {
  at: number
  end?: ExecutionEnd
  lost: boolean
  listeners: ((end: ExecutionEnd | undefined) => void)[]
  finish(exitCode: number, signal?: string): void
}

/** How long a stubborn one takes to end after it was asked to. */
const STUBBORN_MS = 3_000

/** @param began called for each start. @param again called for an execution that is started a second time */
export function openProcesses(
  clock: SimulatedClock,
  fate: Fate,
  { began, again }: { began(state: string, step: string): void; again(state: string): void }
): Processes {
  const all = new Map<string, Process>()

  function begin(state: string, step: string): Process {
    const known = all.get(state)
    if (known && !known.lost) again(state)
    began(state, step)
    const { ms, exitCode } = fate(state)
    const process: Process = {
      at: clock.now(),
      lost: false,
      listeners: [],
      finish(exitCode, signal) {
        if (process.end || process.lost) return
        process.end = { exitCode, at: clock.now(), offset: 0, ...(signal ? { signal } : {}) }
        for (const tell of process.listeners.splice(0)) tell(process.end)
      }
    }
    all.set(state, process)
    clock.after(ms, () => process.finish(exitCode))
    return process
  }

  function held(state: string, process: Process, moments: Moments): Running {
    const ended = new Promise<ExecutionEnd>((resolve, reject) => {
      const tell = (end: ExecutionEnd | undefined) => {
        if (!moments.alive) return
        if (end) resolve(end)
        else reject(new Error('interrupted: outcome unknown'))
      }
      if (process.end || process.lost) tell(process.end)
      else process.listeners.push(tell)
    })
    ended.catch(() => {})
    return {
      began: Promise.resolve(process.at),
      ended,
      over: process.end !== undefined,
      isGone: process.lost,
      stop() {
        if (!moments.alive) return
        if (fate(state).stubborn) clock.after(STUBBORN_MS, () => process.finish(-1, 'terminated'))
        else process.finish(-1, 'terminated')
      },
      kill: () => moments.alive && process.finish(-1, 'killed')
    }
  }

  return {
    executorFor: (moments) => ({
      type: 'shell',
      start({ state, step }) {
        if (!moments.passes('before a start')) return silent
        const process = begin(state, step.name)
        moments.passes('after a start')
        return held(state, process, moments)
      },
      find({ state }) {
        const process = all.get(state)
        return process && held(state, process, moments)
      }
    }),
    captureFor:
      (moments) =>
      async ({ argv, cwd }) => {
        const { exitCode } = fate(`${cwd} ${argv.join(' ')} ${clock.now()}`)
        return moments.alive ? { exitCode, cause: '', stdout: '', stderr: '' } : new Promise(() => {})
      },
    lose() {
      for (const process of all.values()) {
        if (process.end && process.end.at < clock.now() - ON_ITS_WAY_MS) continue
        process.lost = true
        process.listeners.splice(0)
      }
    }
  }
}

/** What a dead engine works with. */
const silent: Running = {
  began: new Promise(() => {}),
  ended: new Promise(() => {}),
  stop: () => {},
  kill: () => {}
}
