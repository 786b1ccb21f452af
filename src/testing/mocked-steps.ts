/**
 * The executions of mocked steps. They outlive an engine that crashes as real ones do: local commands and containers go on and are
 * found by the next engine, what works inside the engine is cut off with it.
 */
import { appendFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Json, RunKey } from '../../machines/vocabulary.ts'
import { LOG_FOLDERS } from '../actors/run/log-folder.ts'
import type { Execution, ExecutionEnd, Executor, Running, Traces } from '../executors/executor.ts'
import { recorded } from '../executors/frame/in-process.ts'
import type { End, MockCall } from './ends.ts'
import type { Mocks } from './mocks.ts'
import type { Moments } from './moments.ts'
import type { Timeline } from './timeline.ts'

/** What one engine may do with the executions. */
export interface Life {
  moments: Pick<Moments, 'alive' | 'clock'>
  /** Resolves when what the engine has changed is stored. */
  settled(): Promise<void>
  paramsOf(run: RunKey): Json
}

interface Mocked {
  at: number
  /** Inside the engine: it ends with it. */
  isInside: boolean
  isLost: boolean
  /** A rejection: what passed through was not able to begin. */
  end?: ExecutionEnd | Promise<never>
  listeners: ((end: ExecutionEnd | Promise<never>) => void)[]
  /** The real execution. */
  real?: Pick<Running, 'stop' | 'kill'>
  finish(end: Omit<ExecutionEnd, 'at' | 'offset'> | Promise<never>): void
}

// D1124: mocked local commands and containers outlive a crash; other mocked steps are interrupted
/** Executions of these types are processes beside the engine. */
const OUTSIDE: ReadonlySet<string> = new Set(['shell', 'docker'])

/** @param realFor executes a step that passes through */
export function openMockedSteps(
  { clock, tell, track }: Timeline,
  mocks: Mocks,
  realFor: (type: string) => Promise<Executor>
) {
  /** By log folder of their run, and by path of their record. */
  const all = new Map<string, Map<string, Mocked>>()

  function begin(life: Life, type: string, execution: Execution): Mocked {
    const { step, state, stdout, stderr } = execution
    const folder = dirname(state)
    const offset = sizeOf(stdout)
    const mocked: Mocked = {
      at: clock.now(),
      isInside: !OUTSIDE.has(type),
      isLost: false,
      listeners: [],
      finish(end) {
        if (mocked.end || mocked.isLost) return
        mocked.end = end instanceof Promise ? end : { ...end, at: clock.now(), offset }
        for (const listen of mocked.listeners.splice(0)) listen(mocked.end)
      }
    }
    const ofRun = all.get(folder) ?? new Map()
    all.set(folder, ofRun.set(state, mocked))
    const isRead = step.output !== undefined || step.continueOn.outputs.length > 0
    // D1346: a mocked step has log files only where it has printed something, or where its output is read
    const write = (path: string, text: string) => {
      LOG_FOLDERS.make(folder)
      appendFileSync(path, text, OWN)
    }
    const over = (end: End) => {
      if (mocked.end || mocked.isLost) return
      if (end.stdout || isRead) write(stdout, end.stdout)
      if (end.stderr) write(stderr, end.stderr)
      const outputFrom = end.output === undefined ? undefined : sizeOf(stdout)
      if (end.output !== undefined) write(stdout, end.output)
      mocked.finish({ exitCode: end.exitCode, ...(outputFrom === undefined ? {} : { outputFrom }) })
    }
    void perform(life, type, execution).then((end) => {
      if (end === 'through') return passOn(mocked, type, execution)
      const arrive = () => tell(state, () => over(end))
      if (end.afterMs > 0) clock.after(end.afterMs, arrive)
      else arrive()
    })
    return mocked
  }

  async function perform(life: Life, type: string, execution: Execution): Promise<End | 'through'> {
    const call = await track(callOf(life, execution))
    const key = call.step ?? ''
    return mocks.endFor(
      {
        what: `step ${key}`,
        keys: [key, `type:${type}`],
        advice: `mock('${key}', ...) or passThrough('${key}')`
      },
      call,
      'through' as const
    )
  }

  async function callOf(
    life: Life,
    { step, env, state, command, words, script, config }: Execution
  ): Promise<MockCall> {
    await life.settled()
    const { DAG_NAME: name = '', DAG_RUN_ID: dagRunId = '' } = env
    const run = { name, dagRunId }
    const line = command ?? (words?.length ? words.join(' ') : undefined)
    return {
      run,
      step: `${name}/${step.name}`,
      params: life.paramsOf(run),
      attempt: Number(basename(state).split('.').at(-1)),
      at: clock.now(),
      ...(line === undefined ? {} : { command: line }),
      ...(script === undefined ? {} : { script }),
      ...(config === undefined ? {} : { config })
    }
  }

  function held({ moments }: Life, mocked: Mocked): Running {
    const ended = new Promise<ExecutionEnd>((resolve) => {
      const tell = (end: ExecutionEnd | Promise<never>) => moments.alive && resolve(end)
      if (mocked.end) tell(mocked.end)
      else mocked.listeners.push(tell)
    })
    return {
      began: Promise.resolve(mocked.at),
      ended,
      over: mocked.end !== undefined,
      stop(signal) {
        if (!moments.alive) return
        if (mocked.real) mocked.real.stop(signal)
        else mocked.finish({ exitCode: -1, signal: 'terminated' })
      },
      kill() {
        if (!moments.alive) return
        if (mocked.real) mocked.real.kill()
        else mocked.finish({ exitCode: -1, signal: 'killed' })
      }
    }
  }

  /** The real executor works in real time, while the clock of the engine stands still. */
  function passOn(mocked: Mocked, type: string, execution: Execution): void {
    LOG_FOLDERS.make(dirname(execution.state))
    const starting = realFor(type).then((executor) => executor.start(execution))
    const ask = (what: (running: Running) => void) => void starting.then(what, () => {})
    mocked.real = {
      stop: (signal) => ask((running) => running.stop(signal)),
      kill: () => ask((running) => running.kill())
    }
    const over = (end: ExecutionEnd | Promise<never>) => tell(execution.state, () => mocked.finish(end))
    void track(starting.then(({ ended }) => ended)).then(over, (error) => {
      const failed = Promise.reject<never>(error)
      failed.catch(() => {}) // a dead engine does not ask for it
      over(failed)
    })
  }

  return {
    /** @param real what the mock stands for; what passes through is executed by it */
    executorFor: (
      life: Life,
      { type, reads, handsOnScripts, needs }: Pick<Executor, 'type' | 'reads' | 'handsOnScripts' | 'needs'>
    ): Executor => ({
      type,
      ...(reads ? { reads } : {}),
      ...(handsOnScripts ? { handsOnScripts } : {}),
      ...(needs ? { needs } : {}),
      start(execution) {
        if (!life.moments.alive) return silent
        return held(life, begin(life, type, execution))
      },
      find({ state }: Traces) {
        const mocked = all.get(dirname(state))?.get(state)
        if (!mocked) return undefined
        return mocked.isLost ? recorded({ offset: 0 }, clock.now()) : held(life, mocked)
      }
    }),
    /** Nobody asks for those of a run again. @param logFolder of its steps */
    forget: (logFolder: string): void => void all.delete(logFolder),
    /** The engine is gone, and what worked inside it. */
    lost() {
      for (const ofRun of all.values())
        for (const mocked of ofRun.values()) if (mocked.isInside && !mocked.end) mocked.isLost = true
    }
  }
}

const OWN = { mode: 0o600 }
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** What a dead engine works with. */
const silent: Running = {
  began: new Promise(() => {}),
  ended: new Promise(() => {}),
  stop: () => {},
  kill: () => {}
}
