/** Requests that two programs would read in two ways, and names that would lead elsewhere. Source: reliability 5.1, F33-F35; RFC 9112 6.3, 11.2. */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { everyRoute } from '../../support/api/every-route.ts'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

describe('API › requests that are no clear ones', () => {
  const engine = fakeEngine({}, { hello: planOf('hello') })
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served(engine)
  })
  after(() => api.close())

  /** Everything that comes until the server closes. */
  const answers = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1', () => socket.write(text))
      let told = ''
      socket.on('data', (bytes) => {
        told += bytes
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(told))
    })

  const START = 'POST /api/v2/dags/hello/start HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  const HIDDEN = 'POST /api/v2/dags/hello/stop-all HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n'
  for (const [what, text] of [
    ['two lengths', `${START}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `],
    ['two lengths in one', `${START}Content-Length: 2, 3\r\n\r\n{} `],
    ['a length with a sign', `${START}Content-Length: +2\r\n\r\n{}`],
    ['a length that is no number', `${START}Content-Length: 2x\r\n\r\n{}`],
    ['a length and chunks', `${START}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks and a length', `${START}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`],
    ['chunks that are not the last coding', `${START}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['chunks with a blank before the colon', `${START}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk size that is none', `${START}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size with 0x', `${START}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk that is longer than it says', `${START}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size that is too large', `${START}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n`],
    ['lines that end with LF alone', 'GET /api/v2/health HTTP/1.1\nHost: localhost\n\n'],
    ['a header that ends with CR alone', 'GET /api/v2/health HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n'],
    ['a folded header', 'GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\n evil.example\r\n\r\n'],
    ['a blank before the first header', 'GET /api/v2/health HTTP/1.1\r\n Host: localhost\r\n\r\n'],
    ['a blank in the path', 'GET /api/v2/health /x HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['another protocol', 'GET /api/v2/health HTTP/9.1\r\nHost: localhost\r\n\r\n'],
    ['a NUL in a header', 'GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n']
  ] as const)
    it(`${what}: one 400, and the end of the connection: what follows is not read`, async () => {
      const told = await answers(text + HIDDEN)
      const statuses = [...told.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)
      expect(statuses.slice(-1), told).to.deep.equal(['400'])
      expect(statuses.length, told).to.be.lessThan(2)
      expect(told).to.match(/\r\nConnection: close\r\n/i)
      expect(told).to.contain('"code":"bad_request"')
    })

  it('a method, a path or a header in disguise changes nothing', async () => {
    for (const name of ['X-HTTP-Method-Override', 'X-Method-Override', 'X-Original-URL', 'X-Rewrite-URL']) {
      const value = name.includes('URL') ? '/api/v2/dags/hello/start' : 'DELETE'
      expect((await api.call('GET', '/health', { headers: { [name]: value } })).status, name).to.equal(200)
    }
    expect(engine.texts.has('hello')).to.equal(true)
  })
})

describe('API › dots, slashes and NULs lead nowhere', () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-test-'))
  const engine = fakeEngine({ dagsDir: folder, logDir: folder, dataDir: folder }, { hello: planOf('hello') })
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    writeFileSync(join(folder, 'secret'), 'of the user')
    api = await served(engine)
  })
  after(() => api.close())
  const NAMES = [
    '..',
    '.',
    '../secret',
    '..%2fsecret',
    '%2e%2e',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..%5csecret',
    '....//',
    '%2fetc%2fpasswd',
    'secret%00',
    '%00',
    '%252e%252e%252fsecret',
    '~root',
    '%c0%ae%c0%ae',
    'a%0d%0ab',
    'a%2f..%2fb'
  ]

  it('in each parameter of each path: 4xx, no word of a file, and nothing has changed', async () => {
    const before = JSON.stringify([[...engine.texts], engine.runs(), readdirSync(folder)])
    let tried = 0
    for (const { method, path, version } of everyRoute()) {
      // Any text on one line is a name of a worker, and none is of a file: test/e2e/cli/remote-home.test.ts.
      if (path.endsWith('/enroll')) continue
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
      for (const parameter of parameters)
        for (const name of NAMES) {
          const filled = path.replace(/\{(\w+)\}/g, (_, one: string) => (one === parameter ? name : 'hello'))
          const query = path.endsWith('/events') ? '?follow=false' : ''
          const body =
            method === 'GET' || method === 'HEAD'
              ? undefined
              : { spec: 'steps: []', status: 4, suspend: true, newFileName: 'x' }
          const { status, text } = await api.callAt(method, `/api/${version}${filled}${query}`, body ? { body } : {})
          expect(status, `${method} ${filled}`).to.be.within(301, 405)
          expect(text, `${method} ${filled}`).to.not.match(/of the user|root:|ENOENT|troupe-test-/)
          tried++
        }
    }
    expect(tried).to.be.greaterThan(500)
    expect(JSON.stringify([[...engine.texts], engine.runs(), readdirSync(folder)])).to.equal(before)
  })

  it('in each name of a body: 400', async () => {
    const names = ['../secret', '/etc/passwd', 'a/../b', '..', 'a\0b', '..\\secret', 'a\nb', '%2e%2e%2f']
    const spec = 'steps:\n  - echo hi\n'
    for (const name of names)
      for (const [path, body] of [
        ['/dags', { name }],
        ['/dags/hello/rename', { newFileName: name }],
        ['/dags/hello/start', { dagRunId: name }],
        ['/dags/hello/start', { dagName: name }],
        ['/dags/hello/enqueue', { queue: name }],
        ['/dag-runs', { spec, name }],
        ['/dag-runs', { spec, dagRunId: name }],
        ['/dag-runs/enqueue', { spec, queue: name }]
      ] as const)
        expect((await api.call('POST', path, { body })).status, JSON.stringify(body)).to.equal(400)
    expect(readdirSync(folder)).to.deep.equal(['secret'])
    expect(engine.started).to.deep.equal([])
  })
})

describe('API › headers of answers', () => {
  it('what a step has written is never HTML, and no type is guessed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-test-'))
    const log = join(folder, 'run.log')
    writeFileSync(log, '<script>alert(1)</script>\n')
    const engine = fakeEngine()
    engine.addRun({ name: 'hello', dagRunId: 'r', log })
    const api = await served(engine)
    try {
      for (const Accept of ['text/html', 'text/plain', '*/*', 'application/json']) {
        const { status, headers, text } = await api.call('GET', '/dag-runs/hello/r/log', { headers: { Accept } })
        expect([status, text.includes('alert(1)')], Accept).to.deep.equal([200, true])
        expect(headers['content-type'], Accept).to.match(/^(?:application\/json|text\/plain); charset=utf-8$/)
        expect(headers['x-content-type-options']).to.equal('nosniff')
        expect(headers).to.not.have.property('access-control-allow-origin')
      }
    } finally {
      await api.close()
    }
  })
})
