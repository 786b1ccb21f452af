/** Runs a target as an execution: handles stops before and after it is reached, gives up after a kill, records its end. */
import { statSync } from 'node:fs'
import { type Clock, pause } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import type { ExecutionEnd, Running } from '../executor.ts'
import { ExecutionError } from '../frame/in-process.ts'
import { type StepOutput, write } from '../frame/step-output.ts'
import { signalNumber, signalText } from '../processes/process-group.ts'
import { recordEnd } from '../processes/state-file.ts'
import { reasonOf } from './connection.ts'
import { isUnreachable, within } from './patience.ts'
import { KILLED, type Target } from './target.ts'

export interface Held {
  /** Prefix of the path of its record. */
  base: string
  output: StepOutput
  offset: number
  /** Path of the record, once it exists. */
  record(): string | undefined
}

export interface Holds {
  /** @param reach starts or finds the target, or throws; `stopped` aborts when it is no longer needed */
  hold(held: Held, reach: (stopped: AbortSignal) => Promise<Target>): Running
  /** A command that this very engine holds. */
  held(base: string): Running | undefined
  /** Aborts when the engine closes. */
  closing: AbortSignal
  close(): void
}

/** How long Docker may take to report the end after SIGKILL. */
const KILL_MS = 5_000
/** How long the clean-up may take after an end. */
const TIDY_MS = 30_000

const MAY_GO_ON = '; the process of the step may continue'

export function openHolds(clock: Clock): Holds {
  const atWork = new Map<string, Running>()
  const closing = new AbortController()

  function hold({ base, output, offset, record }: Held, reach: (stopped: AbortSignal) => Promise<Target>): Running {
    const stopped = new AbortController()
    let target: Target | undefined
    let asked: string | undefined
    let killed = false
    let giveUp: (cause: Error) => void = () => {}
    const lost = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    lost.catch(() => {})
    const deliver = (signal: string) => {
      stopped.abort()
      void target?.signal(signal).catch((error) => {
        if (killed) giveUp(new ExecutionError(KILLED, reasonOf(error)))
      })
    }
    /** `code` is recorded: 128 + the number of a signal. */
    async function work(): Promise<Omit<ExecutionEnd, 'at' | 'offset'> & { code: number; at?: number }> {
      const reaching = reach(AbortSignal.any([stopped.signal, closing.signal]))
      try {
        target = await Promise.race([reaching, lost])
        if (asked) deliver(killed ? 'SIGKILL' : asked)
        const { exitCode, remark, cause, at } = await Promise.race([target.follow(output, closing.signal), lost])
        if (remark) await write(output.stderr, `${remark}\n`)
        if (asked && (exitCode === 128 + signalNumber(asked) || exitCode === KILLED)) return bySignal(exitCode)
        return { exitCode, code: exitCode, ...(cause === undefined ? {} : { cause }), ...(at ? { at } : {}) }
      } catch (error) {
        if (closing.signal.aborted) {
          output.abandon()
          return new Promise(() => {}) // the engine is closing
        }
        if (asked && !target) {
          const goesOn = error instanceof ExecutionError ? '' : MAY_GO_ON
          if (record()) await write(output.stderr, `${reasonOf(error)}${goesOn}\n`)
          void reaching.then(discard).catch(() => {}) // it may still be created
          return bySignal(128 + signalNumber(asked))
        }
        if (error instanceof TroupeError) throw error
        const isAtWork = target && isUnreachable(error)
        await write(output.stderr, `${reasonOf(error)}${isAtWork ? MAY_GO_ON : ''}\n`)
        const exitCode = error instanceof ExecutionError ? error.exitCode : 1
        return { exitCode, code: exitCode }
      }
    }
    async function outcome(): Promise<ExecutionEnd> {
      try {
        const { code, at = Number.POSITIVE_INFINITY, ...end } = await work()
        await output.close()
        const path = record()
        if (path) recordEnd(path, { exitCode: code, signaled: end.signal !== undefined })
        // A container that cannot be removed now is removed at the next start.
        if (target) await within(clock, killed ? KILL_MS : TIDY_MS, target.tidy()).catch(() => {})
        // The clock of a remote Docker engine may be wrong: nothing ends before it began.
        const begun = (path && statSync(path, { throwIfNoEntry: false })?.birthtimeMs) || 0
        return { ...end, at: Math.min(clock.now(), Math.max(at, Math.ceil(begun))), offset }
      } finally {
        output.abandon()
        if (!closing.signal.aborted) atWork.delete(base)
      }
    }
    const running: Running = {
      began: Promise.resolve(clock.now()),
      ended: outcome(),
      stop(signal) {
        asked = signal
        deliver(signal)
      },
      kill() {
        asked ??= 'SIGKILL'
        killed = true
        deliver('SIGKILL')
        void pause(clock, KILL_MS, closing.signal).then(() =>
          giveUp(new ExecutionError(KILLED, `the Docker engine did not confirm the end after SIGKILL${MAY_GO_ON}`))
        )
      }
    }
    atWork.set(base, running)
    running.ended.catch(() => {})
    return running
  }

  return {
    hold,
    held: (base) => atWork.get(base),
    closing: closing.signal,
    close: () => closing.abort()
  }
}

async function discard(late: Target): Promise<void> {
  await late.signal('SIGKILL')
  await late.tidy()
}

const bySignal = (code: number) => ({ exitCode: -1, code, signal: signalText(code - 128) })
