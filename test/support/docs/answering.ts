/** An http server on loopback which always answers the same, and keeps what it was asked. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  method: string
  path: string
  headers: Record<string, unknown>
  body: string
}

/** @param json what it answers */
export async function answering(json: unknown) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(json))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { address: `http://127.0.0.1:${port}`, asked, close }
}
