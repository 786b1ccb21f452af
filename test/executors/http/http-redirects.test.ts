/** Which redirects an http step follows, and what it takes along to another origin. Source: execution-semantics 10.4.6. */
import { createServer } from 'node:https'
import { expect } from 'chai'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { selfSigned } from '../../support/auth/certificates.ts'
import { httpSite } from '../../support/executors/http-site.ts'

describe('http executor', () => {
  const site = httpSite()
  const { answers, bench, listen, listener, seen } = site

  it('10.4.6: redirects are followed; what the step wrote goes along to the same origin', async () => {
    const headers = { authorization: 'a', Cookie: 'c=1', 'x-key': 'k' }
    await bench.run({ words: ['GET', `${site.base}/near`], config: { headers } })
    expect(seen[1]?.request.headers).to.include({ authorization: 'a', cookie: 'c=1', 'x-key': 'k' })
  })
  describe('10.4.6: a redirect to another origin takes no keys along', () => {
    const keys = {
      Authorization: 'a',
      'Proxy-Authorization': 'a',
      Cookie: 'c=1',
      'X-Api-Key': 'k',
      'PRIVATE-TOKEN': 'k',
      'X-Anything': 'k',
      'X-Amz-Date': 'd',
      Referer: `${site.base}/?token=t`,
      Accept: 'text/x',
      'User-Agent': 'me'
    }
    const names = () => Object.keys(seen.at(-1)?.request.headers ?? {}).sort()

    it('another port: only what is negotiated with every server', async () => {
      const end = await bench.run({ words: ['GET', `${site.base}/away`], config: { headers: keys } })
      expect([end.exitCode, seen.length]).to.deep.equal([0, 2])
      expect(names()).to.deep.equal(['accept', 'connection', 'host', 'user-agent'])
      expect(seen[1]?.request.headers).to.include({
        host: new URL(site.other).host,
        accept: 'text/x',
        'user-agent': 'me'
      })
    })
    it('another host, and back: what is gone stays gone', async () => {
      const named = site.other.replace('127.0.0.1', 'localhost')
      answers['/there'] = (_, response) => void response.writeHead(308, { location: `${named}/back` }).end()
      answers['/back'] = (_, response) => void response.writeHead(307, { location: `${site.base}/hello` }).end()
      await bench.run({ words: ['GET', `${site.base}/there`], config: { headers: keys } })
      expect(seen.map(({ request }) => request.url)).to.deep.equal(['/there', '/back', '/hello'])
      expect(names()).to.deep.equal(['accept', 'connection', 'host', 'user-agent'])
    })
    it('https to http on the same host', async () => {
      const port = await listen(createServer(selfSigned('localhost'), listener))
      const config = { headers: keys, skipTLSVerify: true }
      await bench.run({ words: ['GET', `https://127.0.0.1:${port}/away`], config })
      expect(names()).to.deep.equal(['accept', 'connection', 'host', 'user-agent'])
    })
    it('a header that holds a secret of the run stays, whatever its name', async () => {
      const masking = { secrets: secretsOf({ T: 'hush-hush' }), marks: false }
      const headers = { Accept: 'text/x; key=hush-hush', 'Accept-Language': 'de' }
      await bench.run({ words: ['GET', `${site.base}/away`], config: { headers }, masking })
      expect(names()).to.deep.equal(['accept-language', 'connection', 'host', 'user-agent'])
    })
    it('a body goes along with 307 and 308, but none that holds a secret; with the others neither it nor its headers', async () => {
      answers['/moved'] = (_, response) => void response.writeHead(307, { location: `${site.other}/hello` }).end()
      const words = ['POST', `${site.base}/moved`]
      await bench.run({ words, config: { body: 'data', headers: { 'content-type': 'text/x', 'x-key': 'k' } } })
      expect([seen[1]?.request.method, seen[1]?.body]).to.deep.equal(['POST', 'data'])
      expect(names()).to.deep.equal(['connection', 'content-length', 'content-type', 'host', 'user-agent'])
      const masking = { secrets: secretsOf({ T: 'hush-hush' }), marks: false }
      const end = await bench.run({ words, config: { body: '{"key": "hush-hush"}' }, masking })
      expect(end.exitCode).to.equal(1)
      expect(end.err).to.include(`redirected (307) to ${site.other}, and the body holds a secret`)
      expect(seen).to.have.length(3)
      await bench.run({ words: ['POST', `${site.base}/away`], config: { body: 'data' } })
      expect([seen.at(-1)?.request.method, seen.at(-1)?.body, names()]).to.deep.equal([
        'GET',
        '',
        ['connection', 'host', 'user-agent']
      ])
    })
    it('a name and password in the address of the redirect become their own header', async () => {
      const login = site.other.replace('//', '//me:pw@')
      for (const status of [302, 307]) {
        answers['/login'] = (_, response) => void response.writeHead(status, { location: `${login}/hello` }).end()
        await bench.run({ words: ['GET', `${site.base}/login`], config: { headers: keys } })
        expect(seen.at(-1)?.request.headers.authorization).to.equal(`Basic ${Buffer.from('me:pw').toString('base64')}`)
      }
    })
  })
  it('a name and password in the URL are sent as a header, and not to another origin', async () => {
    const address = site.base.replace('//', '//me:p%40ss@')
    await bench.run({ words: ['GET', `${address}/away`] })
    expect(seen[0]?.request.headers.authorization).to.equal(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
    expect(seen[1]?.request.headers).not.to.have.property('authorization')
  })
  it('303 becomes GET without the body, 307 keeps method and body', async () => {
    await bench.run({ words: ['PUT', `${site.base}/near`], config: { body: 'b' } })
    expect([seen[1]?.request.method, seen[1]?.body]).to.deep.equal(['GET', ''])
    seen.length = 0
    await bench.run({ words: ['PUT', `${site.base}/keep`], config: { body: 'b' } })
    expect([seen[1]?.request.method, seen[1]?.body]).to.deep.equal(['PUT', 'b'])
  })
  it('10.4.6: at most 10 redirects, and to http only', async () => {
    const end = await bench.run({ words: ['GET', `${site.base}/loop`] })
    expect(end).to.include({ exitCode: 1, err: `GET ${site.base}/loop: stopped after 10 redirects\n` })
    expect(seen).to.have.length(11)
    const { err } = await bench.run({ words: ['GET', `${site.base}/file`] })
    expect(err).to.include('no http:// or https:// URL')
  })
})
