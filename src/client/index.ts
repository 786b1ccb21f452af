/**
 * `troupe/client`: the HTTP API as functions. It needs only `fetch` and nothing of Node, so it works in browsers, too; its types are
 * those that the server validates. Manual: docs/client.md.
 */
import { OPERATIONS, operationList } from '../api/contract/operations.ts'
import { UnexpectedAnswer } from './api-error.ts'
import { eventsOf, type Told } from './events.ts'
import { type ClientOptions, callsTo, send } from './request.ts'
import type { Arguments, Call, CallId, OperationResult } from './types.ts'

export type { Answer, Transport } from '../api/contract/transport.ts'
export { ApiError, UnexpectedAnswer } from './api-error.ts'
export type * from './shapes.ts'
export type { Arguments, Call, CallId, ClientOptions, OperationResult, Told }

/** One function for each operation of the API, by its `operationId`; its two streams, and the copy of its home. */
export type Client = { [K in CallId]: Call<K> } & {
  /** Transitions of all runs, from `query.after` on. */
  events(input?: Arguments<'streamEvents'>): AsyncGenerator<Told, void, undefined>
  /** Transitions of one run, from its first on or from `query.after`. */
  runEvents(input: Arguments<'streamRunEvents'>): AsyncGenerator<Told, void, undefined>
  /** A copy of the home of the server: the bytes of a tar archive, as they come. */
  backup(input?: Arguments<'backUpHome'>): Promise<NonNullable<Response['body']>>
}

/** Creates a client, without sending anything yet. @throws TypeError without an address */
export function createClient(options: ClientOptions): Client {
  if (typeof options?.baseUrl !== 'string')
    throw new TypeError('createClient: baseUrl: wanted text, such as http://127.0.0.1:8080/api/v2')
  const calls = callsTo(options, operationList)
  return {
    // Each function and its types are derived from the same operation.
    ...(calls as { [K in CallId]: Call<K> }),
    events: (input = {}) => eventsOf(options, OPERATIONS.streamEvents, input),
    runEvents: (input) => eventsOf(options, OPERATIONS.streamRunEvents, input),
    async backup(input = {}) {
      const { body, status } = await send(options, OPERATIONS.backUpHome, input)
      if (body) return body
      throw new UnexpectedAnswer(status, 'wanted an archive, found an empty answer')
    }
  }
}
