/** How an http step fails: refused words, transport errors, time and size limits, a stop; and the way through a proxy or TLS. Source: execution-semantics 10.4.1, 10.4.2, 10.4.6; reliability R18. */
import { createServer } from 'node:https'
import { expect } from 'chai'
import { selfSigned } from '../../support/auth/certificates.ts'
import { httpSite } from '../../support/executors/http-site.ts'

describe('http executor', () => {
  const site = httpSite()
  const { bench, listen, listener, seen } = site

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
    const { exitCode, err } = await bench.run({ words: ['GET', `${site.base}/never`], config: { timeout: '0.05' } })
    expect([exitCode, err]).to.deep.equal([1, `GET ${site.base}/never: timed out after 0.05s\n`])
  })
  it('10.4.6: a stop aborts the request', async () => {
    const { running, outcome } = bench.start({ words: ['GET', `${site.base}/never`] })
    running.stop('SIGTERM')
    expect(await outcome).to.include({ exitCode: -1, signal: 'terminated', err: '' })
  })
  it('R18: a body beyond the limit fails the step; what came is in the log', async () => {
    site.limits = { bodyBytes: 1_000, jsonBytes: 500 }
    const words = ['GET', `${site.base}/large`]
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
    const { exitCode } = await bench.run({
      words: ['GET', `${site.base}/hello`],
      config: { headers: { a: 'b\r\nx: y' } }
    })
    expect([exitCode, seen.length]).to.deep.equal([1, 0])
  })
  it('10.4.6: a proxy that is set for the server is used, for other hosts than this one', async () => {
    const before = process.env.http_proxy
    process.env.http_proxy = site.base
    try {
      const end = await bench.run({ words: ['GET', 'http://host.invalid/hello'], config: { silent: true } })
      expect(end).to.include({ exitCode: 0, out: 'body\nend' })
      expect(seen[0]?.request.url).to.equal('http://host.invalid/hello')
      await bench.run({ words: ['GET', `${site.other}/hello`] })
      expect(seen[1]?.request.url).to.equal('/hello')
    } finally {
      if (before === undefined) delete process.env.http_proxy
      else process.env.http_proxy = before
    }
  })
  it('10.4.2: an untrusted certificate is refused, unless skipTLSVerify', async () => {
    const port = await listen(createServer(selfSigned('localhost'), listener))
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
