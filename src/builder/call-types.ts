/** What a function of a step is given, and what it may return. Types only. Source: docs/embedding/functions.md. */
import type { RunKey } from '../../machines/vocabulary.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The type itself when it comes back from the store as it went in; else something it is not assignable to. */
type Stored<T> = T extends Json
  ? T
  : T extends undefined | void
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
export type Storable<T> = [T] extends [void] ? T : T extends Stored<T> ? T : Stored<T>

declare const result: unique symbol
/** The handle of a step: named in `depends` of others. */
export interface Node<Name extends string = string, R = unknown> {
  readonly name: Name
  readonly [result]: R
}
export type Results<D extends readonly Node[]> = {
  readonly [N in D[number] as N['name']]: N extends Node<string, infer R> ? R : never
}
export interface Given<P, D extends readonly Node[] = []> {
  readonly params: P
  /** Of direct dependencies. */
  readonly results: Results<D>
}
export interface CallLog {
  info(message: string, fields?: Record<string, unknown>): void
}
export interface Call<P, D extends readonly Node[] = []> extends Given<P, D> {
  readonly run: RunKey
  readonly step: string
  readonly attempt: number
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  readonly log: CallLog
  now(): number
}
