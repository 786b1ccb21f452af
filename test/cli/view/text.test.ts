/** What is written of a run line by line, and what becomes of texts of others before they are shown. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { lastLines } from '../../../src/cli/view/file-end.ts'
import { coloured, paintFor, plain } from '../../../src/cli/view/paint.ts'
import { clockFace, columnsOf, cut, durationText, harmless, oneLine, wrapped } from '../../../src/cli/view/text.ts'
import { shownOf, transitionLine } from '../../../src/cli/view/transition-line.ts'
import type { JournalEvent } from '../../../src/client/index.ts'
import { detailsOf, viewOf } from '../../support/cli/run-views.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

describe('command line › one line a transition', () => {
  const event = (change: Partial<JournalEvent>): JournalEvent => ({
    name: 'etl',
    dagRunId: 'r1',
    seq: 1,
    at: '2026-03-01T14:03:07Z',
    atMs: Date.UTC(2026, 2, 1, 14, 3, 7),
    actor: '',
    event: '',
    from: '',
    to: '',
    ...change
  })
  const options = { time: clockFace('UTC'), paint: plain, begunAt: undefined, run: undefined }

  it('has time, status and step', () => {
    expect(transitionLine(event({ step: 'load' }), { ...options, shown: 'running' })).to.equal(
      '14:03:07 ● running     load'
    )
    expect(transitionLine(event({}), { ...options, shown: 'running' })).to.equal('14:03:07 ● running     run r1')
  })

  it('has the duration and the reason of a failure', () => {
    const failed = event({ step: 'load' })
    const run = detailsOf(viewOf([{ step: 'load', status: 'failed', error: 'exit status 3\nmore' }]))
    expect(transitionLine(failed, { ...options, shown: 'failed', begunAt: failed.atMs - 1_250, run })).to.equal(
      '14:03:07 ✗ failed      load  1.2s  exit status 3'
    )
  })

  it('the time is that of the configured zone', () => {
    expect(clockFace('Asia/Tokyo')(Date.UTC(2026, 2, 1, 15, 0, 1))).to.equal('00:00:01')
  })

  it('distinguishes a wait for a retry and a stop in progress from other states of the same status', () => {
    expect(shownOf(event({ statusLabel: 'running', to: 'waiting' }))).to.equal('retry')
    expect(shownOf(event({ statusLabel: 'canceled', to: 'attempting.stopping.asked' }))).to.equal('stopping')
    expect(shownOf(event({ statusLabel: 'canceled', to: 'canceled' }))).to.equal('canceled')
    expect(shownOf(event({}))).to.equal(undefined)
  })
})

describe('command line › text', () => {
  it('F40 escape sequences in log text are stripped', () => {
    expect(harmless('\x1b[31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x07 \x9b2Jclear \x1b(Bset\x1b7')).to.equal(
      'red link clear set'
    )
    expect(harmless('\x1b]0;title never closed\nnext')).to.equal('\nnext')
    expect(harmless('\x1b[')).to.equal('')
    expect(harmless('a\x07b\x00c\x7fd\u202ee')).to.equal('abcde')
  })

  it('a progress bar shows what it wrote last', () => {
    expect(oneLine('10%\r50%\r100%')).to.equal('100%')
    expect(oneLine('10%\r50%\r')).to.equal('50%')
    expect(oneLine('one\r\ntwo')).to.equal('one two')
  })

  it('stripping takes time in proportion to the text', async () => {
    for (const unit of ['a', '\x1b[', '\x1b]', '\x1b[0', '\r', ' \n'])
      expect(await growth((count) => harmless(unit.repeat(count)), 20_000), JSON.stringify(unit)).to.be.below(LINEAR)
  })

  it('wide and combining characters count the columns they take', () => {
    expect(columnsOf('abc')).to.equal(3)
    expect(columnsOf('日本')).to.equal(4)
    expect(columnsOf('e\u0301')).to.equal(1)
    expect(columnsOf('🎉')).to.equal(2)
    expect(cut('日本語', 4)).to.equal('日…')
    expect(cut('abc', 3)).to.equal('abc')
    expect(cut('abc', 0)).to.equal('')
    expect(wrapped('one two  three', 7)).to.deep.equal(['one two', 'three'])
    expect(wrapped('one twothreefour', 7)).to.deep.equal(['one', 'twothre', 'efour'])
    expect(wrapped('日本語', 4)).to.deep.equal(['日本', '語'])
    expect(wrapped('日本', 1)).to.deep.equal(['日', '本'])
    expect(wrapped('one two', Number.POSITIVE_INFINITY)).to.deep.equal(['one two'])
    expect(wrapped('', 7)).to.deep.equal([])
  })

  it('durations', () => {
    const texts = [0, 999, 1_000, 59_990, 60_000, 3_599_999, 3_720_000, -5].map(durationText)
    expect(texts).to.deep.equal(['0ms', '999ms', '1.0s', '59.9s', '1m00s', '59m59s', '1h02m', '0ms'])
  })

  it('NO_COLOR is respected, and there is no colour without a terminal', () => {
    expect(paintFor(true, {})).to.equal(coloured)
    expect(paintFor(true, { NO_COLOR: '1' })).to.equal(plain)
    expect(paintFor(true, { NO_COLOR: '' })).to.equal(coloured)
    expect(paintFor(true, { TERM: 'dumb' })).to.equal(plain)
    expect(paintFor(undefined, {})).to.equal(plain)
    expect(coloured('green', 'ok')).to.equal('\x1b[32mok\x1b[0m')
  })
})

describe('command line › end of a log', () => {
  it('last lines of a file that grows, also of one that is large', () => {
    const path = join(temporaryFolder(), 'step.out')
    expect(lastLines(path, 2)).to.deep.equal([])
    expect(lastLines(dirname(path), 2), 'a folder in its place').to.deep.equal([])
    writeFileSync(path, 'one\ntwo\n\nthree')
    expect(lastLines(path, 2)).to.deep.equal(['two', 'three'])
    appendFileSync(path, `${'x'.repeat(100_000)}\nend\n`)
    expect(lastLines(path, 1)).to.deep.equal(['end'])
    expect(lastLines(path, 2)[0]).to.have.length.below(20_000)
  })
})
