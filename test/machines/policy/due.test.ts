/** The decision about a scheduled minute. Source: execution-semantics 11. */
import { expect } from 'chai'
import { backfilled, decide, type Facts, inOrder, waitsInstead } from '../../../machines/policy/due.ts'

const SLOT = 1_800_000
const facts = (wish: Partial<Facts> = {}): Facts => ({
  fileName: 'a',
  name: 'a',
  kind: 'start',
  slot: SLOT,
  suspended: false,
  decided: false,
  missed: false,
  skipIfSuccessful: false,
  running: [],
  restarting: false,
  ...wish
})
const run = { name: 'a', dagRunId: 'r' }
const skipped = (wish: Partial<Facts>) => {
  const decision = decide(facts(wish))
  return decision.act === 'skip' ? decision.reason : decision.act
}

describe('policy › due', () => {
  it('a start without a run before it starts', () => {
    expect(decide(facts())).to.deep.equal({ act: 'start' })
  })
  it('11.6 skipped when the latest run is running, whatever the limit', () => {
    const latest = { status: 'running' as const, startedAt: SLOT - 60_000 }
    expect(skipped({ latest, running: [run] })).to.equal('running')
    // One that waits for its version may wait for ever.
    expect(decide(facts({ latest: { ...latest, superseded: true }, running: [run] }))).to.deep.equal({ act: 'start' })
  })
  it('11.6 an older run that is still running after a newer one has ended does not skip it', () => {
    expect(skipped({ latest: { status: 'failed', startedAt: SLOT - 60_000 }, running: [run] })).to.equal('start')
  })
  it('11.7 skipped when the latest run started in the same minute or later', () => {
    for (const startedAt of [SLOT, SLOT + 59_999, SLOT + 3_600_000])
      expect(skipped({ latest: { status: 'failed', startedAt } }), String(startedAt)).to.equal('started')
    expect(skipped({ latest: { status: 'failed', startedAt: SLOT - 1 } })).to.equal('start')
  })
  it('11.7 a queued run has not started', () => {
    expect(skipped({ latest: { status: 'queued' } })).to.equal('start')
  })
  it('11.8 skipIfSuccessful: a succeeded run since the time before skips it', () => {
    const latest = { status: 'succeeded' as const, startedAt: SLOT - 1_000 }
    expect(skipped({ skipIfSuccessful: true, latest, dueAfterLatest: SLOT })).to.equal('succeeded')
    expect(skipped({ skipIfSuccessful: false, latest, dueAfterLatest: SLOT })).to.equal('start')
  })
  it('11.8 it was before that time: it does not count', () => {
    const latest = { status: 'succeeded' as const, startedAt: SLOT - 100_000 }
    expect(skipped({ skipIfSuccessful: true, latest, dueAfterLatest: SLOT - 60_000 })).to.equal('start')
  })
  it('11.8 succeeded, not partially', () => {
    for (const status of ['partially_succeeded', 'failed', 'canceled'] as const)
      expect(
        skipped({ skipIfSuccessful: true, latest: { status, startedAt: SLOT - 1 }, dueAfterLatest: SLOT }),
        status
      ).to.equal('start')
  })
  it('11.9 a start that its limit holds back waits when more than one may be active and queues are enabled', () => {
    expect([waitsInstead(2, true), waitsInstead(1, true), waitsInstead(2, false)]).to.deep.equal([true, false, false])
  })
  it('11.10 stop: all running runs; none is a no-op', () => {
    const running = [run, { name: 'a', dagRunId: 's' }]
    expect(decide(facts({ kind: 'stop', running }))).to.deep.equal({ act: 'stop', runs: running })
    expect(skipped({ kind: 'stop' })).to.equal('nothing_running')
  })
  it('11.11 restart: only when a run is running, and once', () => {
    expect(decide(facts({ kind: 'restart', running: [run] }))).to.deep.equal({ act: 'restart', run })
    expect(skipped({ kind: 'restart' })).to.equal('nothing_running')
    expect(skipped({ kind: 'restart', running: [run], restarting: true })).to.equal('restarting')
  })
  it('11.12 several kinds in one minute: stop, restart, start', () => {
    const kinds = inOrder([facts(), facts({ kind: 'restart' }), facts({ kind: 'stop' })]).map(({ kind }) => kind)
    expect(kinds).to.deep.equal(['stop', 'restart', 'start'])
  })
  it('11.13 missed minutes are not backfilled; catchup all backfills each, whatever ran since', () => {
    expect(skipped({ missed: true })).to.equal('missed')
    const latest = { status: 'running' as const, startedAt: SLOT + 1 }
    expect(skipped({ catchup: 'all', latest })).to.equal('enqueue')
    expect(skipped({ catchup: 'last', latest: { ...latest, status: 'failed' } })).to.equal('started')
  })
  it('catchup: none, the latest unless this minute is due itself, or all', () => {
    const missed = [1, 2, 3]
    expect((['none', 'last', 'all'] as const).map((word) => backfilled(word, missed, false))).to.deep.equal([
      [],
      [3],
      missed
    ])
    expect((['none', 'last', 'all'] as const).map((word) => backfilled(word, missed, true))).to.deep.equal([
      [],
      [],
      missed
    ])
  })
  it('11.14 suspended: no start, stop or restart fires', () => {
    for (const kind of ['start', 'stop', 'restart'] as const)
      expect(skipped({ kind, suspended: true, running: [run] }), kind).to.equal('suspended')
    expect(skipped({ suspended: true, catchup: 'all' })).to.equal('suspended')
  })
  it('a slot that has been decided stays so', () => {
    expect(skipped({ decided: true })).to.equal('decided')
  })
})
