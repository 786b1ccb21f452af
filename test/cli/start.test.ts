/** `troupe start` against an engine that does what the test says, in this process and over the socket. */
import { lstatSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { serveLocal } from '../../src/api/local.ts'
import { readArguments } from '../../src/cli/arguments.ts'
import { commands } from '../../src/cli/commands.ts'
import { exitCodeOf } from '../../src/cli/foreground.ts'
import { run as startRoom } from '../../src/cli/start.ts'
import { run as statusRoom } from '../../src/cli/status.ts'
import { run as stopRoom } from '../../src/cli/stop.ts'
import { TroupeError } from '../../src/errors.ts'
import {
  type FakeCliEngine,
  fakeCliEngine,
  nodeChanges,
  type Stage,
  settled,
  stage
} from '../support/fake-cli-engine.ts'
import { temporaryFolder } from '../support/homes.ts'

const rooms = { start: startRoom, status: statusRoom, stop: stopRoom }

/** A home with the definitions `etl` and `other` in the working directory, and an engine. */
function scene(size?: { columns: number; rows: number }) {
  const home = temporaryFolder()
  for (const name of ['etl', 'other']) writeFileSync(join(home, `${name}.yaml`), `name: ${name}\nsteps:\n  - echo\n`)
  const engine = fakeCliEngine(home)
  const here = stage(home, engine, size)
  return { home, engine, here }
}

async function command(name: keyof typeof rooms, surroundings: Stage, ...argv: string[]): Promise<number> {
  const command = commands.find((command) => command.name === name)
  if (!command) throw new Error(`no command ${name}`)
  return rooms[name](await readArguments(command, argv), surroundings)
}

/** Lets a run succeed as soon as it is started. */
const succeeds = (engine: FakeCliEngine, name = 'etl') =>
  engine.acts.set(name, (key) => {
    nodeChanges(engine, key, 'first', { status: 'running', startedAt: 1_000 })
    nodeChanges(engine, key, 'first', { status: 'succeeded', finishedAt: 2_000 }, 2_000)
    engine.end(key, 'succeeded')
  })

describe('troupe start › exit codes', () => {
  it('0 run succeeded or partially succeeded; 1 run failed; run canceled: 1 when stopped, 130 when interrupted', () => {
    expect(exitCodeOf('succeeded', false)).to.equal(0)
    expect(exitCodeOf('partially_succeeded', false)).to.equal(0)
    expect(exitCodeOf('failed', false)).to.equal(1)
    expect(exitCodeOf('canceled', false)).to.equal(1)
    expect(exitCodeOf('canceled', true)).to.equal(130)
    expect(exitCodeOf('succeeded', true)).to.equal(0)
    expect(exitCodeOf('failed', true)).to.equal(1)
  })

  it('are those of the run', async () => {
    for (const [status, code] of [
      ['succeeded', 0],
      ['partially_succeeded', 0],
      ['failed', 1],
      ['canceled', 1]
    ] as const) {
      const { engine, here } = scene()
      engine.acts.set('etl', (key) => engine.end(key, status))
      expect(await command('start', here, 'etl'), status).to.equal(code)
    }
  })
})

describe('troupe start › in the foreground', () => {
  it('hands over file, params, run id and name', async () => {
    const { home, engine, here } = scene()
    succeeds(engine)
    await command('start', here, 'etl', '-r', 'r9', '-N', 'etl2', '--', 'a', 'K=two words')
    expect(engine.started).to.deep.equal([
      {
        file: join(home, 'etl.yaml'),
        params: 'a K="two words"',
        dagRunId: 'r9',
        dagName: 'etl2',
        waitWhenFull: true,
        evaluateParams: true
      }
    ])
  })

  it('--params and words after -- exclude each other', async () => {
    const { here } = scene()
    const error = await command('start', here, 'etl', '-p', 'A=1', '--', 'B=2').catch((error: Error) => error)
    expect(error).to.be.instanceOf(TroupeError).with.property('message').that.contains('found both')
  })

  it('plain lines when piped: one line per transition with time, and the summary tree', async () => {
    const { engine, here } = scene()
    succeeds(engine)
    await command('start', here, 'etl')
    expect(here.written.out.split('\n')).to.deep.equal([
      'run run-1 of etl',
      '00:00:01 ● running     run run-1',
      '00:00:01 ● running     first',
      '00:00:02 ✓ succeeded   first  1.0s',
      '00:00:02 ✓ succeeded   run run-1  1.5s',
      '✓ etl  succeeded  1.5s  run run-1',
      '├─ ✓ first   succeeded      1.0s',
      '└─ ○ second  not started',
      'logs: /nowhere/run.log and /nowhere/1',
      ''
    ])
    expect(here.written.err).to.equal('')
  })

  it('--json prints one object per event and a final result object', async () => {
    const { engine, here } = scene()
    succeeds(engine)
    await command('start', here, 'etl', '--json')
    const objects = here.written.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(objects.slice(0, -1).map(({ step = '', status }) => `${step} ${status}`.trim())).to.deep.equal([
      'running',
      'first running',
      'first succeeded',
      'succeeded'
    ])
    expect(objects.at(-1).dagRun).to.include({ name: 'etl', dagRunId: 'run-1', statusLabel: 'succeeded' })
    expect(objects.at(-1).dagRun.nodes).to.have.length(2)
  })

  it('quiet prints nothing', async () => {
    const { engine, here } = scene({ columns: 80, rows: 24 })
    succeeds(engine)
    expect(await command('start', here, 'etl', '-q')).to.equal(0)
    expect(here.written).to.deep.equal({ out: '', err: '' })
  })

  it('on a terminal: a live tree, redrawn at most 10 times a second, then the summary; the cursor is restored', async () => {
    const { engine, here } = scene({ columns: 80, rows: 24 })
    const going = command('start', here, 'etl')
    const key = await engine.begun('etl')
    await settled()
    let frames = 0
    for (let second = 0; second < 2; second++)
      for (let part = 0; part < 20; part++) {
        nodeChanges(engine, key, 'first', { status: 'running', startedAt: 1_000, retryCount: part })
        const before = here.written.out.length
        here.clock.pass(50)
        await settled()
        if (here.written.out.length > before) frames++
      }
    expect(frames).to.be.within(15, 20)
    expect(here.written.out).to.contain('├─\x1b[0m \x1b[36m●\x1b[0m first')
    engine.end(key, 'succeeded')
    expect(await going).to.equal(0)
    const [, afterwards = ''] = here.written.out.split('\x1b[?25h')
    expect(afterwards)
      .to.match(/^\S+✓\S+ \S+etl {2}succeeded/)
      .and.not.contain('\x1b[J')
  })

  it('TERM=dumb has lines instead of a picture', async () => {
    const { engine, here } = scene({ columns: 80, rows: 24 })
    succeeds(engine)
    const configure: Stage['configure'] = (settings) => ({ ...here.configure(settings), environment: { TERM: 'dumb' } })
    await command('start', { ...here, configure }, 'etl')
    expect(here.written.out).to.contain('00:00:01 ● running     first').and.not.contain('\x1b')
  })

  it('a refused start is the error', async () => {
    const { engine, here } = scene()
    engine.failure = new TroupeError('already_exists', 'etl already has a run with the id r1')
    const error = await command('start', here, 'etl', '-r', 'r1').catch((error: Error) => error)
    expect(error).to.have.property('message', 'etl already has a run with the id r1')
    expect(engine.isClosed).to.equal(true)
  })
})

describe('troupe start › SIGINT/SIGTERM', () => {
  it('the first stops the run gracefully: 130', async () => {
    const { engine, here } = scene()
    const going = command('start', here, 'etl')
    const key = await engine.begun('etl')
    await settled()
    here.interrupt()
    expect(await going).to.equal(130)
    expect(engine.stopped).to.deep.equal([key])
    expect(here.written.err).to.contain('stopping')
    expect(here.written.out).to.contain('■ etl  canceled')
  })

  it('the second leaves at once with a message that steps live on', async () => {
    const { engine, here } = scene()
    engine.stop = async (key) => void engine.stopped.push(key) // its steps take their time
    const going = command('start', here, 'etl')
    await engine.begun('etl')
    await settled()
    here.interrupt()
    await settled()
    here.clock.pass(1_000)
    here.interrupt()
    await settled()
    here.clock.pass(1_000) // answers that are being given
    expect(await going).to.equal(130)
    expect(here.written.err).to.match(/left: its steps live on, and the next engine on this home goes on with the run/)
    expect(engine.isClosed).to.equal(true)
  })

  it('two signals of one key press are one', async () => {
    const { engine, here } = scene()
    engine.stop = async (key) => void engine.stopped.push(key)
    const going = command('start', here, 'etl')
    const key = await engine.begun('etl')
    await settled()
    here.interrupt()
    here.clock.pass(50)
    here.interrupt()
    await settled()
    expect(here.written.err).to.not.contain('left')
    engine.end(key, 'canceled')
    expect(await going).to.equal(130)
  })

  it('a run that had succeeded already exits 0', async () => {
    const { engine, here } = scene()
    engine.stop = async (key) => engine.end(key, 'succeeded')
    const going = command('start', here, 'etl')
    await engine.begun('etl')
    await settled()
    here.interrupt()
    expect(await going).to.equal(0)
  })
})

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
    expect(there.written.out).to.contain('● running     first').and.contain('✗ other  failed')
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
    expect(there.written.out).to.contain('✓ other  succeeded')
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
    expect(error).to.be.instanceOf(TroupeError).with.property('message').that.contains('EADDRINUSE')
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
    for (let waited = 0; waited < 100 && error === undefined; waited++) {
      await settled()
      alone.clock.pass(100)
    }
    expect(error).to.equal(inUse)
  })
})

describe('troupe stop', () => {
  it('none running: message, 0', async () => {
    const { here } = scene()
    expect(await command('stop', here, 'etl')).to.equal(0)
    expect(here.written.out).to.equal('no run of etl is running\n')
  })

  it('without an id all running runs of the DAG, and waits for their end', async () => {
    const { engine, here } = scene()
    for (const dagRunId of ['r1', 'r2']) await engine.start({ file: '/etl.yaml', dagRunId })
    await engine.start({ file: '/other.yaml', dagRunId: 'r3' })
    const runs = engine.runs
    engine.runs = (filter) => (filter?.from === undefined ? runs(filter) : []) // these are none of this process
    expect(await command('stop', here, 'etl.yaml')).to.equal(0)
    expect(engine.stopped.map(({ dagRunId }) => dagRunId)).to.have.members(['r1', 'r2'])
    expect(here.written.out).to.contain('run r1 of etl: canceled')
  })

  it('with an id that run; one that is not running is told, 0', async () => {
    const { engine, here } = scene()
    await engine.start({ file: '/etl.yaml', dagRunId: 'r1' })
    expect(await command('stop', here, 'etl', '-r', 'r1', '--json')).to.equal(0)
    expect(JSON.parse(here.written.out)).to.deep.equal({
      stopped: [{ name: 'etl', dagRunId: 'r1', status: 'canceled' }]
    })
    const again = stage(here.cwd, engine)
    expect(await command('stop', again, 'etl', '-r', 'r1')).to.equal(0)
    expect(again.written.out).to.equal('run r1 of etl is not running\n')
  })

  it('a word that names no definition is taken as a DAG name', async () => {
    const { engine, here } = scene()
    await engine.start({ file: '/gone.yaml', dagRunId: 'r1' })
    await command('stop', here, 'gone')
    expect(engine.stopped).to.deep.equal([{ name: 'gone', dagRunId: 'r1' }])
    const error = await command('stop', stage(here.cwd, engine), 'no/such').catch((error: Error) => error)
    expect(error).to.have.property('message', 'wanted a definition or a DAG name, found neither: "no/such"')
  })
})

describe('troupe status', () => {
  async function withOwner(act: (home: string, engine: FakeCliEngine) => Promise<void>) {
    const { home, engine, here } = scene()
    const owner = command('start', here, 'etl', '-r', 'owner')
    const key = await engine.begun('etl')
    await settled()
    await act(home, engine)
    engine.end(key, 'succeeded')
    await owner
  }

  it('newest run or the given one; exit 0 whatever the state', () =>
    withOwner(async (home, engine) => {
      engine.addRun({ name: 'other', dagRunId: 'old', status: 'failed', createdAt: 1 })
      engine.addRun({ name: 'other', dagRunId: 'new', status: 'canceled', createdAt: 2 })
      for (const [argv, head] of [
        [['other'], '■ other  canceled  run new'],
        [['other', '-r', 'old'], '✗ other  failed  run old']
      ] as const) {
        const looker = stage(home, engine)
        expect(await command('status', looker, ...argv)).to.equal(0)
        expect(looker.written.out.split('\n')[0]).to.equal(head)
      }
    }))

  it('--json is the shape of run details', () =>
    withOwner(async (home, engine) => {
      const looker = stage(home, engine)
      await command('status', looker, 'etl', '--json')
      expect(JSON.parse(looker.written.out)).to.include({
        dagRunId: 'owner',
        status: 1,
        statusLabel: 'running',
        finishedAt: ''
      })
    }))

  it('unknown: 1', () =>
    withOwner(async (home, engine) => {
      const failure = (...argv: string[]) =>
        command('status', stage(home, engine), ...argv).catch((error: Error) => error.message)
      expect(await failure('other')).to.equal('other has no runs')
      expect(await failure('etl', '-r', 'r7')).to.equal('there is no run r7 of etl')
    }))

  it('a home in which nothing ran has nothing to show', async () => {
    const { home, here } = scene()
    const error = await command('status', here, 'etl').catch((error: Error) => error)
    expect(error).to.have.property('message', `nothing has run in ${home} yet`)
  })
})
