/** Which answers an http step takes, byte by byte, and which it refuses. Source: execution-semantics 10.4; D652. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { openAnswerHead } from '../../../src/executors/http/answer-head.ts'
import { http } from '../../../src/executors/http/http.ts'
import { selfSigned } from '../../support/auth/certificates.ts'
import { benchFor } from '../../support/executors/executions.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

const LIMITS = { bodyBytes: 1_000_000, jsonBytes: 1_000_000 }
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'
const many = Array.from({ length: 5_000 }, (_, number) => `X-${number}: ${number}\r\n`).join('')
const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\nok`

/** All of them say `ok`. */
const TAKEN: Record<string, string> = {
  'headers of 40 kB': head(`X-Policy: ${'a'.repeat(40_000)}`, 'Content-Length: 2'),
  'headers of 500 kB': head(`X-Policy: ${'a'.repeat(500_000)}`, 'Content-Length: 2'),
  '5,000 headers': `HTTP/1.1 200 OK\r\n${many}Content-Length: 2\r\n\r\nok`,
  '100 that nobody asked for': `HTTP/1.1 100 Continue\r\n\r\n${FINAL}`,
  '102, 103 and 199': `HTTP/1.1 102 Processing\r\n\r\n${hints}HTTP/1.1 199 Odd\r\n\r\n${FINAL}`,
  'a hundred interim answers': hints.repeat(100) + FINAL,
  'equal lengths': head('Content-Length: 2', 'content-length: 02'),
  'a list of equal lengths': head('Content-Length: 2, 2'),
  'lines that end in LF': 'HTTP/1.1 200 OK\nX-A: one\nContent-Length: 2\n\nok',
  'a header over two lines': head('X-A: one', '\ttwo', 'Content-Length: 2'),
  'blanks before a colon': head('X-A : one', 'Content-Length : 2'),
  'blank lines first': `\r\n\n${FINAL}`,
  'no reason': 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.0 and no length': 'HTTP/1.0 200 OK\r\n\r\nok',
  'an offer to upgrade': head('Upgrade: h2c', 'Connection: Upgrade', 'Content-Length: 2'),
  'chunks with extensions and a trailer': head('Transfer-Encoding: chunked').replace(
    /ok$/,
    '2;a=b\r\nok\r\n0\r\nX: 1\r\n\r\n'
  ),
  'more behind the end': `${FINAL} and more`
}
const REFUSED: [name: string, answer: string, why: RegExp][] = [
  [
    'lengths that differ',
    head('Content-Length: 2', 'Content-Length: 3'),
    /lengths that differ: Content-Length 2 and 3/
  ],
  ['a list of lengths that differ', head('Content-Length: 2, 3'), /lengths that differ/],
  ['a length that is none', head('Content-Length: 2x'), /Content-Length|does not match/],
  ['a length beside chunks', head('Transfer-Encoding: chunked', 'Content-Length: 2'), /Transfer-Encoding/],
  [
    'headers beyond the limit',
    head(`X: ${'a'.repeat(600_000)}`),
    /headers of the answer are larger than the limit of 524288 bytes/
  ],
  ['interim answers without end', hints.repeat(20_000), /larger than the limit of 524288 bytes/],
  ['101 that nobody asked for', `HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n${FINAL}`, /switches to another protocol/],
  ['control characters in a header', head('X-A: a\x01b', 'Content-Length: 2'), /Invalid header value/],
  ['a line without a colon', head('nonsense here', 'Content-Length: 2'), /Invalid header/],
  ['no HTTP', 'ok', /Expected HTTP/],
  ['less than the length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok', /closed/],
  ['chunks without an end', head('Transfer-Encoding: chunked').replace(/ok$/, '2\r\nok\r\n'), /closed/],
  ['nothing', '', /closed/]
]

describe('http executor › answers', () => {
  const bench = benchFor((work) => http(work, systemClock, LIMITS))
  const answers: string[] = []
  let perWrite = 1_000_000
  const server = createServer((socket) => {
    socket.on('error', () => {}) // the client has had enough
    socket.once('data', async () => {
      const bytes = Buffer.from(answers.shift() ?? '', 'latin1')
      for (let at = 0; at < bytes.length && !socket.destroyed; at += perWrite) {
        socket.write(bytes.subarray(at, at + perWrite))
        if (perWrite < 1_000) await new Promise((resolve) => setImmediate(resolve))
      }
      socket.end()
    })
  })
  let address = ''
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  after(() => server.close())
  afterEach(() => {
    answers.length = 0
    perWrite = 1_000_000
  })
  const get = (answer: string, config: Record<string, boolean> = { silent: true }, method = 'GET') => {
    answers.push(answer)
    return bench.run({ words: [method, address], config })
  }

  for (const [name, answer] of Object.entries(TAKEN))
    it(`takes ${name}`, async () => {
      expect(await get(answer)).to.include({ exitCode: 0, err: '', out: 'ok' })
    })
  for (const [name, answer, why] of REFUSED)
    it(`refuses ${name}`, async () => {
      const { exitCode, err } = await get(answer)
      expect(exitCode).to.equal(1)
      expect(err).to.match(why)
    })
  it('however its bytes come', async () => {
    perWrite = 1
    const answer = `${hints}HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok`
    expect((await get(answer, {})).out).to.equal('200 OK\nContent-Length: 2\nX-A: one two\nok')
  })
  it('a server of another kind that says a word and waits is refused at once', async () => {
    const other = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('SSH-2.0-x\r\n')
    })
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const words = ['GET', `http://127.0.0.1:${(other.address() as AddressInfo).port}/`]
    expect((await bench.run({ words, config: { timeout: 20 } })).err).to.match(/Expected HTTP|bad response|closed/)
    other.close()
  })
  it('the length that an answer without a body names is no length of it', async () => {
    const { exitCode, err } = await get('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 5\r\n\r\n')
    expect([exitCode, err]).to.deep.equal([1, 'http status code not 2xx: 304\n'])
    expect(await get('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n')).to.include({ exitCode: 0, out: '' })
    expect(await get('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', { silent: true }, 'HEAD')).to.include({
      exitCode: 0,
      out: ''
    })
  })
  it('a redirect to the same server makes a new connection, and each answer is read alike', async () => {
    const away = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\nLocation: /b\nContent-Length: 0\nContent-Length: 0\n\n`
    answers.push(away, away)
    expect(await get(`HTTP/1.1 100 Continue\r\n\r\n${FINAL}`)).to.include({ exitCode: 0, out: 'ok' })
  })
  describe('through a proxy that is set for the server', () => {
    const odd = `HTTP/1.1 100 Continue\r\n\r\n${head(`X-Policy: ${'a'.repeat(40_000)}`, 'Content-Length: 2, 2')}`
    const asked: string[] = []
    const origin = createTlsServer(selfSigned('localhost'), (socket) => {
      socket.on('error', () => {})
      socket.once('data', (bytes) => {
        asked.push(String(bytes).split('\r\n')[0] ?? '')
        socket.end(odd)
      })
    })
    const proxy = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', (bytes) => {
        const [line = ''] = String(bytes).split('\r\n')
        asked.push(line)
        if (!line.startsWith('CONNECT')) return socket.end(odd)
        const tunnel = connect((origin.address() as AddressInfo).port, '127.0.0.1')
        tunnel.on('error', () => {})
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(tunnel).pipe(socket)
      })
    })
    const names = ['http_proxy', 'https_proxy', 'no_proxy']
    const set = new Map(names.map((name) => [name, process.env[name]]))
    before(async () => {
      for (const server of [origin, proxy]) await once(server.listen(0, '127.0.0.1'), 'listening')
      for (const name of names) delete process.env[name]
      process.env.http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    })
    after(() => {
      for (const [name, value] of set) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
      for (const server of [origin, proxy]) server.close()
    })
    beforeEach(() => {
      asked.length = 0
    })

    it('http: the answers of the proxy', async () => {
      const end = await bench.run({ words: ['GET', 'http://host.invalid/a'], config: { silent: true } })
      expect(end).to.include({ exitCode: 0, err: '', out: 'ok' })
      expect(asked).to.deep.equal(['GET http://host.invalid/a HTTP/1.1'])
    })
    it('https: those of the server, through a tunnel', async () => {
      const config = { silent: true, skipTLSVerify: true }
      const end = await bench.run({ words: ['GET', 'https://host.invalid/a'], config })
      expect(end).to.include({ exitCode: 0, err: '', out: 'ok' })
      expect(asked).to.deep.equal(['CONNECT host.invalid:443 HTTP/1.1', 'GET /a HTTP/1.1'])
      expect((await bench.run({ words: ['GET', 'https://host.invalid/a'] })).err).to.match(/self.signed certificate/)
    })
  })
  it('a head that trickles in by the byte costs no more than its size', async () => {
    const trickled = (bytes: number) => {
      const { next } = openAnswerHead()
      for (let count = 0; count < bytes; count++) next(Buffer.from(count % 50 === 0 ? '\n' : 'a'))
    }
    expect(await growth(trickled, 40_000)).to.be.below(LINEAR)
  })
})
