/** Requests by `node:http`. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Answer, Transport } from '../contract/transport.ts'
import { bodyOf } from './body-reader.ts'

interface Way {
  /** Where a request goes, and how. */
  to(url: string, headers: Readonly<Record<string, string>>): RequestOptions
  /** Default: without TLS. */
  request?: typeof httpRequest
  /** The error for a connection that could not be made. */
  failed(cause: unknown): unknown
  /** That for one that breaks. Default: the same. */
  broken?(cause: unknown): unknown
  /** That after a silence longer than the `timeout` of `to`. */
  silent?(): Error
}

// D1700: `fetch` takes longer to load than most commands take
export const overNode =
  ({ to, request = httpRequest, failed, broken = failed, silent }: Way): Transport =>
  (url, { body, headers, ...options }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      // A new connection for each request: an idle one would keep this process alive.
      const whole = { ...options, ...to(url, headers), headers: { ...headers, ...length }, agent: false }
      const sent = request(whole, (response) => resolve(answerOf(response, broken)))
      sent.on('timeout', () => sent.destroy(silent?.()))
      sent.on('error', (cause) => reject(failed(cause)))
      sent.end(body)
    })

const answerOf = (response: IncomingMessage, broken: (cause: unknown) => unknown): Answer => ({
  status: response.statusCode ?? 0,
  headers: { get: (name) => response.headers[name.toLowerCase()]?.toString() ?? null },
  text: () =>
    text(response).catch((cause) => {
      throw broken(cause)
    }),
  get body() {
    return bodyOf(response, broken)
  }
})
