/** Many clients of one server: as many connections as there are requests at a time. */
import { Agent, request } from 'node:http'
import { type Action, ANSWERS, type Reply } from './answers.ts'

export interface Clients {
  /** Sends to a path below `/api/v2`. @throws Error when the server does not answer */
  send(action: Action, path: string, body?: object): Promise<Reply>
  close(): void
}

const NO_ANSWER_MS = 30_000

/** @param count connections at most */
export function clientsOf(port: number, count: number): Clients {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  return {
    send: (action, path, body) =>
      new Promise((resolve, reject) => {
        const text = body && JSON.stringify(body)
        const [method] = ANSWERS[action]
        const headers = text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}
        const sent = request({ host: '127.0.0.1', port, agent, method, path: `/api/v2${path}`, headers }, (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const isJson = answer.headers['content-type']?.includes('json') === true
            const json = isJson ? JSON.parse(text) : undefined
            const { statusCode = 0, headers } = answer
            const isDone = statusCode < 300
            resolve({
              answer: isDone ? String(statusCode) : `${statusCode} ${json?.code}`,
              isDone,
              json,
              text,
              runId: String(headers['engine-run-id'] ?? '')
            })
          })
        })
        sent.setTimeout(NO_ANSWER_MS, () => sent.destroy(new Error(`${method} ${path}: no answer`)))
        sent.on('error', reject)
        sent.end(text)
      }),
    close: () => agent.destroy()
  }
}
