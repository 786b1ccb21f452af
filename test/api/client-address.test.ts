/** Whom a request counts for: what a trusted proxy says of it, and nobody else. Source: docs/authentication.md "Behind a proxy". */
import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { networkOf, proxiesOf } from '../../src/api/client-address.ts'
import { readConfig } from '../../src/config.ts'

describe('API › server.trustedProxies', () => {
  const { clientOf, isTrusted } = proxiesOf(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::1'])
  const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
    clientOf({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)
  const addressOf = (peer: string, forwarded: string) => from(peer, { 'x-forwarded-for': forwarded }).address

  it('addresses and networks of both kinds, also IPv4 that is written as IPv6', () => {
    for (const address of ['10.1.2.3', '192.0.2.7', 'fd12::1', '::1', '::ffff:10.1.2.3', 'fd12::1%eth0'])
      expect(isTrusted(address), address).to.equal(true)
    for (const address of ['11.0.0.1', '192.0.2.8', 'fe80::1', '', '::ffff:11.0.0.1', 'x'])
      expect(isTrusted(address), address).to.equal(false)
    expect(proxiesOf([]).isTrusted('127.0.0.1'), 'nobody is by default').to.equal(false)
  })

  it('X-Forwarded-For is read from the right, up to the first that no trusted proxy has', () => {
    expect(addressOf('10.0.0.1', '203.0.113.5')).to.equal('203.0.113.5')
    expect(addressOf('10.0.0.1', '1.1.1.1, 203.0.113.5, 10.9.9.9')).to.equal('203.0.113.5')
    expect(addressOf('10.0.0.1', '10.2.2.2,192.0.2.7'), 'all are trusted: the furthest').to.equal('10.2.2.2')
    expect(addressOf('10.0.0.1', '203.0.113.5:4711')).to.equal('203.0.113.5')
    expect(addressOf('::1', '[2001:db8::9]:80')).to.equal('2001:db8::9')
    expect(addressOf('::1', ' 2001:db8::9 ')).to.equal('2001:db8::9')
  })

  it('what is no address ends the way: the request counts for the proxy that has passed it on', () => {
    for (const odd of ['unknown', '', '203.0.113.5.6', 'localhost', '999.1.1.1', '_hidden', '203.0.113.5 10.0.0.2'])
      expect(addressOf('10.0.0.1', `203.0.113.5, ${odd}`), odd).to.equal('10.0.0.1')
    expect(addressOf('10.0.0.1', '203.0.113.5, unknown, 10.9.9.9')).to.equal('10.9.9.9')
    expect(addressOf('10.0.0.1', ','.repeat(10_000))).to.equal('10.0.0.1')
  })

  it('X-Forwarded-Host and -Proto: of a trusted proxy only, the last of several, another scheme is none', () => {
    const headers = {
      'x-forwarded-host': 'evil.example, troupe.example',
      'x-forwarded-proto': 'HTTPS',
      forwarded: 'for=9.9.9.9'
    }
    const told = { address: '10.0.0.1', host: 'troupe.example', scheme: 'https' }
    expect(from('10.0.0.1', headers)).to.deep.equal(told)
    expect(from('203.0.113.5', headers)).to.deep.equal({ address: '203.0.113.5' })
    expect(from('10.0.0.1', { 'x-forwarded-proto': 'ftp' })).to.deep.equal({ address: '10.0.0.1' })
  })

  it('of IPv6, the first half is one address', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).to.equal(networkOf('2001:db8:1:2::9'))
    expect(networkOf('::ffff:10.0.0.1')).to.equal('10.0.0.1')
  })

  it('the setting takes a list or a text with commas; what is neither address nor network is refused, and so are all addresses', () => {
    const read = (given: unknown) => readConfig({ home: '/nowhere', settings: { 'server.trustedProxies': given } }, {})
    expect(read(['10.0.0.0/8']).trustedProxies).to.deep.equal(['10.0.0.0/8'])
    expect(
      readConfig({ home: '/nowhere' }, { ENGINE_SERVER_TRUSTED_PROXIES: '127.0.0.1, ::1' }).trustedProxies
    ).to.deep.equal(['127.0.0.1', '::1'])
    for (const odd of [
      'proxy.example',
      '10.0.0.0/33',
      '10.0.0.0/',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.0/8/8',
      'fe80::1%eth0',
      '/8'
    ])
      expect(() => read([odd]), odd).to.throw(/server\.trustedProxies: wanted a list of addresses or networks/)
  })
})
