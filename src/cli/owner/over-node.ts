/** Requests over the socket of the process that owns a home. */
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { bodyOf } from '../../api/owner/body-reader.ts'
import type { Answer, Transport } from '../../client/index.ts'

export interface Socket {
  path: string
  /** Path at which the API begins. */
  apiPath: string
  /** The error for a connection that could not be made, or broke. */
  gone(cause: unknown): unknown
  /** After the longest silence. */
  silent: { afterMs: number; error(): Error }
}

// D1700: `fetch` takes longer to load than most commands take
export const overSocket =
  ({ path: socketPath, apiPath, gone, silent }: Socket): Transport =>
  (url, { body, headers, ...options }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      const isStream = url.split('?', 1)[0]?.endsWith('/events') // a run may be silent for long
      const connection = { socketPath, agent: false, ...(isStream ? {} : { timeout: silent.afterMs }) }
      const whole = { ...options, ...connection, headers: { ...headers, ...length }, path: apiPath + url }
      const sent = request(whole, (response) => resolve(answerOf(response, gone)))
      sent.on('timeout', () => sent.destroy(silent.error()))
      sent.on('error', (cause) => reject(gone(cause)))
      sent.end(body)
    })

const answerOf = (response: IncomingMessage, gone: Socket['gone']): Answer => ({
  status: response.statusCode ?? 0,
  headers: { get: (name) => response.headers[name.toLowerCase()]?.toString() ?? null },
  text: () =>
    text(response).catch((cause) => {
      throw gone(cause)
    }),
  get body() {
    return bodyOf(response, gone)
  }
})
