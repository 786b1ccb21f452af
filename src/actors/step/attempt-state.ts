/**
 * What an attempt has at work, and what its node has asked of it: a command that comes before there is an execution reaches it
 * when there is one.
 */
import type { AttemptCommand, AttemptEnded, AttemptInput, AttemptMissing } from '../../../machines/node.ts'
import type { Step } from '../../../machines/vocabulary.ts'
import type { Running } from '../../executors/executor.ts'
import type { Abandoned } from '../pace/disk-space.ts'
import type { StepServices } from '../root/step-services.ts'
import type { RunScope } from '../run/run-scope.ts'

export type AttemptPhase =
  /** Nothing is at work: after a stop, nothing begins. */
  | { name: 'preparing' }
  | { name: 'executing'; running: Running }
  /** The engine has closed, and nothing was at work: the next engine looks. */
  | { name: 'left' }

export interface AttemptState {
  readonly phase: AttemptPhase
  /** The signal that its node has asked it to stop with. */
  readonly stopSignal: string | undefined
  readonly isKilled: boolean
  /** Aborts when it is asked to stop, or left, while nothing is at work. */
  readonly abandoned: Abandoned
  hear(command: AttemptCommand): void
  executing(running: Running): void
  /** Passes on to its execution what was asked before. */
  passOn(running: Running): void
  /** What seemed to be at work has never begun. */
  unrecorded(): void
  leave(): void
}

export function attemptState(): AttemptState {
  const abandoned = new AbortController()
  let phase: AttemptPhase = { name: 'preparing' }
  let stopSignal: string | undefined
  let isKilled = false
  return {
    abandoned,
    get phase() {
      return phase
    },
    get stopSignal() {
      return stopSignal
    },
    get isKilled() {
      return isKilled
    },
    hear(command) {
      const running = phase.name === 'executing' ? phase.running : undefined
      if (command.type === 'attempt.kill') {
        isKilled = true
        running?.kill()
      } else {
        stopSignal = command.signal
        running?.stop(command.signal)
      }
      if (!running) abandoned.abort()
    },
    executing(running) {
      phase = { name: 'executing', running }
    },
    passOn(running) {
      if (stopSignal) running.stop(stopSignal)
      if (isKilled) running.kill()
    },
    unrecorded() {
      phase = { name: 'preparing' }
    },
    leave() {
      if (phase.name === 'executing') return // it outlives the engine
      phase = { name: 'left' }
      abandoned.abort()
    }
  }
}

/** How an attempt ended, as its node is told. */
export type AttemptEnd = Omit<AttemptEnded, 'type'>

/** Tells the node what is known before the end. @param at absent: now @param missing of `attempt.missing`, after which the node waits */
export type Tell = (
  type: `attempt.${'began' | 'found' | 'died' | 'offered' | 'answered' | 'missing'}`,
  at?: number,
  missing?: Pick<AttemptMissing, 'code' | 'mayHaveBegun' | 'died'>
) => void

export interface AttemptWork {
  services: StepServices
  input: AttemptInput
  scope: RunScope
  step: Step
  state: AttemptState
  tell: Tell
}
