/** What is drawn of a run that has ended: pure functions against whole pictures. */
import { expect } from 'chai'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { plain } from '../../../src/cli/view/paint.ts'
import { summary as summaryOf } from '../../../src/cli/view/summary.ts'
import { columnsOf } from '../../../src/cli/view/text.ts'
import type { RunView } from '../../../src/engine/engine.ts'
import { detailsOf, going, NOW, viewOf } from '../../support/cli/run-views.ts'
import { nodeOf, stepOf } from '../../support/engine/fake-engine.ts'

const summary = (view: RunView, options: Parameters<typeof summaryOf>[1]) => summaryOf(detailsOf(view), options)

describe('command line › summary tree', () => {
  const ended = viewOf(
    [
      { step: 'extract', startedAt: 5_800, finishedAt: 7_000 },
      {
        step: 'transform',
        status: 'failed',
        startedAt: 7_000,
        finishedAt: 7_412,
        exitCode: 3,
        error: 'exit status 3\nrecent stderr (tail):\nbad row',
        stdout: '/logs/t.out',
        stderr: '/logs/t.err'
      },
      { step: 'check', status: 'skipped', error: 'condition was not met' },
      { step: 'load', status: 'canceled' }
    ],
    { status: 'failed', finishedAt: 7_500, error: 'step transform failed' }
  )
  const files: Record<string, string[]> = { '/logs/t.err': ['Traceback', '\x1b]0;owned\x07bad row'] }
  const options = {
    now: NOW,
    columns: Number.POSITIVE_INFINITY,
    paint: plain,
    lastLines: (path: string) => files[path] ?? []
  }

  it('status, time per step, error and last stderr lines of failed steps', () => {
    expect(summary(ended, options)).to.deep.equal([
      '✗ etl  failed  1.7s  run r1',
      '│  step transform failed',
      '├─ ✓ extract    succeeded    1.2s',
      '├─ ✗ transform  failed      412ms  exit status 3',
      '│      stderr: Traceback',
      '│      stderr: bad row',
      '├─ – check      skipped            condition was not met',
      '└─ ■ load       canceled'
    ])
  })

  it('the known output of steps is below them, at most a hundred lines; for failed ones the log', () => {
    const said = (name: string) => (name === 'extract' ? ['12 files', '3 MB'] : ['heard'])
    const all = summary(ended, { ...options, quotes: 'all', said })
    expect(all.join('\n')).to.match(/✓ extract .*\n│ {6}12 files\n│ {6}3 MB\n├─ ✗ transform/)
    expect(all).to.include('│      stderr: bad row')
    expect(summary(ended, { ...options, quotes: 'failed', said })).to.deep.equal(summary(ended, options))
    expect(summary(ended, { ...options, quotes: 'none', said }).join()).to.not.match(/bad row|12 files/)
    const many = viewOf(Array.from({ length: 50 }, (_, index) => ({ step: `s${index}`, startedAt: 1, finishedAt: 2 })))
    const five = ['a', 'b', 'c', 'd', 'e'].map((letter) => `said ${letter}`)
    const quoted = summary(many, { ...options, quotes: 'all', said: () => five }).filter((line) =>
      line.includes('said')
    )
    expect(quoted).to.have.length(100)
  })

  it('a step whose outcome a crash has lost: what can be done about it', () => {
    for (const error of ['interrupted: outcome unknown', 'failed to execute step "a": interrupted: outcome unknown']) {
      const lost = viewOf([{ step: 'a', status: 'failed', startedAt: 1, finishedAt: 2, error }], { status: 'failed' })
      expect(summary(lost, options).join('\n')).to.contain(
        `${error}; onInterrupt in the definition says what becomes of such a step: resume (default), fail or rerun`
      )
    }
  })

  it('a failed step that wrote nothing to stderr is quoted from stdout', () => {
    const lines = summary(ended, { ...options, lastLines: (path) => (path === '/logs/t.out' ? ['no such table'] : []) })
    expect(lines).to.include('│      stdout: no such table')
  })

  it('a precondition that does not hold is the reason', () => {
    const condition = { condition: 'test -f x' }
    const view = {
      ...viewOf([], { status: 'canceled', finishedAt: 6_000 }),
      preconditions: [{ condition, matched: false, error: 'x is missing' }]
    }
    expect(summary(view, options)).to.deep.equal(['■ etl  canceled  200ms  run r1', '│  x is missing'])
  })

  it('handlers that ran are shown, those that did not are not', () => {
    const ran = { step: stepOf('onExit'), node: nodeOf('onExit', { startedAt: 0, finishedAt: 5 }) }
    const idle = { step: stepOf('onSuccess'), node: nodeOf('onSuccess', { status: 'not_started' }) }
    const lines = summary({ ...ended, handlers: { onExit: ran, onSuccess: idle } }, options)
    expect(lines.join('\n'))
      .to.match(/└─ ✓ onExit {5}succeeded {5}5ms/)
      .and.not.contain('onSuccess')
  })

  it('the error of a run or a step is shown in full: below a long name when it does not fit beside it', () => {
    const error =
      'the lake has refused the connection: its certificate is that of lake.example.org, not of lake.example.com'
    const view = viewOf(
      [
        { step: 'fetch', startedAt: 5_800, finishedAt: 7_000 },
        { step: 'copy-the-warehouse-into-the-lake', status: 'failed', startedAt: 7_000, finishedAt: 7_412, error },
        { step: 'tidy', status: 'skipped', error: 'condition was not met' }
      ],
      { status: 'failed', finishedAt: 7_500, error: 'step copy-the-warehouse-into-the-lake failed' }
    )
    expect(summary(view, { ...options, columns: 48 })).to.deep.equal([
      '✗ etl  failed  1.7s  run r1',
      '│  step copy-the-warehouse-into-the-lake failed',
      '├─ ✓ fetch                    succeeded    1.2s',
      '├─ ✗ copy-the-warehouse-int…  failed      412ms',
      '│      the lake has refused the connection: its',
      '│      certificate is that of lake.example.org,',
      '│      not of lake.example.com',
      '└─ – tidy                     skipped',
      '       condition was not met'
    ])
    const letters = (text: string) => text.replace(/[│└─ ]/g, '')
    for (const columns of [1, 20, 30, 60, 79])
      expect(letters(summary(view, { ...options, columns }).join('')), `${columns}`)
        .to.contain(letters(error))
        .and.contain(letters('step copy-the-warehouse-into-the-lake failed'))
  })

  it('the error of the sub DAG run of a step is shown in full below it', () => {
    const record: RunRecord = { ...going.run, name: 'sub', status: 'failed', error: 'nobody was at home to open' }
    const call = {
      step: stepOf('one', { call: 'sub' }),
      node: nodeOf('one', { startedAt: 0, finishedAt: 5 }),
      calls: { subRuns: [{ name: 'sub', dagRunId: 's1', params: '', record }], subRunsRepeated: [] }
    }
    const last = viewOf([{ step: 'two', startedAt: 0, finishedAt: 5 }]).nodes
    const lines = (nodes: RunView['nodes']) => summary({ ...going, nodes }, { ...options, columns: 40 }).slice(1)
    expect(lines([call, ...last])).to.deep.equal([
      '├─ ✓ one     succeeded     5ms',
      '│  └─ ✗ sub  failed       4.2s',
      '│         run s1, nobody was at home to',
      '│         open',
      '└─ ✓ two     succeeded     5ms'
    ])
    expect(lines([call]).slice(-1)).to.deep.equal(['          open'])
  })

  it('on a narrow terminal the names of steps stay, and glyphs replace the words', () => {
    expect(summary(ended, { ...options, columns: 24 }).slice(3)).to.deep.equal([
      '├─ ✓ extract      1.2s',
      '├─ ✗ transform   412ms',
      '│      exit status 3',
      '│      stderr: Traceba…',
      '│      stderr: bad row',
      '├─ – check',
      '│      condition was',
      '│      not met',
      '└─ ■ load'
    ])
  })

  it('is cut to the terminal', () => {
    for (const line of summary(ended, { ...options, columns: 30 })) expect(columnsOf(line)).to.be.at.most(30)
  })
})
