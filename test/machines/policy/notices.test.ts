/** Which events of `notify` a transition causes. Source: docs/notifications.md "Events". */
import { expect } from 'chai'
import { paceOf } from '../../../machines/policy/delivery.ts'
import { noticeOf } from '../../../machines/policy/notices.ts'
import type { JournalRecord } from '../../../machines/vocabulary.ts'

const run = (record: Partial<JournalRecord>): JournalRecord => ({
  run: { name: 'etl', dagRunId: 'r1' },
  seq: 1,
  at: 0,
  actor: 'run/etl/r1',
  event: 'e',
  from: 'a',
  to: 'b',
  ...record
})
const node = (record: Partial<JournalRecord>) => run({ actor: 'run/etl/r1/node/load', step: 'load', ...record })
const queue = (record: Partial<JournalRecord>) => run({ actor: 'queue/etl', ...record })

describe('notices › what a transition is called', () => {
  it('a run that begins, and each of its ends, once', () => {
    expect(noticeOf(run({ event: 'xstate.init', from: '', to: 'preparing' }))).to.equal('run.started')
    for (const to of ['succeeded', 'partially_succeeded', 'failed', 'canceled'])
      expect(noticeOf(run({ from: 'ending', to }))).to.equal(`run.${to}`)
    expect(noticeOf(run({ event: 'run.parked', from: '', to: 'failed' }))).to.equal('run.failed')
    expect(noticeOf(run({ from: 'preparing', to: 'checking' }))).to.equal(undefined)
  })
  it('a run that has to wait in its queue, when it is put there and not with each of its moves', () => {
    expect(noticeOf(queue({ event: 'enqueue.requested', context: { waits: true } }))).to.equal('run.queued')
    expect(noticeOf(queue({ event: 'start.requested', context: { waits: true } }))).to.equal('run.queued')
    expect(noticeOf(queue({ event: 'start.requested' })), 'it began at once').to.equal(undefined)
    expect(noticeOf(queue({ event: 'slot.freed', context: { waits: true } }))).to.equal(undefined)
  })
  it('a step that waits for somebody, that is tried again, that has failed finally', () => {
    expect(noticeOf(node({ from: 'picked', to: 'awaiting' }))).to.equal('run.waiting')
    expect(noticeOf(node({ from: 'attempting.executing', to: 'waiting' }))).to.equal('step.retried')
    expect(noticeOf(node({ from: 'attempting.executing', to: 'failed' }))).to.equal('step.failed')
    expect(noticeOf(node({ from: 'waiting', to: 'waiting' })), 'it has only heard of something').to.equal(undefined)
    expect(noticeOf(node({ event: 'node.set', from: 'succeeded', to: 'failed' })), 'by hand').to.equal(undefined)
    expect(noticeOf(node({ event: 'xstate.init', from: '', to: 'picked' }))).to.equal(undefined)
  })
})

describe('notices › the pace of a target', () => {
  it('one that answers gets four at a time; one that does not gets one, after pauses of 0.1 s to 10 s', () => {
    expect(paceOf(0)).to.deep.equal({ atOnce: 4, pauseMs: 0 })
    expect([1, 2, 3, 7, 8, 1_000].map((failures) => paceOf(failures))).to.deep.equal(
      [100, 200, 400, 6_400, 10_000, 10_000].map((pauseMs) => ({ atOnce: 1, pauseMs }))
    )
  })
})
