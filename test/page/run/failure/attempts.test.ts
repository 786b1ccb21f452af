/** How often a step was tried, and what is new in the lines of an attempt. */
import { expect } from 'chai'
import type { JournalEvent } from '../../../../src/page/answers.ts'
import { attemptName, attemptsOf, newLines, reasonOf } from '../../../../src/page/run/failure/attempts.ts'

const RUN = 'run/etl/r1'
let seq = 0
const event = (
  actor: string,
  event: string,
  from: string,
  to: string,
  statusLabel: JournalEvent['statusLabel'] = 'running',
  step?: string
): JournalEvent => ({
  name: 'etl',
  dagRunId: 'r1',
  seq: ++seq,
  at: '',
  atMs: seq * 100,
  actor,
  event,
  from,
  to,
  ...(step === undefined ? {} : { step }),
  ...(statusLabel === undefined ? {} : { statusLabel })
})
/** Of the step `load`, from state to state; each change is told by one name. */
const load = (...states: [to: string, event?: string][]): JournalEvent[] =>
  states.map(([to, name = 'any'], at) => {
    const status = to === 'failed' ? 'failed' : 'running'
    return event(`${RUN}/node/load`, name, states[at - 1]?.[0] ?? '', to, status, 'load')
  })
const begins = () => event(RUN, 'xstate.init', '', 'preparing')
const WORK = 'attempting.executing'
const shown = (events: JournalEvent[], latest = 1, upTo = 99) =>
  attemptsOf(events, 'load', upTo, latest).map(({ ofRun, number, execution, label }) => [
    ofRun,
    number,
    execution,
    label
  ])

describe('page › attempts of a step that failed', () => {
  beforeEach(() => {
    seq = 0
  })

  it('each has its number, when it began and ended, and the event that ended it', () => {
    const events = [begins(), ...load([WORK], ['waiting'], [WORK], ['attempting.stopping.asked'], ['failed'])]
    expect(attemptsOf(events, 'load', 99, 1)).to.deep.equal([
      { ofRun: 1, number: 1, execution: 1, from: 200, until: 300, end: 3, label: 'failed' },
      { ofRun: 1, number: 2, execution: 2, from: 400, until: 600, end: 6, label: 'failed' }
    ])
    expect(attemptsOf(events, 'load', 5, 1)).to.have.length(1)
    expect(attemptsOf(events, 'other', 99, 1)).to.deep.equal([])
  })

  it('those of earlier attempts of the run come first, each counted anew', () => {
    const events = [
      begins(),
      ...load([WORK], ['waiting'], [WORK], ['failed']),
      begins(),
      ...load(['preparing'], [WORK], ['failed'])
    ]
    expect(shown(events, 2)).to.deep.equal([
      [1, 1, 1, 'failed'],
      [1, 2, 2, 'failed'],
      [2, 1, 1, 'failed']
    ])
    const all = attemptsOf(events, 'load', 99, 2)
    expect(all.map((it) => attemptName(it, all))).to.deep.equal([
      'Attempt 1 of the run, 1 of the step',
      'Attempt 1 of the run, 2 of the step',
      'Attempt 2 of the run'
    ])
    const one = all.slice(0, 2)
    expect(one.map((it) => attemptName(it, one))).to.deep.equal(['Attempt 1', 'Attempt 2'])
    // A journal that has lost its begin.
    expect(shown(events.slice(5), 2)).to.deep.equal([[2, 1, 1, 'failed']])
  })

  it('of a step that repeats, those of the last pass; a log counts all that it has executed', () => {
    const events = [
      begins(),
      ...load([WORK], ['waiting'], [WORK], ['repeating'], [WORK], ['waiting'], [WORK], ['failed'])
    ]
    expect(shown(events)).to.deep.equal([
      [1, 1, 3, 'failed'],
      [1, 2, 4, 'failed']
    ])
  })

  it('one that a restart interrupted and that is executed again is the next one', () => {
    const interrupted = ['attempting.interrupting', 'attempt.found'] as [string, string]
    const events = [begins(), ...load([WORK], interrupted, [WORK, 'attempt.ended'], ['failed'])]
    expect(shown(events)).to.deep.equal([
      [1, 1, 1, 'failed'],
      [1, 2, 2, 'failed']
    ])
  })

  it('one that waits for its code, or for its worker, goes on; one that moves to another worker has failed', () => {
    const missing = [begins(), ...load([WORK], ['missing'], [WORK], ['failed'])]
    expect(shown(missing)).to.deep.equal([[1, 1, 1, 'failed']])
    const lost = [
      begins(),
      ...load([WORK], ['attempting.lost'], [WORK], ['placing'], ['preparing'], [WORK], ['failed'])
    ]
    expect(shown(lost)).to.deep.equal([
      [1, 1, 1, 'failed'],
      [1, 2, 2, 'failed']
    ])
  })

  it('the reason is the error without the name of the step and without its last lines', () => {
    expect(reasonOf('failed to execute step "a b": exit status 3\nrecent stderr (tail):\nx\ny', 'a b')).to.equal(
      'exit status 3'
    )
    expect(reasonOf('failed to execute step "a": signal: killed', 'a')).to.equal('signal: killed')
    expect(reasonOf('the worker is gone', 'a')).to.equal('the worker is gone')
    expect(reasonOf('', 'a')).to.equal('')
  })

  it('new is what the lines before do not have in that order; nothing, where they have no line in common', () => {
    const newIn = (before: string, lines: string) =>
      newLines(before.split(' '), lines.split(' '))
        .map((isNew, at) => (isNew ? lines.split(' ')[at] : '.'))
        .join('')
    expect(newIn('a b c', 'a b c')).to.equal('...')
    expect(newIn('a b c', 'a x c d')).to.equal('.x.d')
    expect(newIn('a b c', 'b c')).to.equal('..')
    expect(newIn('a a', 'a a a')).to.equal('..a')
    expect(newIn('b a', 'a b')).to.match(/^(\.b|a\.)$/)
    expect(newIn('a b', 'x y')).to.equal('..')
    expect(newLines([], ['x'])).to.deep.equal([false])
    expect(newLines(['x'], [])).to.deep.equal([])
  })
})
