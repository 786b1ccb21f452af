/** The steps of a simulated machine: they outlive the worker that has started them, and are found by the next one. */
import type { ExecutionEnd, Executor, Running } from '../../../src/executors/executor.ts'
import type { Capture } from '../../../src/executors/launcher/capture.ts'
import { TOO_LATE } from '../../../src/executors/launcher/job.ts'
import type { SimulatedClock } from '../../support/simulated/simulated-clock.ts'
import { commonPath } from './disks.ts'

/** How an execution goes, by the place of its records. */
export type Fate = (state: string) => { ms: number; exitCode: number; stubborn: boolean }

/** The worker or engine that looks at them. */
export interface Onlooker {
  readonly alive: boolean
  passes(moment: 'before a start' | 'after a start'): boolean
  /** Tells it something, when it can hear. */
  tell(news: () => void): void
  now(): number
  /** Whether its fence forbids to begin what has these records. */
  isTooLate?(state: string): boolean
}

export interface Process {
  /** `<folder of logs>/<step>.<execution>`, by which it is known. */
  state: string
  step: string
  machine: string
  beganAt: number
  /** By the clock of the world. */
  end?: ExecutionEnd & { by: 'itself' | 'stop' | 'kill' | 'fence' }
  /** It went with its machine: nobody knows how it ended. */
  isLost: boolean
}

export interface Processes {
  all(): Iterable<Process>
  executorFor(onlooker: Onlooker): Executor
  captureFor(onlooker: Onlooker): Capture
  /** The fence ends it. */
  fence(process: Process): void
  /** The machine goes down. @param isErased and its disk is gone */
  lose(isErased: boolean): void
}

/** How long a stubborn one takes to end after it was asked to. */
const STUBBORN_MS = 3_000

interface Held extends Process {
  listeners: (() => void)[]
  finish(exitCode: number, by: NonNullable<Process['end']>['by'], signal?: string): void
}

export const isAlive = ({ end, isLost }: Process): boolean => !end && !isLost

/** @param began called before each begin; `before`: one with the same records */
export function openProcesses(
  machine: string,
  clock: SimulatedClock,
  fate: Fate,
  began: (process: Process, before: Process | undefined) => void
): Processes {
  const byState = new Map<string, Held>()
  /** Also those whose records are gone. */
  const all: Held[] = []

  function begin(state: string, step: string): Held {
    const { ms, exitCode } = fate(state)
    const one: Held = {
      state,
      step,
      machine,
      beganAt: clock.now(),
      isLost: false,
      listeners: [],
      finish(exitCode, by, signal) {
        if (!isAlive(one)) return
        one.end = { exitCode, at: clock.now(), offset: 0, by, ...(signal ? { signal } : {}) }
        for (const tell of one.listeners.splice(0)) tell()
      }
    }
    began(one, byState.get(state))
    byState.set(state, one)
    all.push(one)
    clock.after(ms, () => one.finish(exitCode, 'itself'))
    return one
  }

  function held(one: Held, onlooker: Onlooker): Running {
    const ended = new Promise<ExecutionEnd>((resolve, reject) => {
      const tell = () =>
        onlooker.tell(() => {
          if (!one.end) return reject(new Error('interrupted: outcome unknown'))
          const { by: _, ...end } = one.end
          // Its machine has a clock of its own.
          resolve({ ...end, at: end.at - clock.now() + onlooker.now() })
        })
      if (isAlive(one)) one.listeners.push(tell)
      else tell()
    })
    ended.catch(() => {})
    return {
      began: Promise.resolve(one.beganAt - clock.now() + onlooker.now()),
      ended,
      over: one.end !== undefined,
      isGone: one.isLost,
      stop() {
        if (!onlooker.alive) return
        if (fate(one.state).stubborn) clock.after(STUBBORN_MS, () => one.finish(-1, 'stop', 'terminated'))
        else one.finish(-1, 'stop', 'terminated')
      },
      kill: () => onlooker.alive && one.finish(-1, 'kill', 'killed')
    }
  }

  return {
    all: () => all,
    executorFor: (onlooker) => ({
      type: 'shell',
      start({ state, step }) {
        if (!onlooker.passes('before a start')) return silent
        if (onlooker.isTooLate?.(state)) return notBegun(onlooker.now())
        const one = begin(commonPath(state), step.name)
        onlooker.passes('after a start')
        return held(one, onlooker)
      },
      find({ state }) {
        const one = byState.get(commonPath(state))
        return one && held(one, onlooker)
      }
    }),
    captureFor:
      (onlooker) =>
      async ({ argv, cwd }) => {
        const { exitCode } = fate(`${commonPath(cwd)} ${argv.join(' ')}`)
        return onlooker.alive ? { exitCode, cause: '', stdout: '', stderr: '' } : new Promise(() => {})
      },
    fence: (one) => (one as Held).finish(-1, 'fence', 'killed'), // each is of this map
    lose(isErased) {
      for (const one of all) {
        if (!one.end) {
          one.isLost = true
          one.listeners.splice(0)
        }
      }
      if (isErased) byState.clear()
    }
  }
}

/** As its holder says it. */
const notBegun = (at: number): Running => ({
  began: Promise.resolve(at),
  ended: Promise.resolve({ exitCode: TOO_LATE, at, offset: 0 }),
  stop: () => {},
  kill: () => {}
})

/** What a dead worker works with. */
const silent: Running = {
  began: new Promise(() => {}),
  ended: new Promise(() => {}),
  stop: () => {},
  kill: () => {}
}
