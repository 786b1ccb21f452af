/** Reasons that need a container, a defect, or a moment: the charts are brought into them by hand. Source: machines/run.ts, docs/inspect.md. */
import { expect } from 'chai'
import type { Container, Plan, RunRecord } from '../../../machines/vocabulary.ts'
import { seenAs } from '../../../src/inspect/actors.ts'
import { explained } from '../../../src/inspect/explain/explain.ts'
import type { Situation } from '../../../src/inspect/explain/situation.ts'
import { nothingYet, take } from '../../../src/inspect/replay.ts'
import { driveRun } from '../../support/charts/charts.ts'
import { key, plan, step } from '../../support/charts/plans.ts'
import { openStage } from '../../support/charts/stage.ts'
import { brought, causesIn } from '../../support/inspect/explanations.ts'
import { notedRun } from '../../support/store/noted-run.ts'

const container: Container = {
  image: 'busybox',
  pull: 'missing',
  env: [],
  volumes: [],
  ports: [],
  keepContainer: false,
  startup: 'keepalive',
  command: [],
  waitFor: 'running'
}
const record: RunRecord = {
  ...key(),
  status: 'running',
  attempt: 1,
  createdAt: 0,
  params: [],
  log: '',
  nodeLogs: '',
  plan: ''
}

/** A run on a stage, and why it waits, from its journal. */
function driven(plan: Plan) {
  const stage = openStage()
  const noted = notedRun(plan, stage)
  const run = driveRun(plan, { stage, recorders: noted.recorders })
  const explain = (also: Partial<RunRecord> = {}, around: Partial<Situation> = {}) => {
    const state = nothingYet()
    for (const record of noted.journal()) take(state, record)
    return explained({ ...situation(seenAs(key(), plan, state), also), now: stage.now, ...around })
  }
  const why: (...given: Parameters<typeof explain>) => ReturnType<typeof causesIn> = (...given) =>
    causesIn({ subject: { kind: 'run', ...key(), status: 'running' }, reasons: explain(...given) })
  return { run, stage, why, explain }
}

const situation = (seen: ReturnType<typeof seenAs>, also: Partial<RunRecord> = {}): Situation => ({
  ...seen,
  record: { ...record, ...also },
  now: 0,
  isOwned: true,
  holdsQueues: false,
  maxProcesses: 8,
  begunAt: () => undefined,
  needsOf: () => undefined,
  subRuns: () => ({ begun: [], total: 0, maxConcurrent: 1 }),
  whyEnded: () => undefined
})

describe('explain › charts', () => {
  it('the container of a run is being started, then given back', () => {
    const { run, why } = driven(plan([step('a')], { container }))
    expect(why()).to.deep.equal({ dag: 'container_start', a: 'run_not_ready' })
    run.prepared()
    run.ends('a')
    expect(run.state()).to.equal('releasing')
    expect(why()).to.deep.equal({ dag: 'container_release' })
  })

  it('the code of a run has another version, and onDrift keeps the run from it', () => {
    const release = { dag: 'dag', version: '1', planHash: 'x' }
    const { run, stage, why, explain } = driven(plan([step('a'), step('b', { depends: ['a'] })], { release }))
    run.prepared()
    run.actor.send({ type: 'release.differs', at: stage.now, version: '2', wanted: '1' })
    expect(why()).to.deep.equal({ dag: 'run_superseded', a: 'step_superseded', b: 'step_superseded' })
    expect(explain()[0]?.text).to.equal(
      'the run was started by version 1 of dag, and the application on this home has version 2 (onDrift: fail)'
    )
    run.actor.send({ type: 'release.opened', at: stage.now })
    expect(why()).to.include({ dag: 'steps_at_work' })
  })

  it('a step met a defect', () => {
    const { run, stage, why } = driven(plan([step('a')]))
    stage.breaks('attempt', 1)
    run.prepared()
    expect(run.outcome()).to.equal('failed')
    expect(why({ status: 'failed' })).to.deep.equal({ dag: 'steps_failed', a: 'defect' })
  })

  it('whoever stopped the run had no time left for its handlers', () => {
    const { run, stage, why } = driven(plan([step('a')], { handlers: { cancel: step('onCancel') } }))
    run.prepared()
    run.stop()
    for (const type of ['run.kill', 'run.kill'] as const) run.actor.send({ type, at: stage.now })
    run.obeys()
    expect(run.outcome()).to.equal('canceled')
    expect(why({ status: 'canceled' })).to.include({ onCancel: 'no_time_left' })
  })

  it('7.3.6 a run that was ended by force began no handler', () => {
    const { run, stage, why } = driven(plan([step('a')], { handlers: { cancel: step('onCancel') } }))
    run.prepared()
    run.actor.send({ type: 'run.force', at: stage.now })
    run.obeys()
    expect(why({ status: 'canceled' })).to.include({ onCancel: 'no_time_left' })
  })

  it('a step whose executor the engine lacks', () => {
    const { run, stage, why } = driven(plan([step('a')]))
    run.prepared()
    stage.the('attempt').answer('attempt.missing', {
      code: { kind: 'executor', name: 'gate', step: 'a' },
      mayHaveBegun: false
    })
    expect(why({ status: 'running' })).to.include({ a: 'executor_missing' })
  })

  it('a step of a run that was placed on a worker: offered, at work, and when the worker is silent', () => {
    const placement = { home: 'a1', id: 'wa', lease: 1 }
    const { run, stage, explain } = driven(plan([step('a')]))
    run.prepared()
    const said = (state: string, heardAt = stage.now) =>
      explain({ status: 'running', placement }, { worker: { state, heardAt } })
        .filter(({ about }) => about.kind === 'node')
        .map(({ cause, text }) => [cause, text])
    stage.the('attempt').answer('attempt.offered')
    stage.advance(1_000)
    expect(said('serving.healthy')).to.deep.equal([
      ['worker_asked', 'a was offered to wa 1 s ago, and there is no answer yet']
    ])
    stage.the('attempt').answer('attempt.answered')
    stage.advance(60_000)
    expect(said('serving.healthy')).to.deep.equal([['executing', 'attempt 1 of a has been running on wa for 60 s']])
    expect(said('serving.unhealthy', stage.now - 21_000)).to.deep.equal([
      ['worker_silent', 'a was given to the worker wa, which has been silent for 21 s']
    ])
    const heardAt = stage.now - 21_000
    const worker = { state: 'serving.unhealthy', heardAt, lostAt: heardAt + 30_000 }
    const [reason] = explain({ status: 'running', placement }, { worker }).filter(({ about }) => about.kind === 'node')
    expect([reason?.text, reason?.until]).to.deep.equal([
      'a was given to the worker wa, which has been silent for 21 s; it is declared lost in 9 s',
      heardAt + 30_000
    ])
  })

  it('steps that wait for a signal, for an approval, and for an instant; those that did not get it in time, or were refused', () => {
    const waits = (name: string, kind: 'signal' | 'approval', timeoutMs = 0) =>
      step(name, { wait: { kind }, timeoutMs })
    const asleep = step('z', { wait: { kind: 'sleep', for: 'PT1H' } })
    const { run, stage, why } = driven(plan([waits('s', 'signal', 60_000), waits('a', 'approval'), asleep]))
    run.prepared()
    expect(why()).to.deep.equal({ dag: 'steps_at_work', s: 'signal_wait', a: 'approval_wait', z: 'sleep_wait' })
    stage.advance(60_000)
    run.actor.send({ type: 'signal.given', step: 'a', at: stage.now, output: '{"approved":false}', refusal: 'no' })
    expect(why()).to.include({ s: 'signal_overdue', a: 'refused', z: 'sleep_wait' })
  })

  it('a step whose worker is lost: waits for it, for the fence, for another one', () => {
    const placement = { home: 'a1', id: 'wa', lease: 1 }
    const said = (wish: Partial<Plan>, more: (run: ReturnType<typeof driven>['run']) => void = () => {}) => {
      const { run, stage, explain } = driven(plan([step('a', { retry: { limit: 1 } })], wish))
      run.prepared()
      stage.the('attempt').answer('attempt.offered')
      run.loses()
      more(run)
      stage.advance(10_000)
      return explain({ status: 'running', placement }, { worker: { state: 'lost', heardAt: stage.now } })
        .filter(({ about }) => about.kind === 'node')
        .map(({ cause, text }) => [cause, text])
    }
    expect(said({ onWorkerLost: 'wait' })).to.deep.equal([
      [
        'worker_awaited',
        'a was given to the worker wa, which is lost: it waits until that is back (onWorkerLost: wait)'
      ]
    ])
    expect(said({})).to.deep.equal([
      ['worker_fencing', 'attempt 2 of a waits 20 s: only then is it certain that attempt 1 has ended on wa']
    ])
    expect(said({ onWorkerLost: 'requeue' }, (run) => run.news('worker.fenced'))).to.deep.equal([
      ['worker_replacing', 'a needs another worker than wa, which is lost']
    ])
  })
  it('D6 a step that has failed because its worker is lost, and an execution that has ended late', () => {
    const failed = driven(plan([step('a')]))
    failed.run.prepared()
    failed.stage.the('attempt').answer('attempt.offered')
    failed.run.loses()
    const [why] = failed.explain({ status: 'failed' }).filter(({ about }) => about.kind === 'node')
    expect([why?.cause, why?.text, why?.blockedBy]).to.deep.equal([
      'worker_lost',
      'a failed because its worker was lost: wa silent for 30 s, outcome unknown',
      [{ kind: 'worker', name: 'wa' }]
    ])
    const ways = [
      [{ exitCode: 0 }, ' well'],
      [{ exitCode: 3, error: 'exit status 3\nits last words' }, ' with code 3: exit status 3'],
      [{ exitCode: -1, signal: 'killed', error: 'signal: killed' }, ' by a signal (killed)'],
      [{}, '']
    ] as const
    for (const [how, text] of ways) {
      const { run, stage, explain } = driven(plan([step('a')], { onWorkerLost: 'requeue' }))
      run.prepared()
      stage.the('attempt').answer('attempt.offered')
      run.loses()
      run.news('worker.fenced')
      const late = { endedAt: stage.now - 5_000, heardAt: stage.now, ...how }
      run.actor.getSnapshot().children['node/a']?.send({ type: 'attempt.late', at: stage.now, attempt: 1, late })
      const said = explain({ status: 'running' }).find(({ cause }) => cause === 'late_end')
      expect([said?.text, said?.since]).to.deep.equal([
        `attempt 1 of a, which was given up when wa was lost, has ended there${text}`,
        stage.now - 5_000
      ])
    }
  })
  it('a run whose worker is lost before it is prepared', () => {
    const { run, explain } = driven(plan([step('a')], { onWorkerLost: 'requeue' }))
    run.loses()
    const [first] = explain({ status: 'running' })
    expect([first?.cause, first?.text]).to.deep.equal([
      'run_moving',
      'the run needs another worker than wa, which is lost'
    ])
  })

  it('a run that has been accepted and has no actor yet', () => {
    const seen = seenAs(key(), plan([step('a')]), nothingYet())
    const reasons = explained(situation(seen, { status: 'not_started' }))
    expect(causesIn({ subject: { kind: 'run', ...key(), status: 'not_started' }, reasons })).to.deep.equal({
      a: 'run_not_started'
    })
  })

  it('its turn in the queue has come; one that took too long is discarded; one that throws too often is given up', () => {
    const seen = seenAs(key(), plan([step('a')]), nothingYet())
    const why = (also: Partial<RunRecord>, state = seen.state) =>
      causesIn({
        subject: { kind: 'run', ...key(), status: 'failed' },
        reasons: explained(situation({ ...seen, state }, also))
      }).dag
    expect(why({ status: 'queued' })).to.equal('dispatching')
    expect(why({ status: 'failed', error: 'queued run did not start within 10s' })).to.equal('queue_expired')
    const parked = { ...nothingYet(), parked: true }
    expect(why({ status: 'failed', error: 'Error: defect' }, parked)).to.equal('run_parked')
  })

  it('the result of sub DAG runs is being written', async () => {
    const { simulation, key, facts } = await brought({
      spec: 'steps:\n  - {name: calls, run: kid}\n---\nname: kid\nsteps: [{name: k, command: x}]\n'
    })
    const journal = simulation.journal(key)
    const at = journal.findIndex(({ to }) => to === 'reporting')
    const state = nothingYet()
    for (const record of journal.slice(0, at + 1)) take(state, record)
    const stored = simulation.store.runs.get(['dag', 'r'])?.record
    if (!stored) throw new Error('there is no run')
    const { plan } = simulation.store.plans.get(stored.plan) ?? {}
    if (!plan) throw new Error('there is no plan')
    const reasons = explained(situation(seenAs(key, plan, state), { ...stored, status: 'running' }))
    expect(causesIn({ subject: { kind: 'run', ...key, status: 'running' }, reasons })).to.include({
      calls: 'call_reporting'
    })
    expect(
      facts.run(key, { at: journal[at]?.seq ?? 0 }).actors.find(({ machine }) => machine === 'call')?.states
    ).to.deep.equal(['reporting'])
    await simulation.store.root.close()
  })
})
