/** The types of function steps: what a function of a host application gets, and what it may return. Source: docs/executors/function.md. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { RunKey } from '../../../machines/vocabulary.ts'

/** JSON, as it is stored. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The type itself when it comes back from the store as it went in; otherwise something it is not assignable to. */
export type Stored<T> = T extends Json
  ? T
  : // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing has the result null.
    T extends undefined | void
    ? null
    : T extends readonly (infer I)[]
      ? readonly Stored<I>[]
      : T extends ((...a: never) => unknown) | Date | Map<unknown, unknown> | Set<unknown> | bigint | symbol
        ? never
        : T extends object
          ? {
              readonly [K in keyof T]: undefined extends T[K]
                ? Stored<Exclude<T[K], undefined>> | undefined
                : Stored<T[K]>
            }
          : never
// biome-ignore lint/suspicious/noConfusingVoidType: as above
export type Storable<T> = [T] extends [void] ? T : T extends Stored<T> ? T : Stored<T>

// D1775: a union of functions, since the compiler infers one result of several shapes from it, and not from a union of results
/** A function of the host application: what it is given, and its result, which is stored. */
export type Run<C, R> =
  | ((call: C) => Promise<Storable<R>>)
  | ((call: C) => Storable<R>)
  | ((call: C) => Promise<Storable<R>> | Storable<R>)

/** A schema of zod, valibot, arktype, TypeBox or any other that implements Standard Schema. */
// biome-ignore lint/suspicious/noExplicitAny: schemas of every type are taken, and `unknown` is not assignable to their inputs.
export type Schema = StandardSchemaV1<any, any>
export type In<S> = S extends Schema ? StandardSchemaV1.InferInput<S> : Record<string, never>
export type Out<S> = S extends Schema ? StandardSchemaV1.InferOutput<S> : Record<string, never>

declare const result: unique symbol
declare const skips: unique symbol
declare const fails: unique symbol
/**
 * A step of a DAG in code: its name, and the type of its result as the steps that depend on it read it.
 *
 * `Skips` is true when it may be skipped, and the steps that depend on it with it: these never read its result then, but a run may end
 * without one. `Fails` is true when the steps that depend on it run although it has failed.
 */
export interface Node<
  Name extends string = string,
  R = unknown,
  Skips extends boolean = boolean,
  Fails extends boolean = boolean
> {
  readonly name: Name
  readonly [result]: R
  readonly [skips]: Skips
  readonly [fails]: Fails
}
export type Results<D extends readonly Node[]> = {
  readonly [N in D[number] as N['name']]: N extends Node<string, infer R> ? R : never
}

/** Why a step has failed. Secrets are masked. */
export interface StepError {
  /** The step that has failed. */
  readonly step: string
  /** The name of what its function has thrown; `StepFailed` where nothing was thrown. */
  readonly name: string
  readonly message: string
  /** The `code` of what was thrown, or the exit code of a process. */
  readonly code?: string
}

// D1769: a step that failed is null in `results`, and in `errors` with its reason
/** By name, the steps that have failed of those that may, with `continueOn`. */
export type Errors<D extends readonly Node[]> = {
  readonly [N in D[number] as N extends Node<string, unknown, boolean, infer F>
    ? true extends F
      ? N['name']
      : never
    : never]?: StepError
}

/** What is known before a step: the params of its run, and how the steps that it depends on have ended. */
export interface Given<P, D extends readonly Node[] = []> {
  readonly params: P
  readonly results: Results<D>
  readonly errors: Errors<D>
}

/** Writes to the logs of a step: `debug` and `info` to stdout, `warn` and `error` to stderr. Secrets are masked. */
export interface CallLog {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** What a function gets. Its result has to be JSON: no `Date`, `Map`, `bigint` or instance of a class. */
export interface Call<P, D extends readonly Node[] = []> extends Given<P, D> {
  /** `status`, of a handler: how the run has ended. */
  readonly run: RunKey & { readonly status?: string }
  readonly step: string
  /** 1, 2, ...: it counts the retries of the step. */
  readonly attempt: number
  /** The key of a run, step, pass and item: the same in every attempt, and after a crash. */
  readonly idempotencyKey: string
  /** Aborts with the reason `Stopped`, `TimedOut` or `Closing`. */
  readonly signal: AbortSignal
  readonly log: CallLog
  /** The engine's clock, epoch ms. */
  now(): number
}

/** A function that was defined with `defineFunction`. */
export interface Fn<PI, R> {
  readonly name: string
  /** For the compiler alone. */
  readonly types?: { params: PI; result: R }
}
