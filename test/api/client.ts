/**
 * A client that sends exactly what it is given: paths and headers are not tidied up as `fetch` would. An answer that does not
 * fit the OpenAPI document fails the call.
 */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { type ServeOptions, serve } from '../../src/api/server.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { misfitsOf } from '../support/api/response-check.ts'
import { fakeEngine } from '../support/engine/fake-engine.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  json: any
}

export interface Sent {
  /** A string or bytes go as they are, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** The answer may be one that no operation has: the test has made the engine fail as it never does. */
  unchecked?: boolean
}

/** A server of `engine` on a free port of loopback. `call` takes paths below `/api/v2`, `callAt` whole ones. */
export async function served(engine: Engine, options: ServeOptions = {}) {
  const server = await serve(engine, { port: 0, host: '127.0.0.1', ...options })
  const agent = new Agent({ keepAlive: true })
  const { port } = new URL(server.address)
  const base = engine.config.basePath + engine.config.apiBasePath

  const callAt = (method: string, path: string, { body, headers = {}, unchecked }: Sent = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const bytes = bytesOf(body)
      // Without a length node would send the body of a GET as if it were the next request.
      const all = bytes ? { 'Content-Length': String(bytes.length), ...headers } : headers
      const sent = request({ agent, host: '127.0.0.1', port, method, path, headers: all }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const answer = answerOf(response, Buffer.concat(chunks))
          const misfits =
            path.startsWith(`${base}/`) && !unchecked ? misfitsOf(method, path.slice(base.length), answer) : []
          if (misfits.length === 0) resolve(answer)
          else
            reject(new Error(`${method} ${path}: the answer does not fit the OpenAPI document: ${misfits.join('; ')}`))
        })
      })
      sent.on('error', reject)
      sent.end(bytes)
    })

  return {
    port: Number(port),
    callAt,
    call: (method: string, path: string, sent?: Sent) => callAt(method, `/api/v2${path}`, sent),
    async close() {
      agent.destroy()
      await server.close()
    }
  }
}

/** What was answered: the status, and the code of the Error object. */
export const statusAndCode = ({ status, json }: Answer) => [status, json.code]

/** For the tests of a `describe`, each with a server of its own: `serving` starts it, after the test it is closed. */
export function eachServed() {
  let api: Awaited<ReturnType<typeof served>> | undefined
  afterEach(() => api?.close())
  return {
    async serving(engine = fakeEngine()) {
      api = await served(engine)
      return engine
    },
    call(method: string, path: string, sent?: Sent): Promise<Answer> {
      if (!api) throw new Error('nothing is served')
      return api.call(method, path, sent)
    }
  }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): Answer {
  const text = bytes.toString()
  const isJson = headers['content-type']?.startsWith('application/json') && !headers['content-encoding'] && text !== ''
  return { status: statusCode, headers, bytes, text, json: isJson ? JSON.parse(text) : undefined }
}
