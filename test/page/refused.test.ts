/** Whatever is between the visitor and the server, they see a sentence, never a blank page. Source: docs/page.md "Behind a proxy". */
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { liveApi } from '../support/api/live-api.ts'
import { itLong, oneIn } from '../support/long.ts'
import { keepPicture, liveBrowser } from '../support/page/browser.ts'

const HTML = { contentType: 'text/html', body: '<!doctype html><title>Portal</title><p>Please sign in' }
const NO_ORIGIN = JSON.stringify({ code: 'forbidden', message: 'Origin: wanted this server, found another' })

describe('page › obstacles are explained', () => {
  const api = liveApi({ schedules: false })
  const open = liveBrowser()
  let page: Page
  let proxy: Server | undefined
  before(() => api.write('hello', 'steps: [{name: a, command: "true"}, {name: b, command: sleep 600}]'))
  beforeEach(async () => {
    page = (await open()).page
  })
  afterEach(async () => {
    await keepPicture(page, `refused ${test.title}`)
    await page.context().close()
    proxy?.closeAllConnections()
    proxy?.close()
    proxy = undefined
  })
  let test = { title: '' }
  beforeEach(function () {
    test = this.currentTest ?? test
  })

  /**
   * In front of the server; Host becomes the server's own address, as with nginx's `proxy_pass` alone.
   * @param host what it becomes instead @returns its address
   */
  async function proxied(
    answerFor: (path: string) => number | undefined = () => undefined,
    host = `127.0.0.1:${api.port}`
  ): Promise<string> {
    const server = createServer((req, res) => {
      const status = answerFor(req.url ?? '')
      if (status !== undefined) {
        res.writeHead(status, { 'Content-Type': 'application/json' }).end(NO_ORIGIN)
        return
      }
      const headers = { ...req.headers, host }
      const { method, url } = req
      const passed = request({ host: '127.0.0.1', port: api.port, method, path: url, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(res)
      })
      passed.on('error', () => res.destroy())
      res.on('close', () => passed.destroy())
      req.pipe(passed)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    proxy = server
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  const home = () => `http://127.0.0.1:${api.port}/`
  const answer = (pattern: RegExp, fulfilled: Parameters<Route['fulfill']>[0]) =>
    page.route(pattern, (route) => route.fulfill(fulfilled))

  it('a proxy that rewrites Host: the page works, and a refused change says why', async () => {
    await page.goto(`${await proxied()}#/definitions/hello`)
    await page.getByRole('heading', { name: 'hello', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
    await page
      .locator('.notice.failed')
      .getByText(/^Origin: /)
      .waitFor()
  })

  it('a proxy that passes on a name that the server does not know: a page names the settings', async () => {
    await page.goto(await proxied(() => undefined, 'troupe.example.org'))
    await page.getByRole('heading', { name: 'Troupe does not answer this request' }).waitFor()
    const text = (await page.locator('body').textContent()) ?? ''
    for (const part of ['troupe.example.org', 'cors.allowedOrigins', 'server.trustedProxies'])
      expect(text).to.contain(part)
  })

  it('the script is refused: the file, the reason and the settings to fix it are named', async () => {
    await page.goto(await proxied((path) => (/page-\w+\.js/.test(path) ? 403 : undefined)))
    const said = page.getByRole('alert')
    await said.getByText(/\/page\/page-\w+\.js/).waitFor()
    const text = (await said.textContent()) ?? ''
    for (const part of ['403', 'Origin: wanted this server', 'server.trustedProxies', 'cors.allowedOrigins', 'Host'])
      expect(text).to.contain(part)
  })

  itLong('the script cannot be loaded, or is gone', async () => {
    await page.route(/page-\w+\.js/, (route) => route.abort())
    await page.goto(home())
    await page.getByRole('alert').getByText('The server does not answer.').waitFor()
    await page.unroute(/page-\w+\.js/)
    await page.goto(await proxied((path) => (/page-\w+\.js/.test(path) ? 404 : undefined)))
    await page.getByRole('alert').getByText(/404/).waitFor()
  })

  itLong('an HTML page in place of the script', async () => {
    await page.route(/page-\w+\.js/, (route) => route.fulfill(HTML))
    await page.goto(home())
    await page
      .getByRole('alert')
      .getByText(/its script cannot run: .*Unexpected token/)
      .waitFor()
  })

  itLong('the styles cannot be loaded: a message says so above the page', async () => {
    await page.goto(await proxied((path) => (path.includes('styles-') ? 403 : undefined)))
    await page
      .getByRole('alert')
      .getByText(/styles-/)
      .waitFor()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
  })

  it('an HTML page in place of the session: the message says what answers instead, and offers a retry', async () => {
    await answer(/page\/session/, HTML)
    await page.goto(home())
    await page.getByRole('alert').getByText('text/html instead of JSON').waitFor()
    await page.unroute(/page\/session/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
  })

  it('an HTML page in place of the API, in every list', async () => {
    await answer(/api\/v2/, HTML)
    for (const view of oneIn(3, ['runs', 'definitions', 'queues', 'machines', 'definitions/hello', 'runs/hello/r1'])) {
      await page.goto(`${home()}#/${view}`)
      await page.getByRole('alert').first().getByText('text/html instead of JSON').waitFor()
    }
  })

  itLong('a bad gateway without JSON, a 403 with a sentence, no connection', async () => {
    const cases = [
      [{ status: 502, ...HTML }, /502.*proxy/],
      [
        { status: 403, body: NO_ORIGIN, contentType: 'application/json' },
        /^Origin: wanted this server, found another$/
      ],
      [{ status: 503, body: 'null', contentType: 'application/json' }, /503/],
      [
        { status: 200, body: '', contentType: 'application/json' },
        /cannot be shown|does not come from Troupe|instead of JSON/
      ]
    ] as const
    for (const [fulfilled, words] of oneIn(2, cases)) {
      const page = (await open()).page
      await page.route(/page\/session/, (route) => route.fulfill(fulfilled))
      await page.goto(home())
      await page.getByRole('alert').getByText(words).waitFor()
      await page.context().close()
    }
    await page.route(/page\/session/, (route) => route.abort())
    await page.goto(home())
    await page.getByRole('alert').getByText('The server does not answer.').waitFor()
  })

  it('answers of another service: a view that cannot be shown says so', async () => {
    await answer(/api\/v2\/dag-runs/, { json: { unexpected: true } })
    await page.goto(home())
    await page.getByRole('alert').getByText('This view cannot be shown').waitFor()
    await page.unroute(/api\/v2\/dag-runs/)
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
  })

  itLong('parts of the page of another version: the graph, the charts', async () => {
    const dagRunId = await api.started('hello')
    await page.route(/dagre-\w+\.js/, (route) => route.fulfill({ status: 404, body: '{}' }))
    await page.route(/charts-\w+\.json/, (route) => route.fulfill({ status: 404, body: '{}' }))
    await page.goto(`${home()}#/runs/hello/${dagRunId}?side=chart`)
    await page.getByText(/The graph cannot be shown/).waitFor()
    await page.getByText(/was updated after this page was opened/).waitFor()
    await api.call('POST', `/dag-runs/hello/${dagRunId}/stop`)
    await api.ended('hello', dagRunId)
  })

  it('no event stream, but a page: the connection is shown as lost, and is not retried in a tight loop', async () => {
    const dagRunId = await api.started('hello')
    let asked = 0
    await page.route(/\/events$/, (route) => {
      asked++
      return route.fulfill(HTML)
    })
    await page.goto(`${home()}#/runs/hello/${dagRunId}`)
    await page.getByText('Connection lost, retrying').waitFor()
    await page.waitForTimeout(3_000)
    expect(asked).to.be.at.most(5)
    expect(await page.locator('.connection.lost').count()).to.equal(1)
    await api.call('POST', `/dag-runs/hello/${dagRunId}/stop`)
    await api.ended('hello', dagRunId)
  })
})
