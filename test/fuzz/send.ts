/** Sends a request exactly as it is told, and reads the answer; of a stream its beginning. */
import { Agent, request } from 'node:http'
import type { CheckedAnswer } from '../support/api/response-check.ts'

export interface Sending {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer | undefined
}

export function sender(port: number): { send(what: Sending): Promise<CheckedAnswer>; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const send = ({ method, path, headers, body }: Sending): Promise<CheckedAnswer> =>
    new Promise((resolve, reject) => {
      const bytes = body === undefined ? undefined : Buffer.from(body)
      // Without a length node would send the body of a GET as if it were the next request.
      const all = bytes ? { 'Content-Length': String(bytes.length), ...headers } : headers
      const sent = request({ agent, host: '127.0.0.1', port, method, path, headers: all }, (response) => {
        const { statusCode: status = 0, headers } = response
        const chunks: Buffer[] = []
        const done = () => resolve({ status, headers, bytes: Buffer.concat(chunks) })
        response.on('data', (chunk) => {
          chunks.push(chunk)
          if (!headers['content-type']?.startsWith('text/event-stream')) return
          response.destroy()
          done()
        })
        response.on('error', (error) => (chunks.length > 0 ? done() : reject(error)))
        response.on('end', done)
      })
      sent.on('error', reject)
      sent.end(bytes)
    })
  return { send, close: () => agent.destroy() }
}
