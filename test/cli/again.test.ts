/** Commands that queue, retry, restart or only look, against an engine that does what the test says. Source: api-semantics 11. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readArguments } from '../../src/cli/arguments.ts'
import { commands } from '../../src/cli/commands.ts'
import { serveSocket } from '../../src/cli/open-here.ts'
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

const HELD = 'no server serves the queues of this home: the run waits until one does (troupe start-all)\n'

function scene() {
  const home = temporaryFolder()
  for (const name of ['etl', 'other']) writeFileSync(join(home, `${name}.yaml`), `name: ${name}\nsteps:\n  - echo\n`)
  const engine = fakeCliEngine(home)
  return { home, engine, here: stage(home, engine) }
}

async function command(name: string, surroundings: Stage, ...argv: string[]): Promise<number> {
  const command = commands.find((command) => command.name === name)
  if (!command?.load) throw new Error(`no command ${name}`)
  const { run } = await command.load()
  return run(await readArguments(command, argv), surroundings)
}

const refusal = (name: string, surroundings: Stage, ...argv: string[]) =>
  command(name, surroundings, ...argv).then(
    (code) => `exit ${code}`,
    (error: TroupeError) => error.message
  )

/** Resolves when something holds that needs no time of the clock, but files and sockets. */
async function until(what: string, holds: () => boolean): Promise<void> {
  for (const begun = performance.now(); !holds(); await settled())
    if (performance.now() - begun > 8_000) throw new Error(`waited 8 s for ${what}`)
}

const ends = (engine: FakeCliEngine, status: 'succeeded' | 'failed', name = 'etl') =>
  engine.acts.set(name, (key) => engine.end(key, status))

describe('troupe enqueue', () => {
  it('prints the run id on stdout; without a server stderr says who will run it', async () => {
    const { home, engine, here } = scene()
    const argv = ['etl', '-r', 'q1', '-N', 'etl2', '-u', 'batch', '--', 'A=1']
    expect(await command('enqueue', here, ...argv)).to.equal(0)
    expect(here.written).to.deep.equal({ out: 'q1\n', err: HELD })
    expect(engine.asked.enqueue).to.deep.equal([
      {
        file: join(home, 'etl.yaml'),
        params: 'A=1',
        dagRunId: 'q1',
        dagName: 'etl2',
        queue: 'batch',
        evaluateParams: true
      }
    ])
  })

  it('--json is the key; quiet prints nothing', async () => {
    const { home, engine, here } = scene()
    await command('enqueue', here, 'etl', '-r', 'q1', '--json')
    expect(JSON.parse(here.written.out)).to.deep.equal({ name: 'etl', dagRunId: 'q1' })
    const quiet = stage(home, engine)
    await command('enqueue', quiet, 'etl', '-q')
    expect(quiet.written).to.deep.equal({ out: '', err: '' })
  })

  it('queues disabled, duplicate: the error is that of the engine', async () => {
    const { engine, here } = scene()
    engine.failure = new TroupeError('bad_request', 'queues are disabled in configuration')
    expect(await refusal('enqueue', here, 'etl')).to.equal('queues are disabled in configuration')
    expect(engine.isClosed).to.equal(true)
  })

  it('--params and words after -- exclude each other', async () => {
    const { here } = scene()
    expect(await refusal('enqueue', here, 'etl', '-p', 'A=1', '--', 'B')).to.equal(
      'enqueue: wanted parameters with --params or after --, found both'
    )
  })
})

describe('troupe validate, dry', () => {
  it('1.1.1 a name is looked up in the definitions folder of the engine that owns the home, as by start', async () => {
    const { home, engine, here } = scene()
    const dagsDir = temporaryFolder()
    writeFileSync(join(dagsDir, 'far.yaml'), 'steps: [echo]\n')
    const owner = await serveSocket({ ...engine, config: { ...engine.config, dagsDir } })
    for (const name of ['validate', 'dry']) {
      expect(await command(name, stage(home, engine), 'far'), name).to.equal(0)
      expect(await refusal(name, here, 'near')).to.equal(
        `wanted a definition, found no near.yaml or near.yml in ${home} or ${dagsDir}`
      )
      expect(await command(name, stage(home, engine), 'etl'), 'one of the working directory').to.equal(0)
    }
    await owner.close()
    expect(await refusal('validate', here, 'far')).to.contain(`found no far.yaml or far.yml in ${home} or ${home}/dags`)
  })
})

describe('troupe dequeue', () => {
  it('with --dag-run removes that run', async () => {
    const { engine, here } = scene()
    for (const dagRunId of ['q1', 'q2']) await engine.enqueue({ file: '/etl.yaml', dagRunId })
    expect(await command('dequeue', here, '-d', 'etl:q2')).to.equal(0)
    expect(here.written.out).to.equal('run q2 of etl waits no more\n')
    expect(engine.record({ name: 'etl', dagRunId: 'q1' })?.status).to.equal('queued')
    expect(engine.record({ name: 'etl', dagRunId: 'q2' })?.status).to.not.equal('queued')
  })

  it('with a queue only, removes its head', async () => {
    const { home, engine, here } = scene()
    for (const dagRunId of ['q1', 'q2']) await engine.enqueue({ file: '/etl.yaml', dagRunId, queue: 'batch' })
    expect(await command('dequeue', here, 'batch', '--json')).to.equal(0)
    expect(JSON.parse(here.written.out)).to.deep.equal({ dequeued: { name: 'etl', dagRunId: 'q1' } })
    await command('dequeue', stage(home, engine), 'batch')
    expect(await refusal('dequeue', stage(home, engine), 'batch')).to.equal('no run waits in the queue batch')
  })

  it('a head that is let go in that very moment is not there any more: the next one is taken', async () => {
    const { engine, here } = scene()
    for (const dagRunId of ['q1', 'q2']) await engine.enqueue({ file: '/etl.yaml', dagRunId })
    const { dequeue } = engine
    engine.dequeue = async (key) => {
      if (key.dagRunId === 'q1') Object.assign(engine.record(key) ?? {}, { status: 'running' })
      return dequeue(key)
    }
    const runs = engine.runs
    engine.runs = (filter) => (filter?.from === undefined ? runs(filter) : [])
    await command('dequeue', here, 'etl')
    expect(here.written.out).to.equal('run q2 of etl waits no more\n')
  })

  it('not queued: 1; what was wanted and found', async () => {
    const { home, engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'r1' })
    expect(await refusal('dequeue', here, '-d', 'etl:r1')).to.equal('run r1 of etl is not queued')
    for (const [argv, message] of [
      [[], 'dequeue: wanted a queue, or --dag-run=NAME:ID for one run, found neither'],
      [['q', '-d', 'a:b'], 'dequeue: wanted a queue or --dag-run, found both: q and a:b'],
      [['-d', 'etl'], 'dequeue: --dag-run: wanted NAME:ID, found "etl"'],
      [['a', 'b'], 'dequeue: wanted at most one queue, found 2: a b']
    ] as const)
      expect(await refusal('dequeue', stage(home, engine), ...argv)).to.equal(message)
  })
})

describe('troupe retry', () => {
  it('in place, in the foreground, with the exit code of the run', async () => {
    const { engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'failed' })
    ends(engine, 'succeeded')
    expect(await command('retry', here, 'etl', '-r', 'r1')).to.equal(0)
    expect(engine.asked.retry).to.deep.equal([[{ name: 'etl', dagRunId: 'r1' }, {}]])
    expect(here.written.out).to.contain('run r1 of etl\n').and.contain('✓ etl  succeeded')
    ends(engine, 'failed')
    expect(await command('retry', stage(here.cwd, engine), 'etl', '-r', 'r1', '--step', 's', '-n')).to.equal(1)
    expect(engine.asked.retry.at(-1)?.[1]).to.deep.equal({ stepName: 's' })
    await command('retry', stage(here.cwd, engine), 'etl', '-r', 'r1', '--disable-max-active-runs')
    expect(engine.asked.retry.at(-1)?.[1]).to.deep.equal({ unlimited: true })
  })

  it('the id is required; an unknown one is the error', async () => {
    const { home, engine, here } = scene()
    expect(await refusal('retry', here, 'etl')).to.equal(
      'retry: wanted the id of a run, found none; give it with --run-id (troupe status etl shows the newest)'
    )
    expect(await refusal('retry', stage(home, engine), 'etl', '-r', 'r9')).to.equal('there is no run r9 of etl')
  })

  it('a limit is told with the flag that does without a place; of a run that has not ended it is not', async () => {
    const { home, engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'failed' })
    engine.failure = new TroupeError('already_running', 'etl is full', { details: { limit: 1, running: 1, queued: 0 } })
    expect(await refusal('retry', here, 'etl', '-r', 'r1')).to.equal(
      'etl is full; --disable-max-active-runs does without a place'
    )
    engine.failure = new TroupeError('already_running', 'it has not ended')
    expect(await refusal('retry', stage(home, engine), 'etl', '-r', 'r1')).to.equal('it has not ended')
  })
})

describe('troupe restart', () => {
  /** These are runs of an earlier engine: nobody waits for them here. */
  const ofBefore = (engine: FakeCliEngine) => {
    const runs = engine.runs
    engine.runs = (filter) => (filter?.from === undefined ? runs(filter) : [])
  }

  it('stops the running run, waits restartWaitSec, and starts the same again whatever the limits are', async () => {
    const { engine, here } = scene()
    const key = await engine.start({ file: '/etl.yaml', dagRunId: 'r1' })
    Object.assign(engine.run(key)?.plan ?? {}, { restartWaitMs: 5_000 })
    ofBefore(engine)
    const going = command('restart', here, 'etl')
    await until('the pause', () => here.written.err.includes('starts in'))
    expect(engine.stopped).to.deep.equal([key])
    expect(here.written.err).to.equal('stopping run r1 of etl\nit has ended; the next one starts in 5.0s\n')
    ends(engine, 'succeeded')
    here.clock.pass(4_900)
    await settled()
    expect(engine.started).to.have.length(1)
    here.clock.pass(200)
    await until('the next run', () => engine.started.length > 1)
    expect(await going).to.equal(0)
    expect(engine.started.at(-1)).to.deep.equal({ fromRun: key, unlimited: true })
  })

  it('a running run only: else 1; with several, which one must be said', async () => {
    const { home, engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'old' })
    expect(await refusal('restart', here, 'etl')).to.equal(
      'restart: wanted a running run, found none: etl is not running; troupe start begins one'
    )
    for (const dagRunId of ['r1', 'r2']) await engine.start({ file: '/etl.yaml', dagRunId })
    ofBefore(engine)
    expect(await refusal('restart', stage(home, engine), 'etl', '-r', 'old')).to.contain(
      'run old of etl is not running'
    )
    expect(await refusal('restart', stage(home, engine), 'etl')).to.match(
      /^restart: wanted one running run, found 2; say which with --run-id: r\d, r\d$/
    )
    expect(engine.stopped).to.deep.equal([])
  })

  it('Ctrl-C while it waits: 130, and nothing is started', async () => {
    const { engine, here } = scene()
    const key = await engine.start({ file: '/etl.yaml', dagRunId: 'r1' })
    Object.assign(engine.run(key)?.plan ?? {}, { restartWaitMs: 5_000 })
    ofBefore(engine)
    const going = command('restart', here, 'etl')
    await until('the pause', () => here.written.err.includes('starts in'))
    here.interrupt()
    let code: number | undefined
    void going.then((found) => {
      code = found
    })
    await until('its end', () => {
      here.clock.pass(100) // answers that are being given
      return code !== undefined
    })
    expect(code).to.equal(130)
    expect(engine.started).to.have.length(1)
    expect(here.written.err).to.contain('left: the run was asked to stop, and no other is started')
  })
})

describe('troupe start › which run, and when', () => {
  it('M>1 reached: it is queued, and the command exits 0', async () => {
    const { engine, here } = scene()
    engine.isFull = true
    expect(await command('start', here, 'etl', '-r', 'r1')).to.equal(0)
    expect(engine.started.at(-1)).to.include({ waitWhenFull: true })
    expect(here.written).to.deep.equal({ out: 'run r1 of etl is queued\n', err: HELD })
    const json = stage(here.cwd, engine)
    await command('start', json, 'etl', '-r', 'r2', '--json')
    expect(JSON.parse(json.written.out)).to.deep.equal({ queued: { name: 'etl', dagRunId: 'r2' } })
  })

  it('M=1 and running: the hint speaks of enqueue only where there are queues', async () => {
    const { home, engine, here } = scene()
    engine.failure = new TroupeError('max_run_reached', 'etl is full')
    expect(await refusal('start', here, 'etl')).to.equal(
      'etl is full; troupe enqueue waits for a place, --disable-max-active-runs does without one'
    )
    writeFileSync(join(home, 'config.yaml'), 'queues: {enabled: false}\n')
    expect(await refusal('start', stage(home, engine), 'etl')).to.equal(
      'etl is full; --disable-max-active-runs does without a place'
    )
  })

  it('--no-queue never waits, --disable-max-active-runs knows no limit', async () => {
    const { engine, here } = scene()
    ends(engine, 'succeeded')
    await command('start', here, 'etl', '-n', '--disable-max-active-runs')
    expect(engine.started.at(-1)).to.include({ noQueue: true, unlimited: true }).and.not.have.property('waitWhenFull')
  })

  it('--from-run-id takes definition and params of an earlier run, and no others beside', async () => {
    const { home, engine, here } = scene()
    ends(engine, 'succeeded')
    await command('start', here, 'etl', '--from-run-id', 'r1', '-r', 'r2')
    expect(engine.started.at(-1)).to.deep.equal({
      fromRun: { name: 'etl', dagRunId: 'r1' },
      dagRunId: 'r2',
      waitWhenFull: true
    })
    expect(await refusal('start', stage(home, engine), 'etl', '--from-run-id', 'r1', '--', 'A=1')).to.equal(
      'start: wanted no parameters beside --from-run-id r1, which has its own, found A=1'
    )
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
    first.calls = { subRuns: [{ name: 'kid', dagRunId: 'k1', params: '', record: kid.run }], subRunsRepeated: [] }
    nodeChanges(engine, key, 'first', { status: 'running', startedAt: 1_000 })
    const passes = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        here.clock.pass(100)
        await settled()
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

describe('troupe stop › runs that wait', () => {
  it('are not stopped: the message says how to remove them, 0', async () => {
    const { home, engine, here } = scene()
    await engine.enqueue({ file: '/etl.yaml', dagRunId: 'q1' })
    const hint = 'run q1 of etl waits in a queue; troupe dequeue --dag-run=etl:q1 removes it\n'
    expect(await command('stop', here, 'etl')).to.equal(0)
    expect(here.written.out).to.equal(`no run of etl is running\n${hint}`)
    const one = stage(home, engine)
    expect(await command('stop', one, 'etl', '-r', 'q1')).to.equal(0)
    expect(one.written.out).to.equal(`run q1 of etl is not running\n${hint}`)
    expect(engine.record({ name: 'etl', dagRunId: 'q1' })?.status).to.equal('queued')
  })
})

describe('troupe queues, troupe status', () => {
  /** Lets `act` look while a foreground start owns the home. */
  async function withOwner(act: (home: string, engine: FakeCliEngine) => Promise<void>) {
    const { home, engine, here } = scene()
    const owner = command('start', here, 'other', '-r', 'owner')
    const key = await engine.begun('other')
    await settled()
    await act(home, engine)
    engine.end(key, 'succeeded')
    await owner
  }

  it('queues shows what runs in them and what waits, in order', () =>
    withOwner(async (home, engine) => {
      for (const dagRunId of ['q1', 'q2']) await engine.enqueue({ file: '/etl.yaml', dagRunId, queue: 'batch' })
      const looker = stage(home, engine)
      looker.clock.pass(2_000)
      expect(await command('queues', looker)).to.equal(0)
      expect(looker.written.out.split('\n')).to.have.members([
        'batch  0 running, 2 queued',
        '├─ ◌ etl  queued     2.0s  run q1',
        '└─ ◌ etl  queued     2.0s  run q2',
        'other  1 running, 0 queued',
        '└─ ● other  running    2.0s  run owner',
        ''
      ])
      const json = stage(home, engine)
      await command('queues', json, '--json')
      const [batch] = JSON.parse(json.written.out).queues.filter(({ name }: { name: string }) => name === 'batch')
      expect(batch).to.deep.include({ type: 'dag-based', summary: { running: 0, queued: 2, total: 2 } })
      expect(batch.queuedDAGRuns.map(({ dagRunId }: { dagRunId: string }) => dagRunId)).to.deep.equal(['q1', 'q2'])
      expect(batch.queuedDAGRuns[0]).to.include({ statusLabel: 'queued', startedAt: '' })
    }))

  it('status names the runs that wait', () =>
    withOwner(async (home, engine) => {
      engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'failed', createdAt: 2_000 })
      await engine.enqueue({ file: '/etl.yaml', dagRunId: 'q1' })
      const looker = stage(home, engine)
      await command('status', looker, 'etl')
      expect(looker.written.out)
        .to.match(/^✗ etl {2}failed {2}run r1\n/)
        .and.match(/\n◌ etl {2}queued .* run q1\n$/)
      const json = stage(home, engine)
      await command('status', json, 'etl', '--json')
      expect(JSON.parse(json.written.out).queuedDAGRuns).to.have.length(1)
    }))

  it('over the socket an engine that holds its queues says so', () =>
    withOwner(async (home, engine) => {
      const client = { ...stage(home, engine), createEngine: () => Promise.reject(new Error('not here')) }
      await command('enqueue', client, 'etl', '-r', 'q7')
      expect(client.written).to.deep.equal({ out: 'q7\n', err: HELD })
      expect(engine.asked.enqueue.at(-1)).to.include({ file: join(home, 'etl.yaml'), dagRunId: 'q7' })
      await command('dequeue', client, '-d', 'etl:q7')
      expect(client.written.out).to.contain('run q7 of etl waits no more')
    }))
})

describe('troupe dry', () => {
  const FLOW = `name: flow
type: graph
params: DAY=\`touch ran\` N=1
preconditions: [{condition: "\`touch ran\`", expected: x}]
maxActiveSteps: 3
steps:
  - {name: last, command: "echo \${DAY}", depends: [sub, each]}
  - {name: sub, call: kid, params: "X=1"}
  - {name: each, call: elsewhere, parallel: {items: [a, b]}, depends: [ask]}
  - {name: ask, executor: http, command: GET http://127.0.0.1:1/, preconditions: [test -f ready]}
handlerOn:
  failure: {command: echo failed}
  exit: {command: echo over}
---
name: kid
steps: [echo kid]
`
  function flow() {
    const { home, engine, here } = scene()
    writeFileSync(join(home, 'flow.yaml'), FLOW)
    const opened: unknown[] = []
    const createEngine: Stage['createEngine'] = async (options) => {
      opened.push(options)
      return engine
    }
    return { home, opened, here: { ...here, createEngine } }
  }

  it('prints the levels in the order in which they would run, commands unexpanded', async () => {
    const { here } = flow()
    expect(await command('dry', here, 'flow', '--', 'N=2')).to.equal(0)
    expect(here.written.out.split('\n')).to.deep.equal([
      'flow  4 steps in 3 levels; nothing is executed',
      'params: DAY=`touch ran` N=2',
      'precondition: `touch ran` is x',
      'at most 3 steps at a time',
      'level 1',
      '├─ sub  calls kid (in the same file)',
      '│       with: X=1',
      '└─ ask  http: GET http://127.0.0.1:1/',
      '        precondition: test -f ready',
      'level 2',
      '└─ each  calls elsewhere, once for each of 2 items',
      '         after: ask',
      'level 3',
      '└─ last  echo ${DAY}',
      '         after: sub, each',
      'handlers',
      '├─ onFailure  echo failed',
      '└─ onExit     echo over',
      ''
    ])
  })

  it('executes nothing: no history, no command substitution', async () => {
    const { home, opened, here } = flow()
    await command('dry', here, 'flow')
    expect(opened).to.deep.equal([])
    expect(existsSync(join(home, 'ran'))).to.equal(false)
    expect(existsSync(join(home, 'data'))).to.equal(false)
  })

  it('--json has the levels; --name the name', async () => {
    const { here } = flow()
    await command('dry', here, 'flow', '--json', '-N', 'other')
    const { name, levels, handlers } = JSON.parse(here.written.out)
    expect(name).to.equal('other')
    expect(levels.map((level: { name: string }[]) => level.map(({ name }) => name))).to.deep.equal([
      ['sub', 'ask'],
      ['each'],
      ['last']
    ])
    expect(levels[1][0].calls).to.deep.equal({ name: 'elsewhere', local: false, params: '', items: 2 })
    expect(handlers).to.have.length(2)
  })

  it('a definition with problems: 1, one line each on stderr', async () => {
    const { home, here } = flow()
    writeFileSync(join(home, 'bad.yaml'), 'steps: [{name: a, command: echo, depends: b}]\n')
    expect(await command('dry', here, 'bad')).to.equal(1)
    expect(here.written.out).to.equal('')
    expect(here.written.err).to.match(/^- bad\.yaml:1:\d+: .*non-existent step b\n$/)
  })
})
