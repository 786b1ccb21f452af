/** Who may connect to a coordinator: TLS with an authority of one's own, certificates of workers, the token. Source: distribution 6. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { coordinatorIn } from '../../../src/bus/address-file.ts'
import { authority, type Certificate } from '../../support/auth/certificates.ts'
import { type Cluster, openCluster } from '../../support/cli/cluster.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { needsNats } from '../../support/nats.ts'
import { eventually } from '../../support/waiting.ts'

describe('workers › TLS and token', function () {
  this.timeout(60_000)
  needsNats()
  const folder = temporaryFolder()
  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const files = (name: string, { cert, key }: Certificate) => ({
    ENGINE_PEER_CERT_FILE: file(`${name}.pem`, cert),
    ENGINE_PEER_KEY_FILE: file(`${name}.key`, key)
  })
  const [ours, others] = [authority('ours'), authority('others')]
  const trusts = { ENGINE_PEER_CLIENT_CA_FILE: file('ca.pem', ours.cert) }
  const token = { ENGINE_PEER_TOKEN: 'sesame' }
  const good = { ...files('worker', ours.issue('worker')), ...trusts, ...token }
  let cluster: Cluster
  before(async () => {
    cluster = await openCluster({ env: { ...files('bus', ours.issue('bus')), ...trusts, ...token } })
  })
  after(() => cluster?.close())
  /** What a worker says in the end. */
  async function said(env: Record<string, string>, wanted: RegExp, argv?: string[]): Promise<void> {
    const { child, written } = cluster.worker(temporaryFolder(), 'wa', argv, { env, ...(argv ? { near: true } : {}) })
    try {
      await eventually(`${wanted} in ${written.err}`, () => (wanted.test(written.err) ? true : undefined), 10_000)
    } catch (error) {
      throw new Error(`${wanted}: ${written.err}`, { cause: error })
    } finally {
      child.kill('SIGKILL')
    }
  }

  it('a worker with a certificate of the authority, and the token, serves', () => said(good, /serving the engine/))
  it('another token is refused, and what must be the same is named', () =>
    said({ ...good, ENGINE_PEER_TOKEN: 'open' }, /it refuses the credential: peer\.token must be the same on both/))
  it('without a token it is refused in the same way', () =>
    said({ ...good, ENGINE_PEER_TOKEN: '' }, /it refuses the credential: peer\.token/))
  it('a coordinator of another authority is not believed', () =>
    said({ ...good, ENGINE_PEER_CLIENT_CA_FILE: file('other.pem', others.cert) }, /TLS: .*peer\.clientCaFile/))
  it('a coordinator that is reached by a name which its certificate lacks is told by those that it has', () =>
    said(good, /its certificate is not for localhost but for bus: reach it by such a name/, [
      '--worker.coordinators',
      `localhost:${coordinatorIn(cluster.registry)?.port}`
    ]))
  it('a certificate of another authority is refused, and so is none', async () => {
    await said({ ...good, ...files('other', others.issue('worker')) }, /TLS/)
    await said({ ...trusts, ...token }, /TLS/)
  })
  it('a worker that expects TLS sends nothing to a coordinator without it', async () => {
    const plain = await openCluster()
    try {
      const { written } = plain.worker(temporaryFolder(), 'wa', [], { env: good })
      await eventually('a refusal', () =>
        /not connected to the message bus at .*TLS/i.test(written.err) ? true : undefined
      )
    } finally {
      await plain.close()
    }
  })
})
