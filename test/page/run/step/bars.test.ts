/** Attempts and waits of a step, from the journal. */
import { expect } from 'chai'
import type { JournalEvent } from '../../../../src/page/answers.ts'
import { momentNow, momentThen } from '../../../../src/page/run/moment.ts'
import { barsOf } from '../../../../src/page/run/step/bars.ts'

const event = (
  seq: number,
  at: number,
  from: string,
  to: string,
  statusLabel: JournalEvent['statusLabel']
): JournalEvent => ({
  name: 'etl',
  dagRunId: 'r1',
  seq,
  at: new Date(at).toISOString(),
  atMs: at,
  actor: 'run/etl/r1/node/load',
  event: 'any',
  from,
  to,
  step: 'load',
  ...(statusLabel ? { statusLabel } : {})
})
const JOURNAL = [
  event(1, 100, '', 'attempting.executing', 'running'),
  event(2, 150, 'attempting.executing', 'attempting.executing', 'running'),
  event(3, 200, 'attempting.executing', 'waiting', 'running'),
  event(5, 700, 'waiting', 'attempting.executing', 'running'),
  event(6, 900, 'attempting.executing', 'succeeded', 'succeeded')
]

describe('page › attempts and waits of a step', () => {
  it('an attempt, a retry wait and the next attempt are separate bars; the end is none', () => {
    expect(barsOf(JOURNAL, 99).get('load')).to.deep.equal([
      { from: 100, until: 200, state: 'attempting.executing', kind: 'attempt', label: 'failed' },
      { from: 200, until: 700, state: 'waiting', kind: 'wait', label: 'running' },
      { from: 700, until: 900, state: 'attempting.executing', kind: 'attempt', label: 'succeeded' }
    ])
  })
  it('back in time, what came later is not there, and the bar of that moment is open', () => {
    expect(barsOf(JOURNAL, 4).get('load')).to.deep.equal([
      { from: 100, until: 200, state: 'attempting.executing', kind: 'attempt', label: 'failed' },
      { from: 200, state: 'waiting', kind: 'wait', label: 'running' }
    ])
    expect(barsOf(JOURNAL, 0).get('load')).to.equal(undefined)
  })
  it('an execution that is being stopped is still one bar with its result', () => {
    const stopped = [
      event(1, 100, '', 'attempting.executing', 'running'),
      event(2, 150, 'attempting.executing', 'attempting.stopping.asked', 'canceled'),
      event(3, 300, 'attempting.stopping.asked', 'canceled', 'canceled')
    ]
    const bar = { from: 100, state: 'attempting.stopping.asked', kind: 'attempt', label: 'canceled' }
    expect(barsOf(stopped, 2).get('load')).to.deep.equal([bar])
    expect(barsOf(stopped, 3).get('load')).to.deep.equal([{ ...bar, until: 300 }])
  })
  it('passes of a step that repeats are bars that say nothing of success', () => {
    const repeats = [
      event(1, 100, '', 'attempting.executing', 'running'),
      event(2, 200, 'attempting.executing', 'repeating', 'running'),
      event(3, 300, 'repeating', 'attempting.executing', 'running')
    ]
    expect(barsOf(repeats, 9).get('load')).to.deep.equal([
      { from: 100, until: 200, state: 'attempting.executing', kind: 'attempt' },
      { from: 200, until: 300, state: 'repeating', kind: 'wait', label: 'running' },
      { from: 300, state: 'attempting.executing', kind: 'attempt', label: 'running' }
    ])
  })
})

describe('page › a moment of a run', () => {
  const node = { step: { name: 'load' }, statusLabel: 'succeeded', subRuns: [] }
  // Only what a moment reads of the details.
  const details = { nodes: [node], onExit: null, onSuccess: null, onFailure: null, onCancel: null } as never
  const facts = {
    step: 'load',
    handler: false,
    status: 1,
    statusLabel: 'running',
    startedAt: '',
    startedAtMs: 5,
    finishedAt: '',
    exitCode: null,
    finishedAtMs: null,
    retryCount: 2,
    doneCount: 0,
    error: ''
  } as const
  const instant = { at: 3, statusLabel: 'running' as const, nodes: [facts] }

  it('its state is that of the instant, whatever the run has become since', () => {
    const { label, nodes } = momentNow(details, instant, JOURNAL, new Map())
    expect(label).to.equal('running')
    expect(nodes[0]).to.deep.include({ name: 'load', label: 'running', startedAt: 5 })
    expect(nodes[0]?.retries).to.deep.equal({ made: 1, isWaiting: true })
    expect(nodes[0]).to.not.have.property('finishedAt')
  })
  it('a later event wins', () => {
    expect(momentNow(details, instant, JOURNAL, new Map([['load', 'failed']])).nodes[0]?.label).to.equal('failed')
  })
  it('a node that the instant does not know has not started', () => {
    expect(momentNow(details, { ...instant, nodes: [] }, JOURNAL, new Map()).nodes[0]?.label).to.equal('not_started')
  })
  it('a moment that is not known yet has no state, neither the current one nor any other', () => {
    const { label, nodes } = momentThen(details, undefined, JOURNAL, 200)
    expect(label).to.equal(undefined)
    expect(nodes.map(({ name }) => name)).to.deep.equal(['load'])
    for (const member of ['label', 'startedAt', 'finishedAt', 'retries'])
      expect(nodes[0], member).to.not.have.property(member)
  })
})
