/** Why a queued run has no worker, in sentences. Source: distribution 1, 9. */
import { expect } from 'chai'
import type { RunRecord, WorkerNeeds } from '../../../machines/vocabulary.ts'
import { seenAs } from '../../../src/inspect/actors.ts'
import { queueReasons } from '../../../src/inspect/explain/queue.ts'
import { runReasons } from '../../../src/inspect/explain/run.ts'
import type { Situation, WorkerSeen } from '../../../src/inspect/explain/situation.ts'
import { nothingYet } from '../../../src/inspect/replay.ts'
import { key, plan, step } from '../../support/charts/plans.ts'

const NOW = 100_000
const needs = (labels: WorkerNeeds['labels'], executors = ['shell']): WorkerNeeds => ({ labels, executors })
const worker = (id: string, zone: string, of: Partial<WorkerSeen> = {}): WorkerSeen => ({
  id,
  home: id,
  labels: { zone },
  slots: 4,
  executors: ['shell'],
  taken: 0,
  isTaking: true,
  isDraining: false,
  heardAt: NOW - 500,
  ...of
})
const queued = (id: string, order: number): RunRecord => ({
  ...key(id),
  status: 'queued',
  attempt: 1,
  createdAt: 0,
  queuedAt: 5,
  order,
  params: [],
  log: '',
  nodeLogs: '',
  plan: id.startsWith('plain') ? 'plain' : 'placed'
})

/** Of the run r9, the last in its queue. */
function why(of: Partial<Situation>, others: RunRecord[] = [], maxActiveRuns = 9) {
  return queueReasons(situationOf(of, others, maxActiveRuns)).map(({ cause, text }) => `${cause}: ${text}`)
}
function situationOf(of: Partial<Situation>, others: RunRecord[] = [], maxActiveRuns = 9): Situation {
  const record = queued('r9', 9)
  return {
    ...seenAs(key('r9'), plan([step('a')], { maxActiveRuns }), nothingYet()),
    record,
    now: NOW,
    isOwned: true,
    holdsQueues: false,
    maxProcesses: 8,
    begunAt: () => undefined,
    subRuns: () => ({ begun: [], total: 0, maxConcurrent: 1 }),
    whyEnded: () => undefined,
    queue: { name: 'dag', running: [], queued: [...others, record] },
    needsOf: ({ plan }) => (plan === 'placed' ? of.needs : undefined),
    ...of
  }
}

describe('explain › D2 a run that no worker can take', () => {
  it('no worker has its labels: which values there are', () => {
    const workers = [worker('wa', 'a'), worker('wb', 'b'), worker('wc', 'c')]
    expect(why({ needs: needs({ zone: 'mars' }), workers })).to.deep.equal([
      'no_worker: no worker has zone=mars (3 workers: zone is a, b, c)'
    ])
    expect(why({ needs: needs({ gpu: 'true', zone: 'a' }), workers })).to.deep.equal([
      'no_worker: no worker has gpu=true, zone=a (3 workers: none has gpu; zone is a, b, c)'
    ])
    expect(why({ needs: needs({ zone: 'a' }), workers: [] })).to.deep.equal([
      'no_worker: no worker has zone=a (no worker is there)'
    ])
  })
  it('the engine has no workers', () => {
    expect(why({ needs: needs({ zone: 'a' }) })).to.deep.equal([
      'no_worker: the run needs a worker with zone=a, and there is none'
    ])
  })
  it('no worker with its labels can run a type of its steps', () => {
    const workers = [worker('wa', 'a'), worker('wb', 'b', { executors: ['docker', 'shell'] })]
    expect(why({ needs: needs({ zone: 'a' }, ['docker', 'shell']), workers })).to.deep.equal([
      'worker_lacks_executor: 1 worker with zone=a (wa), none can run steps of type docker'
    ])
  })
  it('all slots are taken: how many, and its place among those that need the same', () => {
    const workers = [worker('wa', 'a', { taken: 4 }), worker('wb', 'a', { taken: 4 }), worker('wc', 'c')]
    const ahead = [queued('r1', 1), queued('plain-1', 2), queued('r2', 3)]
    expect(why({ needs: needs({ zone: 'a' }), workers }, ahead)).to.deep.equal([
      'workers_full: 2 workers fit, all slots taken (wa 4/4, wb 4/4), next in line: 3rd'
    ])
  })
  it('one that fits has not been heard for a while', () => {
    const silent = worker('wa', 'a', { isTaking: false, heardAt: NOW - 9_000 })
    expect(why({ needs: needs({ zone: 'a' }), workers: [silent] })).to.deep.equal([
      'workers_silent: wa fits but its last heartbeat is 9 s old'
    ])
    const full = worker('wb', 'a', { taken: 4 })
    expect(why({ needs: needs({ zone: 'a' }), workers: [silent, full] })).to.deep.equal([
      'workers_full: 1 worker fits, all slots taken (wb 4/4), next in line: 1st',
      'workers_silent: wa fits but its last heartbeat is 9 s old'
    ])
  })
  it('D16 one that fits drains', () => {
    const drains = worker('wa', 'a', { isTaking: false, isDraining: true })
    expect(why({ needs: needs({ zone: 'a' }), workers: [drains] })).to.deep.equal([
      'workers_draining: wa fits but drains and takes no more runs'
    ])
    const other = worker('wb', 'a', { isTaking: false, isDraining: true })
    const full = worker('wc', 'a', { taken: 4 })
    expect(why({ needs: needs({ zone: 'a' }), workers: [drains, other, full] })).to.deep.equal([
      'workers_full: 1 worker fits, all slots taken (wc 4/4), next in line: 1st',
      'workers_draining: wa, wb fit but drain and take no more runs'
    ])
  })
  it('one that fits says that its disk is full', () => {
    const full = worker('wa', 'a', { isTaking: false, trouble: 'its disk has 5 MiB left, and it wants 1 GiB' })
    expect(why({ needs: needs({ zone: 'a' }), workers: [full] })).to.deep.equal([
      'workers_troubled: wa fits but takes no more runs: its disk has 5 MiB left, and it wants 1 GiB'
    ])
  })
  it('of many that are silent those that were heard last', () => {
    const silent = [1, 2, 3, 4, 5].map((s) =>
      worker(`w${s}`, 'a', { isTaking: false, heardAt: NOW - (10 - s) * 1_000 })
    )
    expect(why({ needs: needs({ zone: 'a' }), workers: silent }).map((text) => text.split(' ')[1])).to.deep.equal([
      'w5',
      'w4',
      'w3'
    ])
  })
  it('D2 a sub run of a run in whose place another one goes on is held back, whatever is free; so is that run', () => {
    const workers = [worker('wa', 'a')]
    const held = { run: key('r0'), worker: 'wb' }
    expect(why({ needs: needs({ zone: 'a' }), workers, heldBack: held })).to.deep.equal([
      'run_held_back: the run r0 of dag, which it belongs to, is held back: it only waited for its sub runs, and another run goes on in its place on wb'
    ])
    const record: RunRecord = { ...queued('r0', 1), status: 'running', startedAt: 7 }
    const situation = { ...situationOf({ record, heldBack: held }), record }
    expect(runReasons(situation).map(({ cause, text, since }) => [cause, text, since])).to.deep.equal([
      [
        'run_held_back',
        'the run is held back: it only waited for its sub runs, and another run goes on in its place on wb',
        5
      ]
    ])
  })
  it('a worker has room: what else holds it back', () => {
    const workers = [worker('wa', 'a')]
    const running: RunRecord[] = [{ ...queued('r0', 0), status: 'running' }]
    const queue = { name: 'dag', running, queued: [queued('r9', 9)] }
    expect(why({ needs: needs({ zone: 'a' }), workers, queue }, [], 1)).to.deep.equal([
      'max_active_runs: 1 run of dag is running (maxActiveRuns 1)'
    ])
  })
  it('who needs no worker waits for those ahead that need none; the others are passed', () => {
    const record = { ...queued('plain-9', 9) }
    const of = { record, needsOf: (other: RunRecord) => (other.plan === 'placed' ? needs({ zone: 'a' }) : undefined) }
    expect(why(of, [queued('r1', 1), queued('plain-1', 2)])).to.deep.equal([
      'queue_order: 1 run is before it in the queue dag'
    ])
  })
})
