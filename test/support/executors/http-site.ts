/** Two http servers on loopback that note what they receive, and an executor that asks them. */
import { once } from 'node:events'
import { createServer, type Server as HttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { systemClock } from '../../../src/clock.ts'
import type { EgressGuard } from '../../../src/executors/http/egress.ts'
import { http } from '../../../src/executors/http/http.ts'
import { benchFor } from './executions.ts'

export interface Seen {
  request: IncomingMessage
  body: string
}

/** Starts the servers before the tests of a `describe`, and forgets before each test what they have seen. */
export function httpSite() {
  const limits = () => ({ bodyBytes: 1_000_000, jsonBytes: 1_000_000 })
  const servers: Server[] = []
  const seen: Seen[] = []
  const answers: Record<string, RequestListener> = {
    '/hello': (_, response) => {
      response.writeHead(200, 'Fine', { 'x-b': 'two', 'x-a': 'one', date: 'D', connection: 'close' }).end('body\nend')
    },
    '/missing': (_, response) => {
      response.writeHead(404, { date: 'D', connection: 'close', 'content-type': 'text/plain' }).end('gone')
    },
    '/json': (_, response) => {
      response.writeHead(201, { date: 'D', connection: 'close', 'set-cookie': ['a=1', 'b=2'] })
      response.end('{"n":12345678901234567890,"list":[1]}')
    },
    '/text': (_, response) => {
      response.end('no json')
    },
    '/away': (_, response) => {
      response.writeHead(302, { location: `${site.other}/hello` }).end()
    },
    '/near': (_, response) => {
      response.writeHead(303, { location: '/hello' }).end()
    },
    '/keep': (_, response) => {
      response.writeHead(307, { location: '/hello' }).end()
    },
    '/loop': (_, response) => {
      response.writeHead(301, { location: '/loop' }).end()
    },
    '/file': (_, response) => {
      response.writeHead(301, { location: 'file:///etc/passwd' }).end()
    },
    '/large': (_, response) => {
      response.end(Buffer.alloc(2_000, 'x'))
    },
    '/never': () => {}
  }
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ request, body: Buffer.concat(chunks).toString() })
      answers[new URL(request.url ?? '', 'http://x').pathname]?.(request, response)
    })
  }
  async function listen(server: Server): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'))
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const held: { guard?: EgressGuard } = {}
  const bench = benchFor((work) => http(work, systemClock, site.limits, held.guard))
  const site = { base: '', other: '', limits: limits(), held, bench, seen, answers, listener, listen }
  before(async () => {
    site.base = `http://127.0.0.1:${await listen(createServer(listener))}`
    site.other = `http://127.0.0.1:${await listen(createServer(listener))}`
  })
  after(() => {
    for (const server of servers) (server as HttpServer).closeAllConnections()
    for (const server of servers) server.close()
  })
  beforeEach(() => {
    seen.length = 0
    site.limits = limits()
    delete held.guard
  })
  return site
}
