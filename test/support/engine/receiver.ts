/** A receiver of events on loopback: keeps what it was told, and answers as told. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Told {
  headers: IncomingHttpHeaders
  body: string
  /** The event that the body is. */
  event: {
    id: string
    type: string
    subject: string
    source: string
    time: string
    data: Record<string, unknown>
  } & Record<string, unknown>
}

export interface Receiver {
  url: string
  port: number
  told: Told[]
  /** Types of events, in the order in which they came, without `troupe.` and `.v1`. */
  types(): string[]
  /** From now on; default: 204. */
  answers(answer: (request: IncomingMessage, response: ServerResponse) => void): void
  close(): Promise<void>
}

export const accepts = (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(204).end()

const open = new Set<Receiver>()

/** Called after the tests of a file that uses them. */
export const closeReceivers = () => Promise.all([...open].map((one) => one.close()))

/** @param port 0: any free one */
export async function receiver(answer: Parameters<Receiver['answers']>[0] = accepts, port = 0): Promise<Receiver> {
  const told: Told[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      told.push({ headers: request.headers, body, event: JSON.parse(body) })
      answer(request, response)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo // it listens on a port
  const one: Receiver = {
    url: `http://127.0.0.1:${own}/hook`,
    port: own,
    told,
    types: () => told.map(({ event }) => event.type.replace(/^troupe\.|\.v1$/g, '')),
    answers(next) {
      answer = next
    },
    async close() {
      open.delete(one)
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }
  }
  open.add(one)
  return one
}
