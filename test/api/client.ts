/** A client that sends exactly what it is told: paths and headers are not tidied up as `fetch` would. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Engine } from '../../src/engine.ts'
import { type ServeOptions, serve } from '../../src/api/server.ts'

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
}

/** A server of `engine` on a free port of loopback. `call` takes paths below `/api/v2`, `callAt` whole ones. */
export async function served(engine: Engine, options: ServeOptions = {}) {
  const server = await serve(engine, { port: 0, host: '127.0.0.1', ...options })
  const agent = new Agent({ keepAlive: true })
  const { port } = new URL(server.address)

  const callAt = (method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString()
          const isJson = response.headers['content-type']?.includes('json') && !response.headers['content-encoding']
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            text,
            json: isJson && text !== '' ? JSON.parse(text) : undefined
          })
        })
      })
      sent.on('error', reject)
      sent.end(body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
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
