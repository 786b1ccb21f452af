/** Commands that let a run wait in a queue, and take it out. Source: api-semantics 11. */
import { join } from 'node:path'
import { expect } from 'chai'
import { TroupeError } from '../../../src/errors.ts'
import { BY_USER, command, HELD, refusal, scene } from '../../support/cli/cli-scene.ts'
import { type Stage, stage } from '../../support/cli/fake-cli-engine.ts'

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
        evaluateParams: true,
        ...BY_USER
      }
    ])
  })

  it('hands over --at, --priority and --idempotency-key', async () => {
    const { engine, here } = scene()
    await command('enqueue', here, 'etl', '--at', '+10m', '--priority', '5', '--idempotency-key', 'k')
    expect(engine.asked.enqueue[0]).to.include({ at: '+10m', priority: 5, idempotencyKey: 'k' })
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

describe('troupe enqueue › a queue that is not configured', () => {
  it('may be meant; where a configured one is near, that is said', async () => {
    const { engine, here } = scene()
    const configure: Stage['configure'] = (settings) => ({
      ...here.configure(settings),
      queues: { enabled: true, config: [{ name: 'nightly', maxConcurrency: 1 }] }
    })
    const said = async (queue: string) => {
      const before = here.written.err.length
      await command('enqueue', { ...here, configure }, 'etl', '-u', queue)
      return here.written.err.slice(before)
    }
    expect(await said('nigthly')).to.equal(`no queue nigthly is configured; did you mean nightly?\n${HELD}`)
    expect(await said('nightly')).to.equal(HELD)
    expect(await said('elsewhere')).to.equal(HELD)
    expect(engine.asked.enqueue).to.have.length(3)
  })
})

describe('troupe dequeue', () => {
  it('with --dag-run removes that run', async () => {
    const { engine, here } = scene()
    for (const dagRunId of ['q1', 'q2']) await engine.enqueue({ file: '/etl.yaml', dagRunId })
    expect(await command('dequeue', here, '-d', 'etl:q2')).to.equal(0)
    expect(here.written.out).to.equal('run q2 of etl is no longer queued\n')
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

  it('a head that is started in that very moment is not there any more: the next one is taken', async () => {
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
    expect(here.written.out).to.equal('run q2 of etl is no longer queued\n')
  })

  it('not queued: 1; what was wanted and found', async () => {
    const { home, engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'r1' })
    expect(await refusal('dequeue', here, '-d', 'etl:r1')).to.equal('run r1 of etl is not queued')
    for (const [argv, message] of [
      [[], 'dequeue: wanted a queue, or --dag-run=RUN for one run, found neither'],
      [['q', '-d', 'a:b'], 'dequeue: wanted a queue or --dag-run, found both: q and a:b'],
      [['-d', 'etl'], 'run r1 of etl is not queued'],
      [['a', 'b'], 'dequeue: wanted at most one queue, found 2: a b']
    ] as const)
      expect(await refusal('dequeue', stage(home, engine), ...argv)).to.equal(message)
  })
})
