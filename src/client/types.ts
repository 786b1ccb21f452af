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

type ArgumentsOf<O extends { path: string }> = Flat<
  PathPart<O> &
    QueryPart<O> &
    BodyPart<O> &
    RemotePart<O> & {
      /** Aborts the request. */
      signal?: AbortSignal | undefined
    }
>
/** Arguments of an operation. */
export type Arguments<K extends OperationId> = ArgumentsOf<OperationOf<K>>

type Content<A> = A extends { type: string; schema: unknown }
  ? string
  : A extends { asText: string; schema: infer S }
    ? Shape<S> | string
    : A extends { schema: infer S }
      ? Shape<S>
      : A extends { headers: infer H }
        ? { [N in keyof H]: string }
        : undefined

type ResultOf<O extends { answers: object }> = Content<O['answers'][keyof O['answers'] & (200 | 201 | 204)]>
/** The result of an operation: its body, or, when that is empty, the meaningful headers. */
export type OperationResult<K extends OperationId> = ResultOf<OperationOf<K>>

/** The function for an operation. */
export type CallTo<O extends { path: string; answers: object }> =
  Partial<ArgumentsOf<O>> extends ArgumentsOf<O>
    ? (input?: ArgumentsOf<O>) => Promise<ResultOf<O>>
    : (input: ArgumentsOf<O>) => Promise<ResultOf<O>>
export type Call<K extends OperationId> = CallTo<OperationOf<K>>
