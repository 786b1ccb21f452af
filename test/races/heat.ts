/** One scenario in one round. */
import type { Random } from '../support/random.ts'
import type { Action, Reply } from './answers.ts'

/** One scenario in one round. */
export interface Heat {
  /** Different in each heat: the beginning of its names and ids. */
  readonly id: string
  readonly width: number
  readonly folder: string
  readonly random: Random
  /** Sends one request; an answer that is not documented is a violation. */
  send(action: Action, path: string, body?: object): Promise<Reply>
  /** Sends all at once, in any order, and returns the answers in the order of the requests. */
  together<T>(requests: readonly (() => Promise<T>)[]): Promise<T[]>
  /** Reports the violation `what` unless it holds. */
  must(holds: boolean, what: string): void
  /** A run that is there at the end: it is looked at closely. */
  saw(name: string, dagRunId: string): void
}
