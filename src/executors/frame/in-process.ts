/**
 * The frame of executors inside the engine's process: logs, stop, end, and the record of both, so that a restart knows which
 * executions had ended and which were interrupted. Source: execution-semantics 7.3.10, 13.5.3; architecture 4.
 */
import { statSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { type Clock, pause } from '../../clock.ts'
import { isA, messageOf, TroupeError } from '../../errors.ts'
import type { Execution, ExecutionEnd, Executor, Running, Traces } from '../executor.ts'
import { signalNumber, signalText } from '../processes/process-group.ts'
import {
  notesIn,
  offsetIn,
  type ProcessEnd,
  readState,
  recordBegin,
  recordEnd,
  recordNote,
  recordSent,
  stateFiles
} from '../processes/state-file.ts'
import { openStepOutput, type StepOutput, write } from './step-output.ts'
import { Unrecorded } from './unrecorded.ts'

/** What an executor receives. */
export interface Work {
  execution: Execution
  /** Writes through the mask, if any, to the logs and their copies. */
  stdout: Writable
  stderr: Writable
  /** Aborts on a stop. */
  signal: AbortSignal
  /** For work that handles signals itself: called for each one, earlier ones at once; SIGKILL is the last. */
  onSignal(listener: (signal: string) => void): void
  /**
   * For work that `sends`: records that a request that must not be repeated is sent now; with false, that it was not accepted.
   * @throws Error when it must not be sent: the execution was abandoned, or the record cannot be written
   */
  sent(isSent?: boolean): void
}

/** A failure with its own exit code. */
export class ExecutionError extends Error {
  override readonly name = 'ExecutionError'
  readonly exitCode: number
  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** How work ended: with an exit code, by a signal, or with a value for the step's `output`, which is then printed to stdout. */
export type Performed = number | NodeJS.Signals | { exitCode: number; output: string }

export interface InProcess {
  type: string
  reads: NonNullable<Executor['reads']>
  needs?: NonNullable<Executor['needs']>
  /** How long a kill waits for the work to end, ms; 0 when absent. */
  killMs?: number
  /** Calls `Work.sent` right before a request that must not be repeated: an execution cut off before that never began. */
  sends?: true
  /** The work is code of the host application. */
  isHosted?: true
  /** Details of work that was cut off by the end of the engine, appended to `interrupted: outcome unknown`; may clean up first. */
  interrupted?(traces: Traces): string | Promise<string>
  close?(): void | Promise<void>
  /**
   * Resolves with how it ended. A thrown error is written to stderr; the exit code is that of an ExecutionError, else 1. After a
   * stop it ends as if by the signal.
   */
  perform(work: Work): Promise<Performed>
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

// D640: custom executors run inside the engine's process
export function inProcess(insider: InProcess, clock: Clock): Executor {
  const { type, reads, needs, perform, killMs = 0, sends = false, isHosted, interrupted } = insider
  const atWork = new Map<string, Running>()
  const aborters = new Set<AbortController>()
  let closed = false

  function start(execution: Execution): Running {
    const state = stateFiles(execution.state).next
    const offset = sizeOf(execution.stdout)
    recordBegin(state, offset, sends)
    const aborter = new AbortController()
    aborters.add(aborter)
    let asked = 'SIGTERM'
    const signals: string[] = []
    let deliver = (_signal: string) => {}
    const ask = (signal: string) => {
      if (!aborter.signal.aborted) asked = signal
      aborter.abort()
      signals.push(signal)
      deliver(signal)
    }
    const onSignal = (listener: (signal: string) => void) => {
      deliver = listener
      for (const signal of signals) listener(signal)
    }
    let giveUp = () => {}
    const killed = new Promise<undefined>((resolve) => {
      giveUp = () => resolve(undefined)
    })
    const output = openStepOutput(execution, clock)
    let isOver = false
    const sent = (isSent = true) => {
      if (closed || isOver) throw new Error('the execution was abandoned')
      try {
        recordSent(state, isSent)
      } catch {
        throw new Unrecorded(state)
      }
    }

    async function outcome(): Promise<ExecutionEnd> {
      let ended: number | NodeJS.Signals | undefined = 1
      let outputFrom: number | undefined
      let isRecorded = true
      try {
        const work = performed({ execution, signal: aborter.signal, onSignal, sent, ...output }, output)
        const found = await Promise.race([work, killed])
        ended = found?.ended
        outputFrom = found?.outputFrom
      } catch (cause) {
        isRecorded = !(cause instanceof Unrecorded)
        if (!isRecorded) throw cause
        throw new TroupeError('internal_error', `its output cannot be written: ${messageOf(cause)}`, { cause })
      } finally {
        isOver = true
        output.abandon()
        aborters.delete(aborter)
        if (!closed && !isRecorded) atWork.delete(state)
        else if (!closed) {
          const exitCode = typeof ended === 'number' ? ended : 128 + signalNumber(ended ?? asked)
          if (outputFrom !== undefined) recordNote(state, { outputFrom })
          recordEnd(state, { exitCode, signaled: typeof ended !== 'number' })
          atWork.delete(state)
        }
      }
      if (closed) return new Promise(() => {}) // the engine is closing
      const at = clock.now()
      return typeof ended === 'number'
        ? { exitCode: ended, at, offset, ...(outputFrom === undefined ? {} : { outputFrom }) }
        : { exitCode: -1, signal: signalText(signalNumber(ended ?? asked)), at, offset }
    }

    const running: Running = {
      began: Promise.resolve(clock.now()),
      ended: outcome(),
      stop: ask,
      kill() {
        ask('SIGKILL')
        if (killMs === 0) return giveUp()
        void pause(clock, killMs).then(() => {
          asked = 'SIGKILL'
          giveUp()
        })
      }
    }
    atWork.set(state, running)
    return running
  }

  /** Exit code or signal, with the reason of a failure on stderr; undefined: it was stopped. */
  async function performed(
    work: Work,
    output: StepOutput
  ): Promise<{ ended: number | NodeJS.Signals | undefined; outputFrom?: number }> {
    let ended: number | NodeJS.Signals | undefined
    let own: string | undefined
    try {
      const done = await perform(work)
      if (typeof done === 'object') own = done.output
      ended = typeof done === 'object' ? done.exitCode : done
    } catch (error) {
      if (isA(error, Unrecorded)) throw error
      const code = isA(error, ExecutionError) ? error.exitCode : undefined
      if (code !== undefined || !work.signal.aborted) {
        await write(output.stderr, `${messageOf(error)}\n`)
        ended = code ?? 1
      }
    }
    await output.close()
    if (own === undefined) return { ended }
    const outputFrom = sizeOf(work.execution.stdout)
    const last = openStepOutput(work.execution, clock)
    await write(last.stdout, own)
    await last.close()
    return { ended, outputFrom }
  }

  return {
    type,
    reads,
    ...(needs ? { needs } : {}),
    start,
    find(traces) {
      const { latest } = stateFiles(traces.state)
      const held = atWork.get(latest)
      if (held) return held
      const found = readState(latest)
      if (found.state === 'absent' || found.state === 'unsent') return undefined
      const end = found.state === 'ended' ? found.end : undefined
      const { outputFrom } = end ? (notesIn(latest) as { outputFrom?: number }) : {}
      const running = recorded(
        { ...(end ? { end } : {}), offset: offsetIn(latest), ...(outputFrom === undefined ? {} : { outputFrom }) },
        clock.now(),
        end ? '' : interrupted?.(traces)
      )
      return isHosted ? { ...running, isHosted } : running
    },
    close() {
      closed = true
      for (const aborter of aborters) aborter.abort()
      return insider.close?.()
    }
  }
}

/** The record of an execution. */
export interface Recorded {
  end?: ProcessEnd
  offset: number
  outputFrom?: number
}

// D601: executors inside the engine record their start and end
/** An execution of an earlier engine: its recorded end; without one its outcome is unknown. */
export function recorded({ end, ...places }: Recorded, began: number, known: string | Promise<string> = ''): Running {
  const outcome = async (): Promise<ExecutionEnd> => {
    if (!end) throw new TroupeError('internal_error', `interrupted: outcome unknown${await known}`)
    const { exitCode, signaled, at } = end
    return signaled ? { exitCode: -1, signal: signalText(exitCode - 128), at, ...places } : { exitCode, at, ...places }
  }
  return { began: Promise.resolve(began), ended: outcome(), over: end !== undefined, stop() {}, kill() {} }
}
