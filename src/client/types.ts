/** Types of arguments and results of the operations, derived from the contract that the server validates. */
import type { OPERATIONS, OperationId } from '../api/contract/operations.ts'
import type { Flat, Schema, Shape } from '../schema/schema.ts'

type OperationOf<K extends OperationId> = (typeof OPERATIONS)[K]

/** Streams are read with `events` and `runEvents`, and a copy of the home with `backup`. */
export type StreamId = 'streamEvents' | 'streamRunEvents' | 'backUpHome'
export type CallId = Exclude<OperationId, StreamId>

/** Names of the path parameters. */
type ParametersIn<P extends string> = P extends `${string}{${infer N}}${infer Rest}` ? N | ParametersIn<Rest> : never

type RequiredOf<Q> = { [K in keyof Q]: Q[K] extends { 'x-required': true } ? K : never }[keyof Q]
type QueryShape<Q> = Flat<
  { [K in RequiredOf<Q>]: Shape<Q[K]> } & { [K in Exclude<keyof Q, RequiredOf<Q>>]?: Shape<Q[K]> | undefined }
>

type PathPart<O extends { path: string }> = [ParametersIn<O['path']>] extends [never]
  ? unknown
  : { path: { [N in ParametersIn<O['path']>]: string } }
type QueryPart<O> = O extends { query: infer Q }
  ? [RequiredOf<Q>] extends [never]
    ? { query?: QueryShape<Q> | undefined }
    : { query: QueryShape<Q> }
  : unknown
/** An optional member may be null as well, which counts as missing. */
type BodyShape<B> = Flat<{ [K in keyof B]: Partial<Pick<B, K>> extends Pick<B, K> ? B[K] | null : B[K] }>
type BodyPart<O> = O extends { body: infer B extends Schema }
  ? Partial<Shape<B>> extends Shape<B>
    ? { body?: BodyShape<Shape<B>> | undefined }
    : { body: BodyShape<Shape<B>> }
  : unknown
type RemotePart<O> = O extends { own: true } ? unknown : { remoteNode?: string | undefined }

/** Arguments of an operation. */
export type Arguments<K extends OperationId> = Flat<
  PathPart<OperationOf<K>> &
    QueryPart<OperationOf<K>> &
    BodyPart<OperationOf<K>> &
    RemotePart<OperationOf<K>> & {
      /** Aborts the request. */
      signal?: AbortSignal | undefined
    }
>

type Content<A> = A extends { type: string; schema: unknown }
  ? string
  : A extends { asText: string; schema: infer S }
    ? Shape<S> | string
    : A extends { schema: infer S }
      ? Shape<S>
      : A extends { headers: infer H }
        ? { [N in keyof H]: string }
        : undefined

type Answers<K extends OperationId> = OperationOf<K>['answers']
/** The result of an operation: its body, or, when that is empty, the meaningful headers. */
export type OperationResult<K extends OperationId> = Content<Answers<K>[keyof Answers<K> & (200 | 201 | 204)]>

export type Call<K extends OperationId> =
  Partial<Arguments<K>> extends Arguments<K>
    ? (input?: Arguments<K>) => Promise<OperationResult<K>>
    : (input: Arguments<K>) => Promise<OperationResult<K>>
