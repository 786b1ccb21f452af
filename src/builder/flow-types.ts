/** What loops and handlers of a DAG in code are given, and what is said of them. Types only. Source: docs/embedding/flow.md. */
import type { Call, Given, Node, StepError } from '../executors/function/types.ts'
import type { Work } from './step-types.ts'

/** What the function of a loop gets in each pass. */
export interface PassCall<P, D extends readonly Node[]> extends Call<P, D> {
  /** 1, 2, ...: the passes of the loop. A retry belongs to its pass. */
  readonly pass: number
}

/** What decides about another pass is given, after one that has succeeded. */
export interface Passed<P, D extends readonly Node[], R> extends Given<P, D> {
  /** The result of the pass. */
  readonly last: R
  /** How many have ended. */
  readonly pass: number
}
type Decides<P, D extends readonly Node[], R> = (passed: Passed<P, D, R>) => boolean | Promise<boolean>

/** When a loop ends, and how long it waits before a further pass. */
export type Passes<P, D extends readonly Node[], R> = {
  /** Passes in all: after them the loop ends as its last pass has. */
  limit: number
  /** Whole seconds before each further pass (default 0), which `backoff` multiplies each time (`true`: doubles), up to `maxIntervalSec`. */
  intervalSec?: number
  backoff?: number | true
  maxIntervalSec?: number
  /** What the function gets as `last` in the first pass; later ones get the result of the pass before. */
  first?: R
} & (
  | {
      /** Asked after each pass; its answer is stored. The loop ends when it is true. */
      until: Decides<P, D, R>
      while?: never
    }
  | {
      /** Asked after each pass; its answer is stored. The loop goes on as long as it is true. */
      while: Decides<P, D, R>
      until?: never
    }
)

/** The pages of a step, and how many of their items are called at a time. */
export interface Pages<P, D extends readonly Node[], I> {
  /** Up to 1,000 items of the page with that number, from 0; none: there are no more. Asked once for each, and stored. */
  items: (given: Given<P, D> & { readonly page: number }) => readonly I[] | Promise<readonly I[]>
  /** Default: 10 */
  maxConcurrent?: number
  /** How many there may be, up to 100; one more fails the step. Default: 100 */
  pages?: number
}

/** How the result of a step is made of those of its pages. */
export interface Collecting<P, D extends readonly Node[], R, T> {
  /** What the first page gets as `last`. */
  first: T
  /** Asked when all items of a page have succeeded: what the step has come to with their results. Its answer is stored. */
  collect: (
    page: Given<P, D> & { readonly page: number; readonly last: T; readonly results: readonly R[] }
  ) => T | Promise<T>
}

/** How a run has ended that a handler is called for. */
export interface HandlerGiven<P, D extends readonly Node[]> {
  readonly params: P
  /** The results of the steps in `reads`; null: the step has not succeeded. */
  readonly results: { readonly [N in D[number] as N['name']]: (N extends Node<string, infer R> ? R : never) | null }
  /** By the name of the step, all that have failed. */
  readonly errors: { readonly [step: string]: StepError | undefined }
}

export interface HandlerCall<P, D extends readonly Node[]>
  extends HandlerGiven<P, D>,
    Omit<Call<P>, 'params' | 'results' | 'errors' | 'run'> {
  readonly run: Call<P>['run'] & { readonly status: 'succeeded' | 'partially_succeeded' | 'failed' | 'canceled' }
}

export interface HandlerWork<P, D extends readonly Node[]>
  extends Omit<Work<P, []>, 'depends' | 'continueOn' | 'preconditions'> {
  /** Handles of the steps whose results it reads. */
  reads?: D
  /** Skips the handler when its answer is false. */
  preconditions?: (given: HandlerGiven<P, D>) => boolean | Promise<boolean>
}
