/** Where http steps may connect to: the address decides, whatever name, redirect or proxy leads there. Source: docs/operating/limits.md "Where http steps may go". */
import type { lookup } from 'node:dns'
import { expect } from 'chai'
import { hiddenIn } from '../../../src/executors/http/addresses.ts'
import { egressGuard } from '../../../src/executors/http/egress.ts'
import { httpSite } from '../../support/executors/http-site.ts'

const LOOPBACK = { address: '127.0.0.1', prefix: 32 }
const OFF = { private: false, allow: [], deny: [] }

/** A resolver that answers each question with the next of its answers. */
function names(...answers: string[][]) {
  const asked: string[] = []
  // biome-ignore lint/suspicious/noExplicitAny: one function with the many forms of dns.lookup
  const find: any = (hostname: string, _options: unknown, callback: (...given: unknown[]) => void) => {
    const found = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(hostname)
    process.nextTick(
      callback,
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    )
  }
  return { asked, find: find as typeof lookup }
}

describe('http executor › egress', () => {
  const site = httpSite()
  const { held, bench, seen } = site
  const portOf = () => new URL(site.base).port

  it('private: false refuses every form of an address that is not for everybody, by name of address and setting', async () => {
    const { find } = names(['198.18.0.1'])
    const refused = [
      '127.0.0.1',
      '127.8.8.8',
      '0.0.0.0',
      '10.1.2.3',
      '172.31.255.255',
      '192.168.0.1',
      '100.64.0.1',
      '169.254.169.254',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      '224.0.0.1',
      '255.255.255.255',
      '2130706433',
      '0x7f.1',
      '0177.1',
      '[::1]',
      '[::]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '[fc00::1]',
      '[ff02::1]',
      '[::ffff:10.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::a00:1]',
      '[64:ff9b:1::1]',
      '[2002:7f00:1::]',
      '[2002:a9fe:a9fe::1]',
      '[2001:0:1::1]',
      'name.example'
    ]
    for (const host of refused) {
      held.guard = egressGuard(OFF, find)
      const end = await bench.run({ words: ['GET', `http://${host}:${portOf()}/hello`] })
      expect(end.exitCode, host).to.equal(1)
      expect(end.err, host).to.match(
        / may not be connected to: it is an address .*, and executors\.http\.egress\.private is off/
      )
    }
    expect(seen).to.deep.equal([])
    held.guard = egressGuard(OFF, find)
    const { err } = await bench.run({ words: ['GET', 'http://name.example/'] })
    expect(err).to.equal(
      'GET http://name.example/: 198.18.0.1 (name.example) may not be connected to: it is an address for special purposes, and executors.http.egress.private is off\n'
    )
  })
  it('public addresses pass the check, IPv6 ones too', () => {
    const refusal = (host: string) => {
      let said: string | undefined
      egressGuard(OFF).guarded((_options, callback) => callback(new Error('asked'), null))(
        { hostname: host, protocol: 'http:', port: '80' },
        (...[error]: [Error | null, unknown]) => {
          said = error?.message
        }
      )
      return said
    }
    for (const host of [
      '93.184.215.14',
      '172.32.0.1',
      '100.63.255.255',
      '2606:4700::1111',
      '[2a00:1450::1]',
      '64:ff9b::808:808'
    ])
      expect(refusal(host), host).to.equal('asked')
  })
  it('allow makes exceptions, deny is above it', async () => {
    held.guard = egressGuard({ ...OFF, allow: [LOOPBACK] })
    expect(await bench.run({ words: ['GET', `${site.base}/hello`], config: { silent: true } })).to.include({
      exitCode: 0,
      out: 'body\nend'
    })
    for (const all of [
      { private: true, allow: [LOOPBACK], deny: [{ address: '127.0.0.0', prefix: 8 }] },
      { private: true, allow: [], deny: [LOOPBACK] }
    ]) {
      held.guard = egressGuard(all)
      const { err } = await bench.run({ words: ['GET', `${site.base}/hello`] })
      expect(err).to.include('127.0.0.1 may not be connected to: executors.http.egress.deny has it')
    }
  })
  it('a redirect leads nowhere else', async () => {
    held.guard = egressGuard({ ...OFF, allow: [LOOPBACK] })
    site.answers['/inside'] = (_, response) =>
      void response.writeHead(302, { location: `http://127.0.0.2:${portOf()}/hello` }).end()
    const end = await bench.run({ words: ['GET', `${site.base}/inside`] })
    expect([end.exitCode, seen.length]).to.deep.equal([1, 1])
    expect(end.err).to.include('127.0.0.2 may not be connected to')
  })
  it('a name that means something else the next time (DNS rebinding) is asked once, and what was checked is connected to', async () => {
    const { asked, find } = names(['127.0.0.1'], ['10.0.0.1'])
    held.guard = egressGuard({ ...OFF, allow: [LOOPBACK] }, find)
    const words = ['GET', `http://shifty.example:${portOf()}/hello`]
    expect((await bench.run({ words, config: { silent: true } })).exitCode).to.equal(0)
    expect(asked).to.deep.equal(['shifty.example'])
    const end = await bench.run({ words })
    expect([end.exitCode, seen.length]).to.deep.equal([1, 1])
    expect(end.err).to.include('10.0.0.1 (shifty.example) may not be connected to')
  })
  it('of several addresses of a name, those that are allowed are used', async () => {
    const { find } = names(['10.0.0.1', 'fc00::1', '127.0.0.1'])
    held.guard = egressGuard({ ...OFF, allow: [LOOPBACK] }, find)
    const end = await bench.run({ words: ['GET', `http://many.example:${portOf()}/hello`], config: { silent: true } })
    expect(end).to.include({ exitCode: 0, out: 'body\nend' })
  })
  describe('through a proxy, which connects itself', () => {
    const before = process.env.http_proxy
    beforeEach(() => {
      process.env.http_proxy = site.base
    })
    afterEach(() => {
      if (before === undefined) delete process.env.http_proxy
      else process.env.http_proxy = before
    })

    it('what a name stands for here must be allowed, all of it; the proxy itself need not be', async () => {
      held.guard = egressGuard(OFF, names(['93.184.215.14']).find)
      const good = await bench.run({ words: ['GET', 'http://far.example/hello'], config: { silent: true } })
      expect(good).to.include({ exitCode: 0, out: 'body\nend' })
      expect(seen[0]?.request.url).to.equal('http://far.example/hello')
      held.guard = egressGuard(OFF, names(['93.184.215.14', '10.0.0.1']).find)
      for (const url of ['http://mixed.example/hello', 'http://169.254.169.254/latest']) {
        const { exitCode, err } = await bench.run({ words: ['GET', url] })
        expect(exitCode, url).to.equal(1)
        expect(err).to.include('may not be connected to')
      }
      expect(seen).to.have.length(1)
    })
    it('a name without an address here is refused: nobody could say where it leads', async () => {
      held.guard = egressGuard(OFF)
      const { exitCode, err } = await bench.run({ words: ['GET', 'http://host.invalid/hello'] })
      expect([exitCode, seen.length]).to.deep.equal([1, 0])
      expect(err).to.match(
        /host\.invalid has no address here \(\w+\), so that executors\.http\.egress cannot be held to by a proxy/
      )
    })
  })
  it('an IPv6 address gives away the IPv4 address in it', () => {
    const hidden = [
      '::ffff:10.0.0.1',
      '::ffff:a00:1',
      '64:ff9b::10.0.0.1',
      '2002:a00:1::5',
      '2606:4700::1111',
      '10.0.0.1',
      '::1'
    ]
    expect(hidden.map(hiddenIn)).to.deep.equal([...Array(4).fill('10.0.0.1'), undefined, undefined, undefined])
    expect(hiddenIn('::10.0.0.1'), 'an address of its own').to.equal(undefined)
  })
})
