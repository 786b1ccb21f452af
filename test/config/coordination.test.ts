/** Settings of coordinator and workers, checked together. Source: distribution 6, 8. */
import { expect } from 'chai'
import { type Config, readConfig } from '../../src/config.ts'
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
    expect(worker).to.deep.equal({ id: '', slots: 100, labels: {}, coordinators: [], lostAfterMs: 30_000 })
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
    expect(refused({ ENGINE_COORDINATOR_CLUSTER: 'a.b' })).to.contain('a word of at most 64 letters')
    expect(read({ ENGINE_WORKER_COORDINATORS: '[::1]:5, box:6' }).coordination.worker.coordinators).to.deep.equal([
      '[::1]:5',
      'box:6'
    ])
  })
  it('the token reaches no step', () => {
    expect(read({ ENGINE_PEER_TOKEN: 'sesame' }).environment).not.to.have.property('ENGINE_PEER_TOKEN')
  })
})
