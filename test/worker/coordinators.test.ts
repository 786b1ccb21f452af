/** Where a worker finds the message bus, and whether it demands TLS there. Source: distribution 6, 8. */
import { join } from 'node:path'
import { expect } from 'chai'
import { keepAddress } from '../../src/bus/address-file.ts'
import { readConfig } from '../../src/config.ts'
import { identityOf } from '../../src/platform/process-identity.ts'
import { serversFor } from '../../src/worker/coordinators.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('worker › coordinators', () => {
  const at = (given: Record<string, string>, home = temporaryFolder()) => {
    const environment = Object.entries(given).map(([name, value]) => [`ENGINE_${name}`, value])
    return serversFor(readConfig({ home }, { HOME: home, ...Object.fromEntries(environment) }).coordination)
  }
  const BUS = { WORKER_COORDINATORS: 'a.example:1' }

  it('those it is told, else a NATS of one’s own, else that of its home, else that of the settings', () => {
    expect(at({}).servers).to.deep.equal(['127.0.0.1:50055'])
    expect(at({ COORDINATOR_HOST: '0.0.0.0', COORDINATOR_PORT: '7' }).servers).to.deep.equal(['127.0.0.1:7'])
    expect(at({ COORDINATOR_HOST: '::1' }).servers).to.deep.equal(['[::1]:50055'])
    expect(at({ COORDINATOR_NATS: 'nats://n:4222, m:1' }).servers).to.deep.equal(['nats://n:4222', 'm:1'])
    expect(at({ COORDINATOR_NATS: 'n:1', WORKER_COORDINATORS: 'b:1,c:2' }).servers).to.deep.equal(['b:1', 'c:2'])
    const home = temporaryFolder()
    const guard = identityOf(process.pid)
    if (!guard) throw new Error('no /proc')
    keepAddress(join(home, 'data', 'service-registry'), {
      id: 'x',
      host: '0.0.0.0',
      port: 9,
      advertise: 'box',
      cluster: 'troupe',
      password: '',
      startedAt: 1,
      guard,
      certFile: '/bus.pem'
    })
    expect(at({ PEER_TOKEN: 'x' }, home)).to.deep.equal({
      servers: ['127.0.0.1:9'],
      user: 'worker',
      password: 'x',
      tls: { caFiles: ['/bus.pem'], anyName: true }
    })
    expect(at(BUS, home).servers).to.deep.equal(['a.example:1'])
  })
  it('beyond loopback it demands TLS, unless peer.insecure is written out', () => {
    expect(at(BUS).tls).to.deep.equal({})
    expect(at({ ...BUS, PEER_INSECURE: 'true' }).tls).to.equal(undefined)
    expect(at({ ...BUS, PEER_INSECURE: 'false' }).tls).to.deep.equal({})
    for (const WORKER_COORDINATORS of ['127.0.0.1:1', '[::1]:1', 'localhost:1'])
      expect(at({ WORKER_COORDINATORS }).tls).to.equal(undefined)
    expect(at({ WORKER_COORDINATORS: 'localhost:1', PEER_INSECURE: 'false' }).tls).to.deep.equal({})
    expect(at({ COORDINATOR_NATS: 'tls://a:1', PEER_INSECURE: 'true' }).tls).to.deep.equal({})
  })
  it('certificates and authority are those of the settings', () => {
    const files = { PEER_CERT_FILE: '/c', PEER_KEY_FILE: '/k', PEER_CLIENT_CA_FILE: '/ca', PEER_INSECURE: 'true' }
    expect(at({ ...BUS, ...files, PEER_TOKEN: 'x' })).to.deep.equal({
      servers: ['a.example:1'],
      user: 'worker',
      password: 'x',
      tls: { certFile: '/c', keyFile: '/k', caFiles: ['/ca'] }
    })
    expect(at({ ...BUS, PEER_SKIP_TLS_VERIFY: 'true' }).tls).to.deep.equal({ anyCertificate: true })
  })
})
