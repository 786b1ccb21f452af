/** Settings of coordinator and workers, checked together. Source: distribution 6, 8. */
import { expect } from 'chai'
import { type Config, readConfig, type Settings, useOf } from '../../src/config.ts'
import { temporaryFolder } from '../support/homes.ts'

const read = (environment: Record<string, string>): Config =>
  readConfig({ home: temporaryFolder() }, { HOME: temporaryFolder(), ...environment })
const refused = (environment: Record<string, string>): string => {
  try {
    read(environment)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('configuration › coordinator and workers', () => {
  it('defaults', () => {
    const { host, port, cluster, enabled, worker, peer } = read({}).coordination
    expect([host, port, cluster, enabled]).to.deep.equal(['127.0.0.1', 50_055, 'troupe', 'auto'])
    expect(worker).to.deep.equal({
      id: '',
      slots: 100,
      labels: {},
      coordinators: [],
      lostAfterMs: 30_000,
      fenceAfterMs: 60_000
    })
    expect([peer.insecure, peer.token]).to.deep.equal([undefined, ''])
  })
  it('whether `peer.insecure` was written out is known: its default is true, and lets nobody in', () => {
    expect(read({ ENGINE_PEER_INSECURE: 'true' }).coordination.peer.insecure).to.equal(true)
    expect(read({ ENGINE_PEER_INSECURE: 'false' }).coordination.peer.insecure).to.equal(false)
  })
  it('what does not fit together is refused by name', () => {
    expect(refused({ ENGINE_PEER_CERT_FILE: '/c' })).to.contain(
      'peer: wanted both certFile and keyFile, found one of them'
    )
    expect(refused({ ENGINE_WORKER_COORDINATORS: 'box' })).to.contain(
      'worker.coordinators: wanted host:port, found "box"'
    )
    expect(refused({ ENGINE_WORKER_LOST_AFTER: '10s' })).to.contain('worker.lostAfter: wanted at least 20s')
    expect(refused({ ENGINE_WORKER_FENCE_AFTER: '39s' })).to.contain(
      'worker.fenceAfter: wanted at least worker.lostAfter + 10s, which is 40000 ms, found 39000 ms'
    )
    expect(refused({ ENGINE_COORDINATOR_CLUSTER: 'a.b' })).to.contain('a word of at most 64 letters')
    expect(read({ ENGINE_WORKER_COORDINATORS: '[::1]:5, box:6' }).coordination.worker.coordinators).to.deep.equal([
      '[::1]:5',
      'box:6'
    ])
  })
  it('an engine has a bus when somebody has asked for one; otherwise when one is found', () => {
    const use = (environment: Record<string, string>) => useOf(read(environment).coordination)
    expect(use({})).to.equal('found')
    expect(use({ ENGINE_COORDINATOR_ENABLED: 'false' })).to.equal('found')
    for (const [name, value] of [
      ['ENABLED', 'true'],
      ['HOST', '0.0.0.0'],
      ['PORT', '5'],
      ['NATS', 'box:4222']
    ] as const)
      expect(use({ [`ENGINE_COORDINATOR_${name}`]: value }), name).to.equal('wanted')
    expect(use({ ENGINE_COORDINATOR_PORT: '0', ENGINE_COORDINATOR_ENABLED: 'true' })).to.equal('never')
    expect(use({ ENGINE_COORDINATOR_PORT: '0', ENGINE_COORDINATOR_NATS: 'box:4222' })).to.equal('wanted')
  })
  it('a host application gives them as the option `coordinator`', () => {
    const given = (settings: Settings) => readConfig({ home: temporaryFolder(), ...settings }, {}).coordination
    const { nats, enabled, cluster, port } = given({ coordinator: { nats: ['box:4222'], enabled: true, cluster: 'x' } })
    expect([nats, enabled, cluster, port]).to.deep.equal([['box:4222'], 'true', 'x', 50_055])
    expect(() => given({ coordinator: { cluster: 'a.b' } })).to.throw('coordinator.cluster: wanted a word')
  })
  it('addresses of NATS servers are host:port, maybe with the scheme', () => {
    const good = 'box:4222, nats://box, tls://[::1]:5'
    expect(read({ ENGINE_COORDINATOR_NATS: good }).coordination.nats).to.have.length(3)
    for (const wrong of ['http://box', 'nats://me:secret@box', 'box:x'])
      expect(refused({ ENGINE_COORDINATOR_NATS: wrong }), wrong)
        .to.contain('coordinator.nats: wanted host:port')
        .and.not.contain('secret')
  })
  it('a token that NATS would take for a hash is refused, and not repeated', () => {
    for (const kind of ['a', 'b', 'x', 'y'])
      expect(refused({ ENGINE_PEER_TOKEN: `$2${kind}$10$secret` })).to.match(/peer\.token: wanted.*bcrypt hash[^$]*$/)
    expect(refused({ ENGINE_PEER_TOKEN: '$2' })).to.equal('')
  })
  it('the token reaches no step', () => {
    expect(read({ ENGINE_PEER_TOKEN: 'sesame' }).environment).not.to.have.property('ENGINE_PEER_TOKEN')
  })
})
