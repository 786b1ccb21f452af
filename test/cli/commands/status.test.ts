/** The status of runs that are running, have ended, or wait in queues. Source: api-semantics 11. */
import { join } from 'node:path'
import { expect } from 'chai'
import { command, HELD, scene } from '../../support/cli/cli-scene.ts'
import { type FakeCliEngine, settled, stage } from '../../support/cli/fake-cli-engine.ts'

/** Lets `act` look while a foreground start of a definition owns the home. */
const ownedBy = (name: string) => async (act: (home: string, engine: FakeCliEngine) => Promise<void>) => {
  const { home, engine, here } = scene()
  const owner = command('start', here, name, '-r', 'owner')
  const key = await engine.begun(name)
  await settled()
  await act(home, engine)
  engine.end(key, 'succeeded')
  await owner
}

describe('troupe status', () => {
  const withOwner = ownedBy('etl')

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
      expect(await failure('other')).to.equal(`other has no runs in the home ${home}`)
      expect(await failure('etl', '-r', 'r7')).to.equal(
        'there is no run r7 of etl; its newest is owner (or say latest)'
      )
    }))

  it('a home in which nothing ran has nothing to show', async () => {
    const { home, here } = scene()
    const error = await command('status', here, 'etl').catch((error: Error) => error)
    expect(error).to.have.property('message', `etl has no runs in the home ${home}`)
  })
})

describe('troupe queues, troupe status', () => {
  const withOwner = ownedBy('other')

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
      expect(client.written.out).to.contain('run q7 of etl is no longer queued')
    }))
})

describe('troupe events', () => {
  it('of the newest run stay those of that run when another one begins meanwhile', () =>
    ownedBy('etl')(async (home, engine) => {
      const owner = { name: 'etl', dagRunId: 'owner' }
      for (const to of ['b', 'c', 'd']) engine.emit(owner, { to })
      const { events } = engine.facts
      Object.assign(engine.facts, {
        events(...[key, options]: Parameters<typeof events>) {
          const part = events(engine.run(key)?.run ?? key, options)
          engine.addRun({ name: 'etl', dagRunId: 'newer', createdAt: 9_000 })
          return part
        }
      })
      const looker = stage(home, engine)
      expect(await command('events', looker, 'etl', '--json')).to.equal(0)
      const told = looker.written.out.trim().split('\n')
      expect(told.map((line) => JSON.parse(line).to)).to.include.members(['b', 'c', 'd'])
    }))
})

describe('troupe status --watch', () => {
  it('where no engine is, it says so and shows what is stored', async () => {
    const { engine, here } = scene()
    engine.addRun({ name: 'etl', dagRunId: 'r1', status: 'running', startedAt: 1 })
    expect(await command('status', here, 'etl', '--watch')).to.equal(0)
    expect(here.written.err).to.contain('no engine is running on this home')
    expect(here.written.out).to.contain('etl  running')
  })
})
