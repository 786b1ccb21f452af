/** The http executor against real servers on loopback. Source: execution-semantics 10.4. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { http } from '../../../src/executors/http/http.ts'
import { marksFrom } from '../../../src/executors/launcher/marks.ts'
import { secretsOf, uncoverBytes } from '../../../src/masking/secrets.ts'
import { selfSigned } from '../../support/auth/certificates.ts'
import { benchFor } from '../../support/executors/executions.ts'

interface Seen {
  request: IncomingMessage
  body: string
}

describe('http executor', () => {
  let limits = { bodyBytes: 1_000_000, jsonBytes: 1_000_000 }
  const bench = benchFor((work) => http(work, systemClock, limits))
  const servers: Server[] = []
  let seen: Seen[] = []
  let base = ''
  let other = ''

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
      response.writeHead(302, { location: `${other}/hello` }).end()
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
  before(async () => {
    base = `http://127.0.0.1:${await listen(createServer(listener))}`
    other = `http://127.0.0.1:${await listen(createServer(listener))}`
  })
  after(() => {
    for (const server of servers) (server as ReturnType<typeof createServer>).closeAllConnections()
    for (const server of servers) server.close()
  })
  beforeEach(() => {
    seen = []
    limits = { bodyBytes: 1_000_000, jsonBytes: 1_000_000 }
  })

  it('10.4.3: code and reason, headers sorted by name, then the body without a blank line', async () => {
    const { exitCode, out, err } = await bench.run({ words: ['GET', `${base}/hello`] })
    expect([exitCode, err]).to.deep.equal([0, ''])
    expect(out).to.equal(
      '200 Fine\nConnection: close\nDate: D\nTransfer-Encoding: chunked\nX-A: one\nX-B: two\nbody\nend'
    )
  })
  it('10.4.1: the method is upper-cased; headers, query and body of 10.4.2 are sent', async () => {
    const config = {
      headers: { 'X-One': 1, authorization: 'secret' },
      query: { q: 'a b&c', r: ['x', 2] },
      body: 'text'
    }
    await bench.run({ words: ['post', `${base}/hello?p=1`], config })
    const [{ request, body } = {} as Seen] = seen
    expect([request.method, request.url, body]).to.deep.equal(['POST', '/hello?p=1&q=a+b%26c&r=x&r=2', 'text'])
    expect(request.headers).to.include({ 'x-one': '1', authorization: 'secret', 'content-length': '4' })
  })
  it('10.4.2: no value of a header is dropped: a list of them, or names that differ by case, are one header', async () => {
    const headers = { 'X-One': ['a', 'b'], 'x-one': 'c', Cookie: ['a=1', 'b=2'] }
    await bench.run({ words: ['GET', `${base}/hello`], config: { headers } })
    expect(seen[0]?.request.headers).to.include({ 'x-one': 'a, b, c', cookie: 'a=1; b=2' })
  })
  it('10.4.2: a script that holds JSON replaces config', async () => {
    const script = '{"silent": "true", "headers": {"x-one": "script"}}'
    const { out } = await bench.run({ words: ['GET', `${base}/hello`], config: { headers: { 'x-two': 'c' } }, script })
    expect(out).to.equal('body\nend')
    expect(seen[0]?.request.headers).to.include({ 'x-one': 'script' }).and.not.have.property('x-two')
    const refused = await bench.run({ words: ['GET', `${base}/hello`], script: 'no json' })
    expect(refused.err).to.include('must hold a JSON object')
  })
  it('10.4.4: silent and 2xx: the body only', async () => {
    const { out } = await bench.run({ words: ['GET', `${base}/hello`], config: { silent: true } })
    expect(out).to.equal('body\nend')
  })
  it('10.4.4: not 2xx: status, headers and body even when silent, then the step fails', async () => {
    const end = await bench.run({ words: ['GET', `${base}/missing`], config: { silent: true } })
    expect(end).to.include({ exitCode: 1, err: 'http status code not 2xx: 404\n' })
    expect(end.out).to.match(/^404 Not Found\nConnection: close\nContent-Type: text\/plain\n[\s\S]*\ngone$/)
  })
  it('10.4.5: json: status, headers and body, 1-space indent, no final newline; numbers keep their digits', async () => {
    const { out } = await bench.run({ words: ['GET', `${base}/json`], config: { json: true } })
    expect(out).to.equal(`{
 "status_code": 201,
 "headers": {
  "Connection": [
   "close"
  ],
  "Date": [
   "D"
  ],
  "Set-Cookie": [
   "a=1",
   "b=2"
  ],
  "Transfer-Encoding": [
   "chunked"
  ]
 },
 "body": {
  "n": 12345678901234567890,
  "list": [
   1
  ]
 }
}`)
  })
  it('10.4.5: with silent and 2xx status_code is 0 and headers null; a body that is not JSON is a string', async () => {
    const { out } = await bench.run({ words: ['GET', `${base}/text`], config: { json: true, silent: true } })
    expect(JSON.parse(out)).to.deep.equal({ status_code: 0, headers: null, body: 'no json' })
  })
  it('P23: a secret is not in the JSON that is made of an answer, with its quotes neither; what needs none of that is kept for later steps', async () => {
    const secret = 'pass"wo\\rd'
    const lines = 'first line\nsecond line'
    answers['/tells'] = (_, response) => void response.setHeader('x-key', secret).end(JSON.stringify({ secret, lines }))
    const masking = { secrets: secretsOf({ PASSWORD: secret, KEY: lines }), marks: true }
    const { execution, outcome } = bench.start({ words: ['GET', `${base}/tells`], config: { json: true }, masking })
    const { out } = await outcome
    expect(out).not.to.include(JSON.stringify(secret).slice(1, -1))
    const { headers, body } = JSON.parse(out)
    expect([headers['X-Key'], body]).to.deep.equal([['*******'], { secret: '*******', lines: '*******\n*******' }])
    const marks = await marksFrom(execution.stdout, 0)
    const uncovered = uncoverBytes(Buffer.from(out), marks, masking.secrets.values).toString()
    expect(JSON.parse(uncovered).body).to.deep.equal({ secret: '*******', lines })
  })
  it('10.4.2: debug prints the exchange to stderr, without credentials', async () => {
    const config = { debug: true, headers: { Authorization: 'hush', 'X-Api-Key': 'hush', 'X-A': 'shown' } }
    const { err } = await bench.run({ words: ['GET', `${base}/near`], config })
    expect(err).to.include(`> GET ${base}/near`).and.include('> X-A: shown').and.include('< 303 See Other')
    expect(err).to.include(`> GET ${base}/hello`).and.not.include('hush')
  })

  it('10.4.2: headers are sent as they are, and shown as they come, in UTF-8', async () => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1')
    answers['/gr%C3%BCn'] = (_, response) => void response.writeHead(302, { location: bytes('/dorthin?zu=grün') }).end()
    answers['/dorthin'] = ({ url }, response) =>
      void response.writeHead(200, { 'x-a': bytes('grün ☃'), 'x-b': 'gr\xfcn', 'x-url': url }).end()
    const { out } = await bench.run({ words: ['GET', `${base}/grün`], config: { headers: { 'X-Own': 'grün ☃' } } })
    expect(seen[0]?.request.headers['x-own']).to.equal(bytes('grün ☃'))
    expect(out).to.include('\nX-A: grün ☃\nX-B: grün\nX-Url: /dorthin?zu=gr%C3%BCn\n')
  })
  it('10.4.6: redirects are followed; what the step wrote goes along to the same origin', async () => {
    const headers = { authorization: 'a', Cookie: 'c=1', 'x-key': 'k' }
    await bench.run({ words: ['GET', `${base}/near`], config: { headers } })
    expect(seen[1]?.request.headers).to.include({ authorization: 'a', cookie: 'c=1', 'x-key': 'k' })
  })
  describe('10.4.6: a redirect to another origin takes no keys along', () => {
    const keys = {
      ...{ Authorization: 'a', 'Proxy-Authorization': 'a', Cookie: 'c=1', 'X-Api-Key': 'k', 'PRIVATE-TOKEN': 'k' },
      ...{ 'X-Anything': 'k', 'X-Amz-Date': 'd', Referer: `${base}/?token=t`, Accept: 'text/x', 'User-Agent': 'me' }
    }
    const names = () => Object.keys(seen.at(-1)?.request.headers ?? {}).sort()

    it('another port: only what is negotiated with every server', async () => {
      const end = await bench.run({ words: ['GET', `${base}/away`], config: { headers: keys } })
      expect([end.exitCode, seen.length]).to.deep.equal([0, 2])
      expect(names()).to.deep.equal(['accept', 'connection', 'host', 'user-agent'])
      expect(seen[1]?.request.headers).to.include({ host: new URL(other).host, accept: 'text/x', 'user-agent': 'me' })
    })
    it('another host, and back: what is gone stays gone', async () => {
      const named = other.replace('127.0.0.1', 'localhost')
      answers['/there'] = (_, response) => void response.writeHead(308, { location: `${named}/back` }).end()
      answers['/back'] = (_, response) => void response.writeHead(307, { location: `${base}/hello` }).end()
      await bench.run({ words: ['GET', `${base}/there`], config: { headers: keys } })
      expect(seen.map(({ request }) => request.url)).to.deep.equal(['/there', '/back', '/hello'])
      expect(names()).to.deep.equal(['accept', 'connection', 'host', 'user-agent'])
    })
    it('https to http on the same host', async () => {
      const port = await listen(createTlsServer(selfSigned('localhost'), listener))
      const config = { headers: keys, skipTLSVerify: true }
      await bench.run({ words: ['GET', `https://127.0.0.1:${port}/away`], config })
      expect(names()).to.deep.equal(['accept', 'connection', 'host', 'user-agent'])
    })
    it('a header that holds a secret of the run stays, whatever its name', async () => {
      const masking = { secrets: secretsOf({ T: 'hush-hush' }), marks: false }
      const headers = { Accept: 'text/x; key=hush-hush', 'Accept-Language': 'de' }
      await bench.run({ words: ['GET', `${base}/away`], config: { headers }, masking })
      expect(names()).to.deep.equal(['accept-language', 'connection', 'host', 'user-agent'])
    })
    it('a body goes along with 307 and 308, but none that holds a secret; with the others neither it nor its headers', async () => {
      answers['/moved'] = (_, response) => void response.writeHead(307, { location: `${other}/hello` }).end()
      const words = ['POST', `${base}/moved`]
      await bench.run({ words, config: { body: 'data', headers: { 'content-type': 'text/x', 'x-key': 'k' } } })
      expect([seen[1]?.request.method, seen[1]?.body]).to.deep.equal(['POST', 'data'])
      expect(names()).to.deep.equal(['connection', 'content-length', 'content-type', 'host', 'user-agent'])
      const masking = { secrets: secretsOf({ T: 'hush-hush' }), marks: false }
      const end = await bench.run({ words, config: { body: '{"key": "hush-hush"}' }, masking })
      expect(end.exitCode).to.equal(1)
      expect(end.err).to.include(`redirected (307) to ${other}, and the body holds a secret`)
      expect(seen).to.have.length(3)
      await bench.run({ words: ['POST', `${base}/away`], config: { body: 'data' } })
      expect([seen.at(-1)?.request.method, seen.at(-1)?.body, names()]).to.deep.equal([
        'GET',
        '',
        ['connection', 'host', 'user-agent']
      ])
    })
    it('a name and password in the address of the redirect become their own header', async () => {
      const login = other.replace('//', '//me:pw@')
      for (const status of [302, 307]) {
        answers['/login'] = (_, response) => void response.writeHead(status, { location: `${login}/hello` }).end()
        await bench.run({ words: ['GET', `${base}/login`], config: { headers: keys } })
        expect(seen.at(-1)?.request.headers.authorization).to.equal(`Basic ${Buffer.from('me:pw').toString('base64')}`)
      }
    })
  })
  it('a name and password in the URL are sent as a header, and not to another origin', async () => {
    const address = base.replace('//', '//me:p%40ss@')
    await bench.run({ words: ['GET', `${address}/away`] })
    expect(seen[0]?.request.headers.authorization).to.equal(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
    expect(seen[1]?.request.headers).not.to.have.property('authorization')
  })
  it('303 becomes GET without the body, 307 keeps method and body', async () => {
    await bench.run({ words: ['PUT', `${base}/near`], config: { body: 'b' } })
    expect([seen[1]?.request.method, seen[1]?.body]).to.deep.equal(['GET', ''])
    seen = []
    await bench.run({ words: ['PUT', `${base}/keep`], config: { body: 'b' } })
    expect([seen[1]?.request.method, seen[1]?.body]).to.deep.equal(['PUT', 'b'])
  })
  it('10.4.6: at most 10 redirects, and to http only', async () => {
    const end = await bench.run({ words: ['GET', `${base}/loop`] })
    expect(end).to.include({ exitCode: 1, err: `GET ${base}/loop: stopped after 10 redirects\n` })
    expect(seen).to.have.length(11)
    const { err } = await bench.run({ words: ['GET', `${base}/file`] })
    expect(err).to.include('no http:// or https:// URL')
  })
  it('10.4.6: a transport error is exit code 1 with the reason, without query or password', async () => {
    const { exitCode, err } = await bench.run({ words: ['GET', 'http://u:p@127.0.0.1:1/x?token=t'] })
    expect(exitCode).to.equal(1)
    expect(err).to.match(/^GET http:\/\/127\.0\.0\.1:1\/x: .*ECONNREFUSED/)
  })
  it('14.4.6 the path in a message is the written one, so that a secret in it is masked', async () => {
    const path = '/k<e>"{y}é'
    const { err } = await bench.run({
      words: ['GET', `http://u:p@127.0.0.1:1${path}?token=t`],
      config: { debug: true }
    })
    expect(err).to.include(`> GET http://127.0.0.1:1${path}\n`)
    expect(err).to.include(`\nGET http://127.0.0.1:1${path}: `).and.not.include('token').and.not.include('u:p')
  })
  it('10.4.2: timeout in seconds', async () => {
    const { exitCode, err } = await bench.run({ words: ['GET', `${base}/never`], config: { timeout: '0.05' } })
    expect([exitCode, err]).to.deep.equal([1, `GET ${base}/never: timed out after 0.05s\n`])
  })
  it('10.4.6: a stop aborts the request', async () => {
    const { running, outcome } = bench.start({ words: ['GET', `${base}/never`] })
    running.stop('SIGTERM')
    expect(await outcome).to.include({ exitCode: -1, signal: 'terminated', err: '' })
  })
  it('R18: a body beyond the limit fails the step; what came is in the log', async () => {
    limits = { bodyBytes: 1_000, jsonBytes: 500 }
    const words = ['GET', `${base}/large`]
    expect((await bench.run({ words, config: { silent: true } })).err).to.include('exceeds the limit of 1000 bytes')
    expect((await bench.run({ words, config: { json: true } })).err).to.include('500 bytes for json: true')
  })
  it('10.4.1: what is no method and URL is refused', async () => {
    for (const words of [[], ['GET'], ['GET', 'nowhere'], ['GET', 'ftp://h/']]) {
      const { exitCode, err } = await bench.run({ words })
      expect([exitCode, err]).to.satisfy(
        ([code, text]: [number, string]) => code === 1 && text.startsWith('http executor requires "<METHOD> <URL>"')
      )
    }
  })
  it('a header cannot be smuggled in by a line break', async () => {
    const { exitCode } = await bench.run({ words: ['GET', `${base}/hello`], config: { headers: { a: 'b\r\nx: y' } } })
    expect([exitCode, seen.length]).to.deep.equal([1, 0])
  })
  it('10.4.6: a proxy that is set for the server is used, for other hosts than this one', async () => {
    const before = process.env.http_proxy
    process.env.http_proxy = base
    try {
      const end = await bench.run({ words: ['GET', 'http://host.invalid/hello'], config: { silent: true } })
      expect(end).to.include({ exitCode: 0, out: 'body\nend' })
      expect(seen[0]?.request.url).to.equal('http://host.invalid/hello')
      await bench.run({ words: ['GET', `${other}/hello`] })
      expect(seen[1]?.request.url).to.equal('/hello')
    } finally {
      if (before === undefined) delete process.env.http_proxy
      else process.env.http_proxy = before
    }
  })
  it('10.4.2: an untrusted certificate is refused, unless skipTLSVerify', async () => {
    const port = await listen(createTlsServer(selfSigned('localhost'), listener))
    const words = ['GET', `https://127.0.0.1:${port}/hello`]
    const refused = await bench.run({ words })
    expect(refused.exitCode).to.equal(1)
    expect(refused.err).to.match(/self.signed certificate/)
    expect(await bench.run({ words, config: { skipTLSVerify: 'true', silent: true } })).to.include({
      exitCode: 0,
      out: 'body\nend'
    })
  })
})
