/** Handlers for each framework: which requests they take, and bodies that were read already. Source: embedding 2.10. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { fetchHandler, type HttpOptions, koaMiddleware, nodeHandler } from '../../../src/http/index.ts'
import { ANNA, mountedEngine, mountOptions } from '../../support/api/mounted.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'

describe('API › mounted in a host application', () => {
  const engine = mountedEngine()
  const ask = (wish: Partial<HttpOptions>, path: string, init: RequestInit = {}) =>
    fetchHandler(engine, mountOptions(wish))(new Request(`http://shop.example${path}`, init))

  describe('handlers', () => {
    const served = async (listener: RequestListener, act: (address: string) => Promise<void>) => {
      const server = createServer(listener)
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo // it listens on a port
      try {
        await act(`http://127.0.0.1:${port}`)
      } finally {
        server.closeAllConnections()
        server.close()
      }
    }
    const start = (address: string, body: string, path = '/flows/api/v2/dags/hello/start') =>
      fetch(address + path, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })

    it('nodeHandler: other paths go to next, and without one are not found', async () => {
      const flows = nodeHandler(engine, mountOptions())
      await served(
        (req, res) => flows(req, res, () => res.end('own')),
        async (address) => {
          expect(await (await fetch(`${address}/health`)).text()).to.equal('own')
          expect(await (await fetch(`${address}/flowsome`)).text()).to.equal('own')
          expect((await fetch(`${address}/flows/api/v2/health`)).status).to.equal(200)
        }
      )
      await served(flows, async (address) => {
        expect((await fetch(`${address}/health`)).status).to.equal(404)
      })
    })
    it('an answer of authorize, and what it or may throws, that cannot be read is a 500, and the next request is served', async () => {
      const { proxy, revoke } = Proxy.revocable<typeof ANNA>({ ...ANNA }, {})
      revoke()
      const throwing = () => {
        throw proxy
      }
      for (const wish of [
        { authorize: () => proxy },
        { authorize: throwing },
        { authorize: () => ANNA, may: throwing }
      ]) {
        expect((await ask(wish, '/flows/api/v2/dags')).status).to.equal(500)
        expect((await ask({}, '/flows/api/v2/health')).status).to.equal(200)
      }
    })
    it('nodeHandler: without a prefix it is where Express has mounted it', async () => {
      const flows = nodeHandler(engine, { authorize: () => ANNA, page: true })
      const express = (req: IncomingMessage & { originalUrl?: string; baseUrl?: string }) => {
        const { url = '' } = req
        const [, baseUrl = ''] = /^(\/[^/?]+)/.exec(url) ?? []
        return Object.assign(req, { originalUrl: url, baseUrl, url: url.slice(baseUrl.length) || '/' })
      }
      await served(
        (req, res) => flows(express(req), res),
        async (address) => {
          for (let at = 0; at < 12; at++) {
            const text = await (await fetch(`${address}/tenant-${at}/`)).text()
            expect(text).to.contain(`content="/tenant-${at}/api/v2"`)
          }
        }
      )
    })
    it('a body that was read already is taken from req.body, as text, bytes or an object', async () => {
      const flows = nodeHandler(engine, mountOptions())
      const parsers = [
        (text: string): unknown => JSON.parse(text),
        (text: string) => text,
        (text: string) => Buffer.from(text)
      ]
      for (const parse of parsers)
        await served(
          async (req, res) => {
            const chunks: Buffer[] = []
            for await (const chunk of req) chunks.push(chunk)
            flows(Object.assign(req, { body: parse(Buffer.concat(chunks).toString()) }), res)
          },
          async (address) => {
            expect((await start(address, '{"params":"A=1"}')).status).to.equal(200)
            expect(engine.started.at(-1)?.params).to.equal('A=1')
            expect((await start(address, '{"params":1}')).status).to.equal(400)
          }
        )
    })
    it('an empty body that a parser has put on a request without reading it does not count', async () => {
      const flows = nodeHandler(engine, mountOptions())
      await served(
        (req, res) => flows(Object.assign(req, { body: {} }), res),
        async (address) => {
          expect((await start(address, '{"params":"B=2"}')).status).to.equal(200)
          expect(engine.started.at(-1)?.params).to.equal('B=2')
        }
      )
    })
    it('a body that was read and left nowhere is a mistake of the host, and is said', async () => {
      const flows = nodeHandler(engine, mountOptions())
      await served(
        (req, res) => void req.resume().on('end', () => flows(req, res)),
        async (address) => {
          const answer = await start(address, '{}')
          expect([answer.status, await answer.text()].join()).to.match(/^500.*has read it, and left nothing/)
        }
      )
    })
    it('koaMiddleware: other paths go to next, bodies of a parser are taken, and it resolves when the answer is sent', async () => {
      const app = new Koa()
      const done: string[] = []
      app
        .use(async (ctx, next) => {
          const text = []
          for await (const chunk of ctx.req) text.push(chunk)
          Object.assign(ctx.request, { body: text.length > 0 ? JSON.parse(Buffer.concat(text).toString()) : undefined })
          await next()
          done.push(`${ctx.path} ${ctx.res.writableEnded}`)
        })
        .use(koaMiddleware(engine, mountOptions()))
        .use((ctx) => {
          ctx.body = 'own'
        })
      await served(app.callback(), async (address) => {
        expect(await (await fetch(`${address}/health`)).text()).to.equal('own')
        expect((await start(address, '{"params":"C=3"}')).status).to.equal(200)
        expect(engine.started.at(-1)?.params).to.equal('C=3')
        expect(done.at(-1)).to.equal('/flows/api/v2/dags/hello/start true')
      })
    })
    it('fetchHandler: a client that goes ends its stream, and so does the end of the engine', async () => {
      const closing = new AbortController()
      let watchers = 0
      const live = {
        ...fakeEngine(),
        closing: closing.signal,
        subscribe: () => {
          watchers++
          return () => void watchers--
        }
      }
      const flows = fetchHandler(live, mountOptions())
      const open = () => flows(new Request('http://shop.example/flows/api/v2/events'))
      const first = (await open()).body?.getReader()
      expect(new TextDecoder().decode((await first?.read())?.value)).to.equal(': the journal\n\n')
      const second = (await open()).body?.getReader()
      await second?.read()
      expect(watchers).to.equal(2)
      await first?.cancel()
      while (watchers > 1) await new Promise(setImmediate)
      closing.abort()
      expect((await second?.read())?.done).to.equal(true)
    })
    it('fetchHandler: HEAD and 304 have no body, and a signal that is aborted is what is thrown', async () => {
      expect(await (await ask({}, '/flows/api/v2/health', { method: 'HEAD' })).text()).to.equal('')
      const page = await ask({ page: true }, '/flows/')
      const again = await ask({ page: true }, '/flows/', {
        headers: { 'If-None-Match': page.headers.get('etag') ?? '' }
      })
      expect([again.status, await again.text()]).to.deep.equal([304, ''])
      const gone = ask({}, '/flows/api/v2/health', { signal: AbortSignal.abort(new Error('enough')) })
      expect(await gone.catch(String)).to.equal('Error: enough')
    })
  })
})
