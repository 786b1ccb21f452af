/** Who runs a command: the engine of this process, or that of another which owns the home, over its socket. */
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { serveLocal } from '../../../src/api/owner/local.ts'
import { TroupeError } from '../../../src/errors.ts'
import { command, scene } from '../../support/cli/cli-scene.ts'
import { nodeChanges, settled, stage } from '../../support/cli/fake-cli-engine.ts'
import { eventually } from '../../support/waiting.ts'

describe('command line › who runs it', () => {
  const socketOf = (home: string) => join(home, 'data', 'troupe.sock')

  it('a foreground start that owns the home serves its socket, mode 0600, while it runs', async () => {
    const { home, engine, here } = scene()
    const going = command('start', here, 'etl')
    const key = await engine.begun('etl')
    await settled()
    const found = lstatSync(socketOf(home))
    expect(found.isSocket()).to.equal(true)
    expect(found.mode & 0o777).to.equal(0o600)
    engine.end(key, 'succeeded')
    await going
    expect(lstatSync(socketOf(home), { throwIfNoEntry: false })).to.equal(undefined)
  })

  it('if another engine owns the home, commands talk to it over its socket', async () => {
    const { home, engine, here } = scene()
    const owner = command('start', here, 'etl')
    const first = await engine.begun('etl')
    await settled()

    const refusing = () => Promise.reject(new TroupeError('service_unavailable', 'the home is in use'))
    const there = { ...stage(home, engine), createEngine: refusing }
    const client = command('start', there, 'other', '-r', 'c1', '--', 'x')
    const second = await engine.begun('other')
    expect(engine.started.at(-1)).to.deep.include({ file: join(home, 'other.yaml'), dagRunId: 'c1', params: 'x' })
    nodeChanges(engine, second, 'first', { status: 'running', startedAt: 1_000 })

    const looker = { ...stage(home, engine), createEngine: refusing }
    expect(await command('status', looker, 'other')).to.equal(0)
    expect(looker.written.out).to.contain('● other  running').and.contain('├─ ● first   running')

    engine.end(second, 'failed')
    expect(await client).to.equal(1)
    expect(there.written.err).to.contain('● running     first').and.contain('✗ other  failed')
    engine.end(first, 'succeeded')
    expect(await owner).to.equal(0)
  })

  it('waits at its end for runs that other clients started through it, says so, then closes', async () => {
    const { home, engine, here } = scene()
    const owner = command('start', here, 'etl')
    const first = await engine.begun('etl')
    await settled()
    const there = stage(home, engine)
    const client = command('start', there, 'other', '-r', 'c1')
    const second = await engine.begun('other')
    engine.end(first, 'succeeded')
    await settled()
    expect(here.written.err).to.contain('waiting for other c1')
    expect(engine.isClosed).to.equal(false)
    engine.end(second, 'succeeded')
    expect(await owner).to.equal(0)
    expect(await client).to.equal(0)
    expect(there.written.err).to.contain('✓ other  succeeded')
    expect(engine.isClosed).to.equal(true)
  })

  it('an interrupt ends that waiting', async () => {
    const { home, engine, here } = scene()
    const owner = command('start', here, 'etl')
    const first = await engine.begun('etl')
    await settled()
    const there = stage(home, engine)
    const client = command('start', there, 'other')
    const second = await engine.begun('other')
    engine.end(first, 'succeeded')
    await settled()
    here.interrupt()
    await settled()
    engine.end(second, 'succeeded')
    expect(await owner).to.equal(0)
    expect(await client).to.equal(0)
  })

  it('a stale socket file of a dead owner is removed', async () => {
    const { home, engine } = scene()
    const path = join(home, 'troupe.sock')
    // A socket whose owner never unlinked it: listen, move it aside while it lives, and let the owner die.
    const dead = createServer()
    await new Promise<void>((resolve) => dead.listen(path, resolve))
    const { renameSync } = await import('node:fs')
    renameSync(path, `${path}.old`)
    await new Promise((resolve) => dead.close(resolve))
    renameSync(`${path}.old`, path)
    expect(lstatSync(path).isSocket()).to.equal(true)
    const server = await serveLocal(engine, path)
    await server.close()
    expect(lstatSync(path, { throwIfNoEntry: false })).to.equal(undefined)
  })

  it('what is no socket is not replaced', async () => {
    const { home, engine } = scene()
    const path = join(home, 'troupe.sock')
    writeFileSync(path, 'mine')
    const error = await serveLocal(engine, path).catch((error: Error) => error)
    const said = `wanted a socket at ${path}, found something else; move it away`
    expect(error).to.be.instanceOf(TroupeError).with.property('message', said)
    expect(readFileSync(path, 'utf8')).to.equal('mine')
  })

  it('an owner that cannot be talked to is the error, after a while', async () => {
    const { home, engine } = scene()
    const inUse = new TroupeError('service_unavailable', 'this home is in use by the engine with process id 7')
    const alone = { ...stage(home, engine), createEngine: () => Promise.reject(inUse) }
    const going = command('start', alone, 'etl').catch((error: Error) => error)
    let error: unknown
    void going.then((found) => {
      error = found
    })
    await eventually('the error', async () => {
      await settled()
      alone.clock.pass(100)
      return error
    })
    expect(error).to.equal(inUse)
  })
})
