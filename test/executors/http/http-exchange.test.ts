/** What an http step sends and what it shows of the answer. Source: execution-semantics 10.4.1-10.4.5. */
import { expect } from 'chai'
import { marksFrom } from '../../../src/executors/launcher/marks.ts'
import { secretsOf, uncoverBytes } from '../../../src/masking/secrets.ts'
import { httpSite, type Seen } from '../../support/executors/http-site.ts'

describe('http executor', () => {
  const site = httpSite()
  const { answers, bench, seen } = site

  it('10.4.3: code and reason, headers sorted by name, then the body without a blank line', async () => {
    const { exitCode, out, err } = await bench.run({ words: ['GET', `${site.base}/hello`] })
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
    await bench.run({ words: ['post', `${site.base}/hello?p=1`], config })
    const [{ request, body } = {} as Seen] = seen
    expect([request.method, request.url, body]).to.deep.equal(['POST', '/hello?p=1&q=a+b%26c&r=x&r=2', 'text'])
    expect(request.headers).to.include({ 'x-one': '1', authorization: 'secret', 'content-length': '4' })
  })
  it('10.4.2: no value of a header is dropped: a list of them, or names that differ by case, are one header', async () => {
    const headers = { 'X-One': ['a', 'b'], 'x-one': 'c', Cookie: ['a=1', 'b=2'] }
    await bench.run({ words: ['GET', `${site.base}/hello`], config: { headers } })
    expect(seen[0]?.request.headers).to.include({ 'x-one': 'a, b, c', cookie: 'a=1; b=2' })
  })
  it('10.4.2: a script that holds JSON replaces config', async () => {
    const script = '{"silent": "true", "headers": {"x-one": "script"}}'
    const { out } = await bench.run({
      words: ['GET', `${site.base}/hello`],
      config: { headers: { 'x-two': 'c' } },
      script
    })
    expect(out).to.equal('body\nend')
    expect(seen[0]?.request.headers).to.include({ 'x-one': 'script' }).and.not.have.property('x-two')
    const refused = await bench.run({ words: ['GET', `${site.base}/hello`], script: 'no json' })
    expect(refused.err).to.include('must hold a JSON object')
  })
  it('10.4.4: silent and 2xx: the body only', async () => {
    const { out } = await bench.run({ words: ['GET', `${site.base}/hello`], config: { silent: true } })
    expect(out).to.equal('body\nend')
  })
  it('10.4.4: not 2xx: status, headers and body even when silent, then the step fails', async () => {
    const end = await bench.run({ words: ['GET', `${site.base}/missing`], config: { silent: true } })
    expect(end).to.include({ exitCode: 1, err: 'http status code not 2xx: 404\n' })
    expect(end.out).to.match(/^404 Not Found\nConnection: close\nContent-Type: text\/plain\n[\s\S]*\ngone$/)
  })
  it('10.4.5: json: status, headers and body, 1-space indent, no final newline; numbers keep their digits', async () => {
    const { out } = await bench.run({ words: ['GET', `${site.base}/json`], config: { json: true } })
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
    const { out } = await bench.run({ words: ['GET', `${site.base}/text`], config: { json: true, silent: true } })
    expect(JSON.parse(out)).to.deep.equal({ status_code: 0, headers: null, body: 'no json' })
  })
  it('P23: a secret is not in the JSON that is made of an answer, with its quotes neither; what needs none of that is kept for later steps', async () => {
    const secret = 'pass"wo\\rd'
    const lines = 'first line\nsecond line'
    answers['/tells'] = (_, response) => void response.setHeader('x-key', secret).end(JSON.stringify({ secret, lines }))
    const masking = { secrets: secretsOf({ PASSWORD: secret, KEY: lines }), marks: true }
    const { execution, outcome } = bench.start({
      words: ['GET', `${site.base}/tells`],
      config: { json: true },
      masking
    })
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
    const { err } = await bench.run({ words: ['GET', `${site.base}/near`], config })
    expect(err).to.include(`> GET ${site.base}/near`).and.include('> X-A: shown').and.include('< 303 See Other')
    expect(err).to.include(`> GET ${site.base}/hello`).and.not.include('hush')
  })

  it('10.4.2: headers are sent as they are, and shown as they come, in UTF-8', async () => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1')
    answers['/gr%C3%BCn'] = (_, response) => void response.writeHead(302, { location: bytes('/dorthin?zu=grün') }).end()
    answers['/dorthin'] = ({ url }, response) =>
      void response.writeHead(200, { 'x-a': bytes('grün ☃'), 'x-b': 'gr\xfcn', 'x-url': url }).end()
    const { out } = await bench.run({ words: ['GET', `${site.base}/grün`], config: { headers: { 'X-Own': 'grün ☃' } } })
    expect(seen[0]?.request.headers['x-own']).to.equal(bytes('grün ☃'))
    expect(out).to.include('\nX-A: grün ☃\nX-B: grün\nX-Url: /dorthin?zu=gr%C3%BCn\n')
  })
})
