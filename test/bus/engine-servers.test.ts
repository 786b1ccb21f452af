/** Where an engine finds its bus. Source: distribution 6, 8. */
import { expect } from 'chai'
import { type CoordinatorAddress, keepAddress } from '../../src/bus/address-file.ts'
import { type EngineBusSettings, engineServers } from '../../src/bus/engine-servers.ts'
import { identityOf } from '../../src/platform/process-identity.ts'
import { temporaryFolder } from '../support/homes.ts'

const peer: EngineBusSettings['peer'] = {
  insecure: undefined,
  certFile: '',
  keyFile: '',
  clientCaFile: '',
  skipTlsVerify: false,
  token: ''
}
const settings = (given: Partial<EngineBusSettings> = {}): EngineBusSettings => ({
  nats: [],
  cluster: 't',
  registryDir: temporaryFolder(),
  peer,
  ...given
})

describe('bus › where an engine finds it', () => {
  function beside(given: Partial<CoordinatorAddress>, of: Partial<EngineBusSettings> = {}) {
    const all = settings(of)
    const guard = identityOf(process.pid)
    if (!guard) throw new Error('this process has no identity')
    keepAddress(all.registryDir, {
      id: 'c',
      host: '127.0.0.1',
      port: 5,
      advertise: 'box',
      cluster: 't',
      password: '',
      certFile: '',
      startedAt: 1,
      guard,
      ...given
    })
    return engineServers(all)
  }
  it('the coordinator of this home, on this machine, with the password in its file', () => {
    expect(beside({})).to.deep.equal({ servers: ['127.0.0.1:5'] })
    expect(beside({ host: '0.0.0.0', password: 'p' })).to.deep.equal({
      servers: ['127.0.0.1:5'],
      user: 'engine',
      password: 'p'
    })
    expect(beside({ host: '::' }).servers).to.deep.equal(['[::1]:5'])
    expect(beside({ host: '10.0.0.7' }).servers).to.deep.equal(['10.0.0.7:5'])
  })
  it('known by its own certificate, whatever name it has; the engine shows its own if it has one', () => {
    expect(beside({ certFile: '/c' }).tls).to.deep.equal({ caFiles: ['/c'], anyName: true })
    const own = { ...peer, certFile: '/mine', keyFile: '/key' }
    expect(beside({ certFile: '/c' }, { peer: own }).tls).to.include({ certFile: '/mine', keyFile: '/key' })
  })
  it('one that a killed process has left is none', () => {
    const dead = { pid: 2 ** 22 - 1, startTicks: '1', bootId: 'x' }
    expect(() => beside({ guard: dead })).to.throw('this home has no coordinator: start one with troupe coordinator')
    expect(() => engineServers(settings())).to.throw('this home has no coordinator')
  })
  it('one of another cluster would carry nothing: both are named', () => {
    expect(() => beside({ cluster: 'mars' })).to.throw(
      'the coordinator of this home serves the cluster mars, and coordinator.cluster is t: start it again with that'
    )
  })
  it('servers of the operator come first, with the token, and TLS if anything of it is set', () => {
    const nats = ['a:1', 'b:2']
    expect(engineServers(settings({ nats }))).to.deep.equal({ servers: nats })
    expect(engineServers(settings({ nats, peer: { ...peer, token: 't' } }))).to.deep.equal({
      servers: nats,
      user: 'engine',
      password: 't'
    })
    const tlsOf = (given: Partial<typeof peer>) => engineServers(settings({ nats, peer: { ...peer, ...given } })).tls
    expect(tlsOf({ insecure: true })).to.equal(undefined)
    expect(tlsOf({ insecure: false })).to.deep.equal({})
    expect(tlsOf({ clientCaFile: '/ca' })).to.deep.equal({ caFiles: ['/ca'] })
    expect(tlsOf({ skipTlsVerify: true })).to.deep.equal({ anyCertificate: true })
  })
})
