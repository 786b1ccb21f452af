/** The overview in the terminal as lines and keys, without a terminal. */
import { expect } from 'chai'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { columnsOf } from '../../../src/cli/view/text.ts'
import { screenLines } from '../../../src/cli/watch/screen.ts'
import { pressed, START, type State } from '../../../src/cli/watch/state.ts'
import type { RunSummary } from '../../../src/client/index.ts'
import { summaryOf } from '../../support/cli/run-views.ts'

const NOW = 1_700_000_000_000
const runOf = (name: string, dagRunId: string, status: RunRecord['status']) =>
  summaryOf({
    name,
    dagRunId,
    status,
    attempt: 1,
    createdAt: NOW,
    startedAt: NOW - 61_000,
    ...(status === 'running' ? {} : { finishedAt: NOW }),
    params: [],
    log: '',
    nodeLogs: '',
    plan: ''
  })
const stateOf = (runs: RunSummary[], more: Partial<State> = {}): State => ({
  ...START,
  overview: { place: '/home/ops', isServed: true, runs, failures: 0, queues: [] },
  ...more
})
const shown = (state: State, columns: number, rows: number) =>
  screenLines(state, { columns, rows, now: NOW, time: () => '14:03:07', paint: (_style, text) => text })

describe('troupe watch › screen', () => {
  const many = Array.from({ length: 300 }, (_, n) => runOf(`dag-${n}`, `r${n}`, n < 3 ? 'running' : 'failed'))

  it('as many lines as there are rows, none wider than the screen, of any size', () => {
    const hostile = [
      runOf('x\x1b[2J\x1b]0;t\x07y', 'r\x1b[31m1', 'failed'),
      runOf('全角の名前'.repeat(40), 'r'.repeat(300), 'running'),
      runOf('\u202eabc\n\rdef', 'r3', 'queued')
    ]
    const log = { key: hostile[0] as RunSummary, lines: ['a | b'.repeat(200)], back: 0, isOver: true }
    for (const state of [START, stateOf([]), stateOf(many), stateOf(hostile), stateOf(hostile, { log })])
      for (const [columns, rows] of [
        [80, 24],
        [200, 50],
        [20, 5],
        [1, 1]
      ] as const) {
        const lines = shown(state, columns, rows)
        expect(lines).to.have.length(rows)
        for (const line of lines) {
          expect(line).not.to.match(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/)
          if (columns >= 20) expect(columnsOf(line), line).to.be.at.most(columns)
        }
      }
  })
  it('the selected run is in sight, wherever it is in the list', () => {
    for (const dagRunId of ['r0', 'r150', 'r299']) {
      const lines = shown(stateOf(many, { selected: { name: `dag-${dagRunId.slice(1)}`, dagRunId } }), 100, 20)
      expect(lines.filter((line) => line.startsWith('>')).map((line) => line.includes(`${dagRunId}`))).to.deep.equal([
        true
      ])
    }
  })
  it('trouble stands in place of the counts, and what was seen stays', () => {
    const lines = shown(stateOf(many, { trouble: 'no server answers' }), 100, 20)
    expect(lines[1]).to.equal('no server answers')
    expect(lines.join('\n')).to.contain('dag-0')
  })
})

describe('troupe watch › keys', () => {
  const state = stateOf([runOf('a', 'r1', 'running'), runOf('b', 'r2', 'failed'), runOf('c', 'r3', 'succeeded')])
  const after = (...keys: string[]) => keys.reduce((before, key) => pressed(before, key, 10)[0], state)

  it('move the selection within the list; it stays with its run when others come', () => {
    expect(after('down', 'j').selected).to.deep.equal({ name: 'c', dagRunId: 'r3' })
    expect(after('down', 'down', 'down', 'down').selected?.dagRunId).to.equal('r3')
    expect(after('end', 'home').selected?.dagRunId).to.equal('r1')
    const later = {
      ...after('down'),
      overview: stateOf([runOf('new', 'r9', 'running'), ...(state.overview?.runs ?? [])]).overview
    }
    expect(pressed(later as State, 'down', 10)[0].selected?.dagRunId).to.equal('r3')
  })
  it('a stop and a retry are asked first, and only what is running is stopped, what has ended retried', () => {
    expect(after('s').asked).to.deep.equal({ act: 'stop', key: { name: 'a', dagRunId: 'r1' } })
    expect(pressed(after('s'), 'y', 10)[1]).to.deep.equal({ act: 'stop', key: { name: 'a', dagRunId: 'r1' } })
    expect(pressed(after('s'), 'q', 10)).to.deep.equal([{ ...after('s', 'n') }, undefined].slice(0, 1))
    expect(after('r').message).to.equal('run r1 has not ended')
    expect(after('down', 's').message).to.equal('run r2 is not running')
    expect(after('down', 'r').asked?.act).to.equal('retry')
  })
  it('Ctrl-C leaves from everywhere, q from the list, and goes back from a log', () => {
    for (const at of [state, after('s'), after('enter')]) expect(pressed(at, 'ctrl-c', 10)[1]).to.equal('quit')
    expect(pressed(state, 'q', 10)[1]).to.equal('quit')
    expect(pressed(after('enter'), 'q', 10)[1]).to.equal('close log')
    expect(pressed(after('enter'), 'escape', 10)[0].log).to.equal(undefined)
  })
  it('a log is scrolled within its lines', () => {
    const open = after('enter')
    const log = {
      ...open,
      log: { key: { name: 'a', dagRunId: 'r1' }, lines: Array(30).fill('x'), back: 0, isOver: false }
    }
    expect(pressed(log, 'up', 10)[0].log?.back).to.equal(1)
    expect(pressed(log, 'home', 10)[0].log?.back).to.equal(20)
    expect(pressed(log, 'down', 10)[0].log?.back).to.equal(0)
  })
})
