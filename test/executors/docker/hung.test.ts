/** A Docker engine that takes requests and never answers. Source: execution-semantics 7.3, 10.2.24; D48, D616. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import { openHolds } from '../../../src/executors/docker/hold.ts'
import { type SharedContainer, sharedContainers } from '../../../src/executors/docker/shared-container.ts'
import { IMAGE } from '../../support/executors/docker.ts'
import { temporaryFolder } from '../../support/homes.ts'

/** Seconds are over in ms. */
const clock = { ...systemClock, after: (ms: number, ring: () => void) => systemClock.after(ms / 1_000, ring) }

describe('docker › an engine that hangs', () => {
  const sockets = new Set<Socket>()
  const deaf = createServer((socket) => sockets.add(socket))
  before((done) => void deaf.listen(0, '127.0.0.1', done))
  after(() => {
    deaf.close()
    for (const socket of sockets) socket.destroy()
  })
  function containers() {
    const { port } = deaf.address() as AddressInfo
    const engine = dockerEngine(temporaryFolder(), { DOCKER_HOST: `tcp://127.0.0.1:${port}` }, clock)
    engine.owner() // it has made containers before
    return sharedContainers(engine, clock)
  }
  const said = (work: Promise<void>) =>
    work.then(
      () => 'done',
      ({ message }: Error) => message
    )

  it('10.2.24 the container of a run is given up after 30 s: a run ends though Docker does not answer', async () => {
    expect(await said(containers().release('dag/run'))).to.equal(
      'the container of the run cannot be removed: the Docker engine has not answered for 30 s'
    )
  })
  it('8.4 a run that is made ready is stopped all the same', async () => {
    const aborter = new AbortController()
    const container = { image: IMAGE, name: 'c' } as SharedContainer['container']
    const opened = containers().open({ container, labels: {}, base: '/', warn() {} }, aborter.signal)
    aborter.abort(new Error('stopped'))
    expect(await said(opened)).to.equal('stopped')
  })
  it('7.3.3 a step that was killed is over though its container cannot be removed', async () => {
    const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() })
    const output = { stdout: sink(), stderr: sink(), close: async () => {}, abandon() {} }
    const never = new Promise<never>(() => {})
    const running = openHolds(clock).hold({ base: 'step.1', output, offset: 0, record: () => undefined }, async () => ({
      signal: () => never,
      follow: () => never,
      tidy: () => never
    }))
    running.stop('SIGTERM')
    running.kill()
    expect(await running.ended).to.include({ exitCode: 137 })
  })
})
