/** What is drawn of a run that goes on: pure functions against whole pictures. */
import { expect } from 'chai'
import type { NodeRecord, Repeat, RunRecord, Step } from '../../../machines/vocabulary.ts'
import { frame as frameOf, rowsInView } from '../../../src/cli/view/frame.ts'
import { liveRegion, repaint } from '../../../src/cli/view/live-region.ts'
import { plain } from '../../../src/cli/view/paint.ts'
import type { Row } from '../../../src/cli/view/row.ts'
import { summary as summaryOf } from '../../../src/cli/view/summary.ts'
import { columnsOf } from '../../../src/cli/view/text.ts'
import type { HandlerView, RunView } from '../../../src/engine/engine.ts'
import { detailsOf, going, NOW, viewOf } from '../../support/cli/run-views.ts'
import { nodeOf, stepOf } from '../../support/engine/fake-engine.ts'

const quiet = { now: NOW, columns: 60, lines: 24, paint: plain, lastLines: () => [], notice: '' }

const frame = (view: RunView, options: Parameters<typeof frameOf>[1]) => frameOf(detailsOf(view), options)
const summary = (view: RunView, options: Parameters<typeof summaryOf>[1]) => summaryOf(detailsOf(view), options)

describe('command line › live tree', () => {
  const lastLines = (name: string) => (name === 'transform' ? ['row 41', 'row 42', 'row 43'] : [])

  it('shows status glyph, duration, and the last lines of running nodes below them', () => {
    expect(frame(going, { ...quiet, lastLines })).to.deep.equal([
      '● etl  4.2s  1/3 steps  run r1',
      '├─ ✓ extract      1.2s',
      '├─ ● transform    3.0s  1 retry',
      '│     row 41',
      '│     row 42',
      '│     row 43',
      '└─ ○ load'
    ])
  })

  it('a terminal that is low has as many of these lines as fit, or one beside the node', () => {
    expect(frame(going, { ...quiet, lines: 7, lastLines }).slice(2)).to.deep.equal([
      '├─ ● transform    3.0s  1 retry',
      '│     row 42',
      '│     row 43',
      '└─ ○ load'
    ])
    expect(frame(going, { ...quiet, lines: 5, lastLines }).slice(2)).to.deep.equal([
      '├─ ● transform    3.0s  1 retry  row 43',
      '└─ ○ load'
    ])
  })

  it('a node that was asked to stop and has not ended is stopping; a notice is shown below', () => {
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
      const picture = frame(view, {
        ...quiet,
        columns,
        lastLines: () => ['漢'.repeat(300), '漢'.repeat(300)],
        notice: 'n'.repeat(300)
      })
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

  it('handlers of the definition come last', () => {
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
