/** A server on loopback that answers as configured, and keeps what it was asked. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Asked {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export async function oddServer() {
  const asked: Asked[] = []
  const sockets = new Set<Socket>()
  let answer = (_request: IncomingMessage, response: ServerResponse) => void response.end('{}')
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      asked.push({ method, url, headers, body: Buffer.concat(chunks) })
      answer(request, response)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    port,
    asked,
    sockets,
    /** From now on. */
    answersWith(next: (request: IncomingMessage, response: ServerResponse) => void) {
      asked.length = 0
      answer = (request, response) => void next(request, response)
    },
    /** From now on. */
    answers(status: number, headers: Record<string, string>, body: string | Buffer = '') {
      this.answersWith((_request, response) => void response.writeHead(status, headers).end(body))
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
  }
}
