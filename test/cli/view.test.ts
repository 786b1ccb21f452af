/** What is drawn: pure functions against whole pictures. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { NodeRecord, Repeat, RunRecord, Step } from '../../machines/vocabulary.ts'
import { lastLines } from '../../src/cli/view/file-end.ts'
import { frame, rowsInView } from '../../src/cli/view/frame.ts'
import { liveRegion, repaint } from '../../src/cli/view/live-region.ts'
import { coloured, paintFor, plain } from '../../src/cli/view/paint.ts'
import type { Row } from '../../src/cli/view/rows.ts'
import { summary } from '../../src/cli/view/summary.ts'
import { clockFace, columnsOf, cut, durationText, harmless, oneLine, wrapped } from '../../src/cli/view/text.ts'
import { shownOf, transitionLine } from '../../src/cli/view/transition-line.ts'
import type { EngineEvent, HandlerView, RunView } from '../../src/engine.ts'
import { nodeOf, planOf, stepOf } from '../support/fake-engine.ts'
import { temporaryFolder } from '../support/homes.ts'
import { WHEN_BUSY } from '../support/waiting.ts'

const NOW = 10_000

function viewOf(nodes: (Partial<NodeRecord> & { step: string })[], run: Partial<RunRecord> = {}): RunView {
  const views = nodes.map((node) => ({ step: stepOf(node.step), node: nodeOf(node.step, node) }))
  const record: RunRecord = {
    name: 'etl',
    dagRunId: 'r1',
    status: 'running',
    attempt: 1,
    createdAt: 0,
    startedAt: 5_800,
    params: [],
    log: '/logs/etl/r1/run.log',
    nodeLogs: '/logs/etl/r1/1',
    plan: '',
    ...run
  }
  return {
    run: record,
    plan: planOf('etl', { steps: views.map(({ step }) => step) }),
    nodes: views,
    handlers: {},
    preconditions: []
  }
}

const going = viewOf([
  { step: 'extract', startedAt: 5_800, finishedAt: 7_000 },
  { step: 'transform', status: 'running', startedAt: 7_000, retryCount: 1, stdout: '/logs/transform.out' },
  { step: 'load', status: 'not_started' }
])
const quiet = { now: NOW, columns: 60, lines: 24, paint: plain, lastLine: () => '', notice: '' }

describe('command line › live tree', () => {
  it('shows status glyph, duration and the last output line of running nodes', () => {
    const lastLine = ({ stdout }: Row) => (stdout === '/logs/transform.out' ? 'row 41\trow \x1b[31m42\x1b[0m' : '')
    expect(frame(going, { ...quiet, lastLine })).to.deep.equal([
      '● etl  4.2s  1/3 steps  run r1',
      '├─ ✓ extract      1.2s',
      '├─ ● transform    3.0s  1 retry  row 41  row 42',
      '└─ ○ load'
    ])
  })

  it('a node that was asked to stop and has not ended is stopping; a notice stands below', () => {
    const view = viewOf([{ step: 'a', status: 'canceled', startedAt: 9_000 }])
    expect(frame(view, { ...quiet, notice: 'stopping' })).to.deep.equal([
      '● etl  4.2s  0/1 steps  run r1',
      '└─ ◍ a    1.0s',
      'stopping'
    ])
  })

  it('no line is wider than the terminal, whatever names and logs hold', () => {
    const view = viewOf([{ step: `名前${'x'.repeat(200)}`, status: 'running', startedAt: 0, error: '界'.repeat(100) }])
    for (const columns of [1, 5, 20, 41, 80]) {
      const picture = frame(view, { ...quiet, columns, lastLine: () => '漢'.repeat(300), notice: 'n'.repeat(300) })
      for (const line of picture) expect(columnsOf(line), `${columns}: ${line}`).to.be.at.most(Math.max(columns, 6))
    }
  })

  it('works with 500 nodes by showing the active window', () => {
    const view = viewOf(
      Array.from({ length: 500 }, (_, index) => ({
        step: `s${index}`,
        ...(index === 3
          ? { status: 'failed' as const, startedAt: 0, finishedAt: 10 }
          : index < 250
            ? { startedAt: 0, finishedAt: 10 }
            : index < 252
              ? { status: 'running' as const, startedAt: 9_000 }
              : { status: 'not_started' as const })
      }))
    )
    expect(frame(view, { ...quiet, lines: 9 })).to.deep.equal([
      '● etl  4.2s  250/500 steps  run r1',
      '├─ ✗ s3      10ms',
      '├─ ✓ s248    10ms',
      '├─ ✓ s249    10ms',
      '├─ ● s250    1.0s',
      '├─ ● s251    1.0s',
      '├─ ○ s252',
      '└─ … 494 more: 247 succeeded, 247 not started'
    ])
  })

  it('more active nodes than lines: as many as fit', () => {
    const rows = Array.from({ length: 100 }, (): Row => ({ name: '', status: 'running', note: '' }))
    expect(rowsInView(rows, 5)).to.deep.equal([0, 1, 2, 3])
    expect(rowsInView(rows, 1)).to.deep.equal([])
    expect(rowsInView(rows.slice(0, 5), 5)).to.deep.equal([0, 1, 2, 3, 4])
  })

  it('handlers of the definition stand last', () => {
    const exit = { step: stepOf('onExit'), node: nodeOf('onExit', { status: 'not_started' }) }
    expect(frame({ ...going, handlers: { onExit: exit } }, quiet).at(-1)).to.equal('└─ ○ onExit')
  })
})

describe('command line › live tree › what is called and waited for', () => {
  const record = (status: RunRecord['status'], more: Partial<RunRecord> = {}): RunRecord => ({
    ...going.run,
    name: 'sub',
    dagRunId: 's1',
    status,
    ...more
  })
  const called = (step: string, statuses: (RunRecord['status'] | undefined)[], isParallel: boolean) => ({
    step: stepOf(step, { call: 'sub', ...(isParallel ? { parallel: { items: 'x', maxConcurrent: 2 } } : {}) }),
    node: nodeOf(step, { status: 'running', startedAt: 8_000 }),
    calls: {
      subRuns: statuses.map((status, index) => ({
        name: 'sub',
        dagRunId: `s${index + 1}`,
        params: '',
        ...(status ? { record: record(status, { startedAt: 9_000 }) } : {})
      })),
      subRunsRepeated: []
    }
  })
  const first = going.nodes[0] ?? expect.fail('no node')

  it('a single call by its name, a parallel one in numbers, below the calling step', () => {
    const statuses = ['succeeded', 'failed', 'running', undefined, undefined] as const
    const view = { ...going, nodes: [called('one', ['running'], false), called('many', [...statuses], true), first] }
    expect(frame(view, { ...quiet, columns: 80 })).to.deep.equal([
      '● etl  4.2s  1/3 steps  run r1',
      '├─ ● one        2.0s',
      '│  └─ ● sub     1.0s  run s1',
      '├─ ● many       2.0s',
      '│  └─ ● sub           5 runs: 1 failed, 1 succeeded, 1 running, 2 waiting',
      '└─ ✓ extract    1.2s'
    ])
  })

  it('below the last step the line ends with it', () => {
    const view = { ...going, nodes: [first, called('one', [undefined], false)] }
    expect(frame(view, quiet).slice(-2)).to.deep.equal(['└─ ● one        2.0s', '   └─ ○ sub           run s1'])
  })

  it('where not all fit, steps come before what they call', () => {
    const view = { ...going, nodes: [called('one', ['running'], false), called('two', ['running'], false), first] }
    const picture = frame(view, { ...quiet, lines: 6 })
    expect(picture).to.have.length(4)
    expect(picture.join('\n')).to.not.contain('sub')
  })

  it('the summary has them too', () => {
    const view = { ...going, nodes: [called('one', ['failed'], false)] }
    const lines = summary(view, { now: NOW, columns: 80, paint: plain, lastLines: () => [] })
    expect(lines[2]).to.equal('   └─ ✗ sub  failed     1.0s  run s1')
  })

  const withWait = (step: Partial<Step>, node: Partial<NodeRecord>, wait: HandlerView['wait']) =>
    frame(
      {
        ...going,
        nodes: [
          {
            step: stepOf('a', step),
            node: nodeOf('a', { status: 'running', startedAt: 9_000, doneCount: 0, ...node }),
            ...(wait ? { wait } : {})
          }
        ]
      },
      quiet
    )[1]

  it('a retry wait with the time it still takes', () => {
    const retry = { ...stepOf('a').retry, limit: 3 }
    expect(withWait({ retry }, { retryCount: 1 }, { for: 'retry', until: NOW + 4_200 })).to.equal(
      '└─ ● a    1.0s  retry 1 of 3 in 4.2s'
    )
    const unknown = { ...retry, limit: '${N}' }
    expect(withWait({ retry: unknown }, { retryCount: 2 }, { for: 'retry', until: NOW - 5 })).to.contain(
      'retry 2 in 0ms'
    )
  })

  it('passes of a repeating step, and the wait between two', () => {
    const repeat: Repeat = {
      mode: 'while',
      exitCodes: [],
      intervalMs: 1_000,
      limit: 10,
      backoff: 1,
      maxIntervalMs: 0
    }
    expect(withWait({ repeat }, { doneCount: 2 }, undefined)).to.contain('pass 3 of 10')
    expect(withWait({ repeat }, { doneCount: 2 }, { for: 'repeat', until: NOW + 900 })).to.contain(
      'pass 3 of 10 in 900ms'
    )
    expect(withWait({ repeat: { ...repeat, limit: 0 } }, { doneCount: 0 }, undefined)).to.match(/pass 1$/)
    expect(withWait({ repeat }, { doneCount: 4, status: 'succeeded', finishedAt: NOW }, undefined)).to.contain(
      '4 passes'
    )
  })

  it('a node that could start waits for a slot; one that waits for another does not', () => {
    const view = viewOf([
      { step: 'a', status: 'running', startedAt: 9_000 },
      { step: 'b', status: 'not_started' },
      { step: 'c', status: 'not_started' }
    ])
    const nodes = view.nodes.map((node, index) =>
      index === 2
        ? { ...node, step: { ...node.step, depends: ['b'] } }
        : { ...node, step: { ...node.step, depends: [] } }
    )
    const limited = (maxActiveSteps: number) => ({ ...view, nodes, plan: { ...view.plan, maxActiveSteps } })
    expect(frame(limited(1), quiet).slice(2)).to.deep.equal([
      '├─ ○ b          waits for a slot (maxActiveSteps 1)',
      '└─ ○ c'
    ])
    expect(frame(limited(2), quiet).join()).to.not.contain('slot')
    expect(frame(limited(0), quiet).join()).to.not.contain('slot')
  })
})

describe('command line › live region', () => {
  it('draws over what it drew before, with the cursor hidden, and gives it back at the end', () => {
    let text = ''
    const region = liveRegion({
      write(part) {
        text += part
      }
    })
    region.draw(['a', 'b'])
    expect(text).to.equal('\x1b[?25l\ra\x1b[K\nb\x1b[K\n\x1b[J')
    text = ''
    region.draw(['c'])
    expect(text).to.equal('\x1b[2A\rc\x1b[K\n\x1b[J')
    text = ''
    region.end()
    region.end()
    expect(text).to.equal('\x1b[1A\r\x1b[J\x1b[?25h')
  })

  it('writes nothing when nothing changed', () => {
    let writes = 0
    const region = liveRegion({ write: () => void writes++ })
    region.draw(['a'])
    region.draw(['a'])
    expect(writes).to.equal(1)
  })

  it('goes up only over what it drew', () => {
    expect(repaint(0, ['a'])).to.not.contain('A')
  })
})

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

  it('status, time per step, error and last stderr lines of failed steps, and where the logs are', () => {
    expect(summary(ended, options)).to.deep.equal([
      '✗ etl  failed  1.7s  run r1',
      '│  step transform failed',
      '├─ ✓ extract    succeeded    1.2s',
      '├─ ✗ transform  failed      412ms  exit status 3',
      '│      stderr: Traceback',
      '│      stderr: bad row',
      '├─ – check      skipped            condition was not met',
      '└─ ■ load       canceled',
      'logs: /logs/etl/r1/run.log and /logs/etl/r1/1'
    ])
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
    expect(summary(view, options)).to.deep.equal([
      '■ etl  canceled  200ms  run r1',
      '│  x is missing',
      'logs: /logs/etl/r1/run.log and /logs/etl/r1/1'
    ])
  })

  it('handlers that ran are shown, those that did not are not', () => {
    const ran = { step: stepOf('onExit'), node: nodeOf('onExit', { startedAt: 0, finishedAt: 5 }) }
    const idle = { step: stepOf('onSuccess'), node: nodeOf('onSuccess', { status: 'not_started' }) }
    const lines = summary({ ...ended, handlers: { onExit: ran, onSuccess: idle } }, options)
    expect(lines.join('\n'))
      .to.match(/└─ ✓ onExit {5}succeeded {5}5ms/)
      .and.not.contain('onSuccess')
  })

  it('why a run or a step failed is told in full: what does not fit beside a long name stands below it', () => {
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
      '       condition was not met',
      'logs: /logs/etl/r1/run.log and /logs/etl/r1/1'
    ])
    const letters = (text: string) => text.replace(/[│└─ ]/g, '')
    for (const columns of [1, 20, 30, 60, 79])
      expect(letters(summary(view, { ...options, columns }).join('')), `${columns}`)
        .to.contain(letters(error))
        .and.contain(letters('step copy-the-warehouse-into-the-lake failed'))
  })

  it('what the sub DAG run of a step failed with is told in full below it', () => {
    const record: RunRecord = { ...going.run, name: 'sub', status: 'failed', error: 'nobody was at home to open' }
    const call = {
      step: stepOf('one', { call: 'sub' }),
      node: nodeOf('one', { startedAt: 0, finishedAt: 5 }),
      calls: { subRuns: [{ name: 'sub', dagRunId: 's1', params: '', record }], subRunsRepeated: [] }
    }
    const last = viewOf([{ step: 'two', startedAt: 0, finishedAt: 5 }]).nodes
    const lines = (nodes: RunView['nodes']) => summary({ ...going, nodes }, { ...options, columns: 40 }).slice(1, -1)
    expect(lines([call, ...last])).to.deep.equal([
      '├─ ✓ one     succeeded     5ms',
      '│  └─ ✗ sub  failed       4.2s',
      '│         run s1, nobody was at home to',
      '│         open',
      '└─ ✓ two     succeeded     5ms'
    ])
    expect(lines([call]).slice(-1)).to.deep.equal(['          open'])
  })

  it('is cut to the terminal', () => {
    for (const line of summary(ended, { ...options, columns: 30 }).slice(0, -1))
      expect(columnsOf(line)).to.be.at.most(30)
  })
})

describe('command line › one line a transition', () => {
  const event = (change: Partial<EngineEvent>): EngineEvent => ({
    run: { name: 'etl', dagRunId: 'r1' },
    seq: 1,
    at: Date.UTC(2026, 2, 1, 14, 3, 7),
    actor: '',
    event: '',
    from: '',
    to: '',
    ...change
  })
  const options = { time: clockFace('UTC'), paint: plain, begunAt: undefined, view: undefined }

  it('has time, status and step', () => {
    expect(transitionLine(event({ step: 'load' }), { ...options, shown: 'running' })).to.equal(
      '14:03:07 ● running     load'
    )
    expect(transitionLine(event({}), { ...options, shown: 'running' })).to.equal('14:03:07 ● running     run r1')
  })

  it('has the duration and the reason of a failure', () => {
    const failed = event({ step: 'load' })
    const view = viewOf([{ step: 'load', status: 'failed', error: 'exit status 3\nmore' }])
    expect(transitionLine(failed, { ...options, shown: 'failed', begunAt: failed.at - 1_250, view })).to.equal(
      '14:03:07 ✗ failed      load  1.2s  exit status 3'
    )
  })

  it('the time is that of the configured zone', () => {
    expect(clockFace('Asia/Tokyo')(Date.UTC(2026, 2, 1, 15, 0, 1))).to.equal('00:00:01')
  })

  it('tells a wait for a retry and a stop under way from other states of the same status', () => {
    expect(shownOf(event({ status: 'running', to: 'waiting' }))).to.equal('retry')
    expect(shownOf(event({ status: 'canceled', to: 'attempting.stopping.asked' }))).to.equal('stopping')
    expect(shownOf(event({ status: 'canceled', to: 'canceled' }))).to.equal('canceled')
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

  it('stripping takes time in proportion to the text', function () {
    this.retries(WHEN_BUSY)
    const begun = performance.now()
    for (const unit of ['a', '\x1b[', '\x1b]', '\x1b[0', '\r', ' \n']) harmless(unit.repeat(200_000))
    expect(performance.now() - begun).to.be.below(2_000)
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
    writeFileSync(path, 'one\ntwo\n\nthree')
    expect(lastLines(path, 2)).to.deep.equal(['two', 'three'])
    appendFileSync(path, `${'x'.repeat(100_000)}\nend\n`)
    expect(lastLines(path, 1)).to.deep.equal(['end'])
    expect(lastLines(path, 2)[0]).to.have.length.below(20_000)
  })
})
