/** The API below a path of a host application: who gets in, what goes where. Source: embedding 2.10. */
import { expect } from 'chai'
import { TroupeError } from '../../../src/errors.ts'
import type { HttpOptions, Principal } from '../../../src/http/index.ts'
import { fetchHandler, nodeHandler } from '../../../src/http/index.ts'
import { ANNA, mountedEngine, mountOptions, post } from '../../support/api/mounted.ts'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'

const BODY = { spec: 'steps:\n  - echo hi\n', name: 'hi' }

describe('API › mounted in a host application', () => {
  const engine = mountedEngine()
  const handler = (wish: Partial<HttpOptions> = {}) => fetchHandler(engine, mountOptions(wish))
  const ask = (wish: Partial<HttpOptions>, path: string, init: RequestInit = {}) =>
    handler(wish)(new Request(`http://shop.example${path}`, init))
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
      expect(await statusOf(fetchHandler(served, mountOptions())(request))).to.equal(403)
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
      expect(text).to.contain('<meta name="troupe-docs" content="docs/">')
      expect(await statusOf(ask({ page: true }, '/flows/docs/cli.html'))).to.equal(200)
      expect(await statusOf(ask({}, '/flows/docs/cli.html'))).to.equal(404)
      const session = await ask({ page: true }, '/flows/page/session')
      expect(await session.json()).to.deep.equal({
        name: 'anna',
        role: 'admin',
        permissions: ['read', 'run', 'write']
      })
    })
    it('only the current version of the API is mounted', async () => {
      expect(await statusOf(ask({}, '/flows/api/v1/dags'))).to.equal(404)
    })
    it('the OpenAPI document has the prefix', async () => {
      const document = await (await ask({}, '/flows/api/v2/openapi.json')).text()
      expect(document).to.contain('"/flows/api/v2"')
    })
  })
})
