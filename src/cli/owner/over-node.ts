/** The API of the engine of a home of this machine: over its socket, or a stream in this process. */
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { COMMAND_HEADER, stepText } from '../../api/owner/calling-step.ts'
import type { EngineClient } from '../../api/owner/engine-client.ts'
import type { Answer, Client, Transport } from '../../client/index.ts'
import type { CallingStep } from '../../engine/engine.ts'
import { apiOf } from '../remote/api.ts'

type Connection = Pick<RequestOptions, 'socketPath' | 'agent' | 'createConnection'>

/** How a connection ends without an answer. */
interface Ends {
  /** The error for one that could not be made, or broke. */
  gone(cause: unknown): unknown
  /** After the longest silence; absent: it has no limit. */
  silent?: { afterMs: number; error(): Error }
}

const AS_IT_IS: Ends = { gone: (cause) => cause }

// D1700: `fetch` takes longer to load than most commands take
/** @param step in which the command runs; absent: in none */
export const apiOver = (
  { apiPath, home }: Pick<EngineClient, 'apiPath' | 'home'>,
  connection: Connection,
  step?: CallingStep,
  ends = AS_IT_IS
): Client =>
  apiOf({
    url: home,
    baseUrl: `http://localhost${apiPath}`,
    headers: { [COMMAND_HEADER]: stepText(step) },
    fetch: transport(connection, ends)
  })

const transport =
  (connection: Connection, { gone, silent }: Ends): Transport =>
  (url, { body, headers, ...options }) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url)
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      const whole = { ...options, ...connection, headers: { ...headers, ...length }, path: pathname + search }
      const isStream = pathname.endsWith('/events') // a run may be silent for long
      const sent = request(silent && !isStream ? { ...whole, timeout: silent.afterMs } : whole, (response) =>
        resolve(answerOf(response, gone))
      )
      sent.on('timeout', () => sent.destroy(silent?.error()))
      sent.on('error', (cause) => reject(gone(cause)))
      sent.end(body)
    })

const answerOf = (response: IncomingMessage, gone: Ends['gone']): Answer => ({
  status: response.statusCode ?? 0,
  headers: { get: (name) => response.headers[name.toLowerCase()]?.toString() ?? null },
  text: () =>
    text(response).catch((cause) => {
      throw gone(cause)
    }),
  get body() {
    return Readable.toWeb(response) as ReadableStream<Uint8Array> // the same class, whose types are in two places
  }
})
