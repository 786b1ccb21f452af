/** The API below a path of a host application: who gets in, what goes where. Source: embedding 2.10. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { TroupeError } from '../../../src/errors.ts'
import type { HttpOptions, Principal } from '../../../src/http/index.ts'
import { fetchHandler, koaMiddleware, nodeHandler } from '../../../src/http/index.ts'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'

const ANNA: Principal = { name: 'anna', permissions: ['read', 'run', 'write'] }
const BODY = { spec: 'steps:\n  - echo hi\n', name: 'hi' }

describe('API › mounted in a host application', () => {
  const engine = fakeEngine({}, { hello: planOf('hello') })
  engine.addRun({ name: 'hello', dagRunId: 'one' })
  const options = (wish: Partial<HttpOptions> = {}): HttpOptions => ({
    prefix: '/flows',
    authorize: () => ANNA,
    ...wish
  })
  const handler = (wish: Partial<HttpOptions> = {}) => fetchHandler(engine, options(wish))
  const ask = (wish: Partial<HttpOptions>, path: string, init: RequestInit = {}) =>
    handler(wish)(new Request(`http://shop.example${path}`, init))
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    new Request(`http://shop.example${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers }
    })
  const statusOf = async (answer: Promise<Response>) => (await answer).status
  const messageOf = async (answer: Promise<Response>): Promise<string> => {
    // An Error object.
    const { message } = (await (await answer).json()) as { message: string }
    return message
  }

  describe('options', () => {
    const refusal = (wish: object) => {
      try {
        nodeHandler(engine, wish as HttpOptions) // JavaScript passes anything
      } catch (error) {
        return error instanceof TroupeError && error.code === 'bad_request' ? error.message : error
      }
      return undefined
    }
    it('authorize is required: there is no default that opens a shell to the world', () => {
      expect(refusal({})).to.match(/^authorize: wanted a function/)
      expect(refusal(undefined as unknown as object)).to.match(/^authorize: wanted a function/)
    })
    it('all problems are named at once', () => {
      const wrong = { authorize: true, prefix: 'a b', page: 1, origins: ['https://a.example/'], may: 1, pages: true }
      expect(refusal(wrong)).to.match(/unknown option pages; authorize: .*; prefix: .*; page: .*; origins: .*; may: /)
    })
    it('a prefix may be spelled with or without slashes at its ends', async () => {
      for (const prefix of ['flows', '/flows/', '/flows'])
        expect(await statusOf(ask({ prefix }, '/flows/api/v2/health'))).to.equal(200)
    })
  })

  describe('authorize', () => {
    it('is asked for every path, with the request and what the framework has of it', async () => {
      const seen: unknown[] = []
      const authorize: HttpOptions['authorize'] = ({ url, method, headers }, { req }) => {
        seen.push([method, url, headers.get('cookie'), req])
        return null
      }
      expect(await statusOf(ask({ authorize }, '/flows/api/v2/health?a=b', { headers: { Cookie: 'c=d' } }))).to.equal(
        401
      )
      expect(seen).to.deep.equal([['GET', 'http://shop.example/flows/api/v2/health?a=b', 'c=d', undefined]])
    })
    it('null is 401: a page for a person, the Error object for a program', async () => {
      const authorize = () => null
      const page = await ask({ authorize, page: true }, '/flows/', { headers: { Accept: 'text/html' } })
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([401, 'text/html; charset=utf-8'])
      const answer = await ask({ authorize }, '/flows/api/v2/dags', { headers: { Accept: 'text/html' } })
      expect([answer.status, await answer.json()]).to.deep.include.members([401])
    })
    it('nothing is no caller, and neither is a caller without permissions; a failure lets nobody in', async () => {
      const nothing = (() => undefined) as unknown as HttpOptions['authorize'] // as from JavaScript
      expect(await statusOf(ask({ authorize: nothing }, '/flows/api/v2/dags'))).to.equal(401)
      const half = (() => ({ name: 'anna' })) as unknown as HttpOptions['authorize']
      expect(await statusOf(ask({ authorize: half }, '/flows/api/v2/dags'))).to.equal(500)
      const failing = () => Promise.reject(new Error('the database of users is down'))
      expect(await messageOf(ask({ authorize: failing }, '/flows/api/v2/dags'))).to.equal('internal error')
    })
    it('the permissions of the caller are those of a token', async () => {
      const authorize = () => ({ name: 'bert', permissions: ['read'] as const })
      expect(await statusOf(ask({ authorize }, '/flows/api/v2/dag-runs'))).to.equal(200)
      const refused = handler({ authorize })(post('/flows/api/v2/dag-runs', BODY))
      expect(await messageOf(refused)).to.equal('bert may not run')
    })
    it('who starts a text of their own is who authorize says', async () => {
      expect(await statusOf(handler()(post('/flows/api/v2/dag-runs', BODY)))).to.equal(200)
      expect(engine.started.at(-1)?.by).to.equal('anna')
    })
  })

  describe('may', () => {
    it('is asked with the operation, and the run in its path', async () => {
      const seen: unknown[] = []
      const may: HttpOptions['may'] = (who, what, run) => {
        seen.push([who.name, what, run])
        return what !== 'stopRun'
      }
      expect(await statusOf(ask({ may }, '/flows/api/v2/dag-runs/hello/latest'))).to.equal(200)
      const stop = await handler({ may })(post('/flows/api/v2/dag-runs/hello/one/stop', {}))
      expect([stop.status, await stop.json()]).to.deep.equal([
        403,
        { code: 'forbidden', message: 'anna may not stopRun of hello one' }
      ])
      expect(await statusOf(ask({ may }, '/flows/api/v2/dag-runs'))).to.equal(200)
      expect(seen).to.deep.equal([
        ['anna', 'getRun', { name: 'hello', dagRunId: engine.latest('hello')?.dagRunId }],
        ['anna', 'stopRun', { name: 'hello', dagRunId: 'one' }],
        ['anna', 'listRuns', undefined]
      ])
    })
    it('a promise is no yes', async () => {
      const may = (async () => true) as unknown as NonNullable<HttpOptions['may']>
      expect(await statusOf(ask({ may }, '/flows/api/v2/dag-runs'))).to.equal(403)
    })
  })

  describe('foreign pages', () => {
    const from = (origin: string, wish: Partial<HttpOptions> = {}) =>
      statusOf(handler(wish)(post('/flows/api/v2/dags/hello/start', {}, { Origin: origin })))
    it('any Host is taken; Origin must be that of the request, or in origins', async () => {
      expect(await from('http://shop.example')).to.equal(200)
      expect(await from('https://shop.example')).to.equal(200) // TLS ends in front of the host
      expect(await from('http://shop.example:81')).to.equal(403)
      expect(await from('http://evil.example')).to.equal(403)
      expect(await from('null')).to.equal(403)
      expect(await from('https://admin.example', { origins: ['https://admin.example'] })).to.equal(200)
    })
    it('a refusal names the option', async () => {
      const refused = handler()(post('/flows/api/v2/dags/hello/start', {}, { Origin: 'http://evil.example' }))
      expect(await messageOf(refused)).to.contain('List http://evil.example in the option `origins`')
    })
    it('the origins of the server itself do not count', async () => {
      const served = fakeEngine({ allowedOrigins: ['https://other.example'] }, { hello: planOf('hello') })
      const request = post('/flows/api/v2/dags/hello/start', {}, { Origin: 'https://other.example' })
      expect(await statusOf(fetchHandler(served, options())(request))).to.equal(403)
    })
  })

  describe('sessions', () => {
    it('a stream ends when the credentials of its caller become invalid', async () => {
      let end = () => {}
      const whileGood: Principal['whileGood'] = (told) => {
        end = told
        return () => {}
      }
      const answer = await ask({ authorize: () => ({ ...ANNA, whileGood }) }, '/flows/api/v2/events')
      const reader = answer.body?.getReader()
      await reader?.read()
      end()
      expect((await reader?.read())?.done).to.equal(true)
    })
    it('a preflight of a listed origin is answered before anybody is asked who it is, any other is not', async () => {
      const preflight = (origin: string) =>
        statusOf(
          ask({ authorize: () => null, origins: ['https://admin.example'] }, '/flows/api/v2/dag-runs', {
            method: 'OPTIONS',
            headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' }
          })
        )
      expect(await preflight('https://admin.example')).to.equal(204)
      expect(await preflight('https://evil.example')).to.equal(403)
    })
  })

  describe('paths', () => {
    it('the page is served when `page` is true, and its links are relative to the prefix', async () => {
      expect(await statusOf(ask({}, '/flows/'))).to.equal(404)
      const leads = await ask({ page: true }, '/flows', { redirect: 'manual' })
      expect([leads.status, leads.headers.get('location')]).to.deep.equal([302, '/flows/'])
      const text = await (await ask({ page: true }, '/flows/')).text()
      expect(text).to.contain('<meta name="troupe-api" content="/flows/api/v2">')
      const [, file = ''] = /<script defer src="([^"]+)"/.exec(text) ?? []
      expect(await statusOf(ask({ page: true }, `/flows/${file}`))).to.equal(200)
      const session = await ask({ page: true }, '/flows/page/session')
      expect(await session.json()).to.deep.equal({ name: 'anna', permissions: ['read', 'run', 'write'] })
    })
    it('only the current version of the API is mounted', async () => {
      expect(await statusOf(ask({}, '/flows/api/v1/dags'))).to.equal(404)
    })
    it('the OpenAPI document has the prefix', async () => {
      const document = await (await ask({}, '/flows/api/v2/openapi.json')).text()
      expect(document).to.contain('"/flows/api/v2"')
    })
  })

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
      const flows = nodeHandler(engine, options())
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
      const flows = nodeHandler(engine, options())
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
      const flows = nodeHandler(engine, options())
      await served(
        (req, res) => flows(Object.assign(req, { body: {} }), res),
        async (address) => {
          expect((await start(address, '{"params":"B=2"}')).status).to.equal(200)
          expect(engine.started.at(-1)?.params).to.equal('B=2')
        }
      )
    })
    it('a body that was read and left nowhere is a mistake of the host, and is said', async () => {
      const flows = nodeHandler(engine, options())
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
        .use(koaMiddleware(engine, options()))
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
      const flows = fetchHandler(live, options())
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
