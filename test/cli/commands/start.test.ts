/** What `troupe start` asks of the engine, prints and exits with. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { exitCodeOf } from '../../../src/cli/foreground/foreground.ts'
import { TroupeError } from '../../../src/errors.ts'
import { BY_USER, command, scene } from '../../support/cli/cli-scene.ts'
import {
  type FakeCliEngine,
  fakeCliEngine,
  nodeChanges,
  type Stage,
  settled,
  stage
} from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

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
        ...BY_USER,
        evaluateParams: true
      }
    ])
  })

  it('hands over --at, --priority and --idempotency-key; a priority that is no integer is refused before', async () => {
    const { engine, here } = scene()
    succeeds(engine)
    await command('start', here, 'etl', '--at', '+10m', '--priority=-5', '--idempotency-key', 'k 1')
    expect(engine.started[0]).to.include({ at: '+10m', priority: -5, idempotencyKey: 'k 1' })
    const refused = await command('start', scene().here, 'etl', '--priority', 'high').catch((error: Error) => error)
    expect(refused).to.have.property('message', '--priority: wanted an integer from -1000 to 1000, found "high"')
  })

  it('--params and words after -- exclude each other', async () => {
    const { here } = scene()
    const error = await command('start', here, 'etl', '-p', 'A=1', '--', 'B=2').catch((error: Error) => error)
    expect(error).to.be.instanceOf(TroupeError).with.property('message').that.contains('found both')
  })

  it('plain lines when piped: one line per transition with time, and the summary tree, on stderr', async () => {
    const { engine, here } = scene()
    succeeds(engine)
    await command('start', here, 'etl')
    expect(here.written.err.split('\n')).to.deep.equal([
      'run run-1 of etl',
      '00:00:01 ● running     run run-1',
      '00:00:01 ● running     first',
      '00:00:02 ✓ succeeded   first  1.0s',
      '00:00:02 ✓ succeeded   run run-1  1.5s',
      '✓ etl  succeeded  1.5s  run run-1',
      '├─ ✓ first   succeeded      1.0s',
      '└─ ○ second  not started',
      ''
    ])
    expect(here.written.out).to.equal('')
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
    expect(here.written.err).to.contain('00:00:01 ● running     first').and.not.contain('\x1b')
  })

  it('a refused start is the error', async () => {
    const { engine, here } = scene()
    engine.failure = new TroupeError('already_exists', 'etl already has a run with the id r1')
    const error = await command('start', here, 'etl', '-r', 'r1').catch((error: Error) => error)
    expect(error).to.have.property('message', 'etl already has a run with the id r1')
    expect(engine.isClosed).to.equal(true)
  })
})

describe('troupe start › live tree', () => {
  it('a terminal that does not know its size has 80 columns and 24 lines', async () => {
    const home = temporaryFolder()
    writeFileSync(join(home, 'etl.yaml'), 'steps: [echo]\n')
    const engine = fakeCliEngine(home)
    const here = stage(home, engine, { columns: 0, rows: 0 })
    const going = command('start', here, 'etl')
    const key = await engine.begun('etl')
    await settled()
    here.clock.pass(100)
    await settled()
    expect(here.written.out).to.contain('○\x1b[0m second')
    engine.end(key, 'succeeded')
    expect(await going).to.equal(0)
  })

  it('looks at what a step calls although the events are those of the run alone', async () => {
    const home = temporaryFolder()
    writeFileSync(join(home, 'etl.yaml'), 'steps: [echo]\n')
    const engine = fakeCliEngine(home)
    const here = stage(home, engine, { columns: 80, rows: 24 })
    await command('queues', stage(home, engine)) // loads the API, so that no look takes long
    const look = engine.run
    let looks = 0
    engine.run = (key) => {
      looks++
      return look(key)
    }
    const going = command('start', here, 'etl')
    const key = await engine.begun('etl')
    const [first] = engine.run(key)?.nodes ?? []
    if (!first) throw new Error('no node')
    const kid = engine.addRun({ name: 'kid', dagRunId: 'k1', status: 'running', createdAt: 1, startedAt: 1_000 })
    first.step = { ...first.step, call: 'kid' }
    first.calls = { subRuns: [{ name: 'kid', dagRunId: 'k1', params: '', record: kid.run }], subRunsRepeated: [] }
    nodeChanges(engine, key, 'first', { status: 'running', startedAt: 1_000 })
    const passes = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        here.clock.pass(100)
        for (let part = 0; part < 4; part++) await settled() // an answer of the API takes some turns
      }
    }
    await passes(400)
    expect(here.written.out).to.contain('│  └─\x1b[0m \x1b[36m●\x1b[0m kid')
    looks = 0
    Object.assign(first, { calls: { ...first.calls, subRuns: [] } })
    await passes(2_000)
    expect(here.written.out.split('\x1b[J').at(-2)).to.not.contain('kid')
    const seen = looks
    engine.end(key, 'succeeded')
    expect(await going).to.equal(0)
    expect(seen).to.be.within(2, 6)
  })
})
