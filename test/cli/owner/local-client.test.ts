/** The client of the command line on the owner's socket: what it hears, and what becomes of it when the engine goes. */
import { lstatSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { StartedRun } from '../../../src/api/contract/owner-operations.ts'
import { serveLocal } from '../../../src/api/owner/local.ts'
import { connectToOwner } from '../../../src/cli/owner/client.ts'
import type { Listen } from '../../../src/cli/owner/held-run.ts'
import type { HomeClient } from '../../../src/cli/owner/home-client.ts'
import type { JournalEvent, RunDetails } from '../../../src/client/index.ts'
import { TroupeError } from '../../../src/errors.ts'
import { ownerSockets } from '../../support/api/owner-sockets.ts'
import { handClock, nodeChanges, settled } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

/** A run that was started at once, without a wait in its queue. */
function following(client: HomeClient | undefined, started: StartedRun | undefined) {
  if (!client || !started || started.queued) throw new Error('it was not started')
  const { key, after } = started
  return { key, follow: (listen: Listen) => client.follow(key, listen, { after }) }
}

const startedEtl = async (client: HomeClient | undefined) =>
  following(client, await client?.acts.startDag({ body: { file: '/etl.yaml' } }))

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.message
  )

describe('client of the owner', () => {
  const { served } = ownerSockets()

  it('no listener: undefined', async () => {
    const home = temporaryFolder()
    expect(await connectToOwner(join(home, 'troupe.sock'), handClock())).to.equal(undefined)
    writeFileSync(join(home, 'file.sock'), '')
    expect(await connectToOwner(join(home, 'file.sock'), handClock())).to.equal(undefined)
  })

  it('a socket whose file was removed is back within 10 s, for this user alone; it goes with its owner', async () => {
    const { path, clock, close } = await served()
    for (let count = 0; count < 2; count++) {
      rmSync(path)
      expect(await connectToOwner(path, handClock())).to.equal(undefined)
      clock.pass(10_000)
      await eventually('the socket', () => (lstatSync(path, { throwIfNoEntry: false }) ? true : undefined))
      expect(lstatSync(path).mode & 0o777).to.equal(0o600)
      const started = await startedEtl(await connectToOwner(path, handClock()))
      expect(started.key.name).to.equal('etl')
    }
    await close()
    expect(lstatSync(path, { throwIfNoEntry: false })).to.equal(undefined)
  })

  it('hears every event of a run it starts, from the first one on, in order', async () => {
    const { engine, path } = await served()
    const client = await connectToOwner(path, handClock())
    engine.acts.set('etl', (key) => {
      for (let count = 0; count < 500; count++)
        nodeChanges(engine, key, 'first', { status: 'running', retryCount: count })
      engine.end(key, 'succeeded')
    })
    const started = await startedEtl(client)
    const heard: JournalEvent[] = []
    const view = await started.follow((event) => heard.push(event))
    expect(heard).to.have.length(502)
    expect(heard.map(({ seq }) => seq)).to.deep.equal(heard.map((_event, index) => index + 1))
    expect(view?.statusLabel).to.equal('succeeded')
  })

  it('hears nothing of other runs', async () => {
    const { engine, path } = await served()
    const client = await connectToOwner(path, handClock())
    const other = await engine.start({ file: '/other.yaml' })
    const started = await startedEtl(client)
    const heard: JournalEvent[] = []
    const followed = started.follow((event) => heard.push(event))
    nodeChanges(engine, other, 'first', { status: 'running' })
    engine.end(started.key, 'succeeded')
    await followed
    expect(heard.map(({ name }) => name)).to.deep.equal(['etl', 'etl'])
  })

  it('gets the error that the engine threw, with code and details', async () => {
    const { engine, path } = await served()
    const client = await connectToOwner(path, handClock())
    engine.failure = new TroupeError('max_run_reached', 'etl already has 1 active run', { details: { limit: 1 } })
    const error = await client?.acts.startDag({ body: { file: '/etl.yaml' } }).catch((error: TroupeError) => error)
    expect(error).to.include({ code: 'max_run_reached', message: 'etl already has 1 active run' })
    expect((error as TroupeError).details).to.deep.equal({ limit: 1 })
  })

  it('reads a definition by path: name and problems', async () => {
    const { home, path } = await served()
    const file = join(home, 'flow.yaml')
    writeFileSync(file, 'name: etl\nsteps:\n  - echo\ndepends: nobody\n')
    const client = await connectToOwner(path, handClock())
    expect(await client?.owner.validateFile({ body: { file } })).to.deep.equal({
      name: 'etl',
      problems: [{ message: 'no step nobody', path: 'steps[0]' }]
    })
  })

  it('holds on to a run while its engine goes and another one comes', async () => {
    const { engine, path, close } = await served()
    const clock = handClock()
    const client = await connectToOwner(path, clock)
    const started = await startedEtl(client)
    const heard: JournalEvent[] = []
    const followed = started.follow((event) => heard.push(event))
    await settled()
    await close()
    await settled()
    const next = await serveLocal(engine, path, handClock())
    clock.pass(250)
    await settled()
    engine.end(started.key, 'failed')
    expect((await followed)?.statusLabel).to.equal('failed')
    expect(heard.at(-1)?.statusLabel).to.equal('failed')
    await next.close()
  })

  it('hears every event of a run once, those too that were written while it had no engine to ask', async () => {
    const { engine, path, close } = await served()
    const clock = handClock()
    const client = await connectToOwner(path, clock)
    const started = await startedEtl(client)
    const heard: JournalEvent[] = []
    const followed = started.follow((event) => heard.push(event))
    await settled()
    await close()
    await settled()
    for (let count = 0; count < 5; count++) nodeChanges(engine, started.key, 'first', { retryCount: count })
    const next = await serveLocal(engine, path, handClock())
    clock.pass(250)
    await settled()
    engine.end(started.key, 'failed')
    await followed
    expect(heard.map(({ seq }) => seq)).to.deep.equal([1, 2, 3, 4, 5, 6, 7])
    await next.close()
  })

  it('a retry is reported from its first event on, whatever breaks', async () => {
    const { engine, path, close } = await served()
    const clock = handClock()
    const client = await connectToOwner(path, clock)
    const key = await engine.start({ file: '/etl.yaml' })
    engine.end(key, 'failed')
    const again = following(client, await client?.acts.retryRun({ path: { name: key.name, dagRunId: key.dagRunId } }))
    const heard: JournalEvent[] = []
    const followed = again.follow((event) => heard.push(event))
    await settled()
    await close()
    await settled()
    nodeChanges(engine, key, 'first', { status: 'running' })
    const next = await serveLocal(engine, path, handClock())
    clock.pass(250)
    await settled()
    engine.end(key, 'succeeded')
    await followed
    expect(heard.map(({ seq }) => seq)).to.deep.equal([3, 4, 5])
    await next.close()
  })

  it('a run that its engine ended before it left is reported from the store, as soon as it is there', async () => {
    const { path, close } = await served()
    const clock = handClock()
    let looks = 0
    const ended = { statusLabel: 'canceled' } as RunDetails
    const client = await connectToOwner(path, clock, async () => (++looks < 3 ? undefined : ended))
    const started = await startedEtl(client)
    const followed = started.follow(() => {})
    await settled()
    await close()
    for (let waited = 0; waited < 500; waited += 250) {
      await settled()
      clock.pass(250)
    }
    expect(await followed).to.equal(ended)
    expect(looks).to.equal(3)
  })

  it('an engine that does not come back within 15 s is the error', async () => {
    const { path, close } = await served()
    const clock = handClock()
    const client = await connectToOwner(path, clock)
    const started = await startedEtl(client)
    const followed = failureOf(started.follow(() => {}))
    await settled()
    await close()
    for (let waited = 0; waited <= 15_500; waited += 250) {
      await settled()
      clock.pass(250)
    }
    expect(await followed).to.equal('the engine of this home has ended; its runs continue with the next one')
  })

  it('releases a run when it is closed', async () => {
    const { path } = await served()
    const client = await connectToOwner(path, handClock())
    const started = await startedEtl(client)
    const followed = failureOf(started.follow(() => {}))
    await settled()
    client?.close()
    expect(await followed).to.contain('has ended')
  })
})
