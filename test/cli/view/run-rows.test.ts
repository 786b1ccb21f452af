/** Runs in tables: what stays on a narrow terminal, and what scripts get. Source: docs/cli.md "An overview". */
import { expect } from 'chai'
import { plain } from '../../../src/cli/view/paint.ts'
import { queueLines } from '../../../src/cli/view/queue-rows.ts'
import { runLines } from '../../../src/cli/view/run-rows.ts'
import { headOf } from '../../../src/cli/view/summary.ts'
import { columnsOf } from '../../../src/cli/view/text.ts'
import { summaryOf, viewOf } from '../../support/cli/run-views.ts'

const ID = '01a223ea-f9d3-7000-8000-00003fe2a91c'
const NOW = 65_800
const run = (name: string, dagRunId: string, more = {}) =>
  summaryOf({ ...viewOf([]).run, name, dagRunId, trigger: { type: 'schedule', slot: 0 }, ...more })
const runs = [run('nightly-import-of-all-the-orders', ID), run('etl', 'r1', { status: 'succeeded', finishedAt: 7_000 })]
const at = (room?: number) => runLines(runs, plain, { now: NOW, tz: 'Europe/Berlin', ...(room ? { room } : {}) })

describe('command line › runs in tables', () => {
  it('name, status, the end of the id and the duration stay at 40 columns', () => {
    expect(at(40)).to.deep.equal([
      'status       name     run       duration',
      '● running    nightl…  3fe2a91c  1m00s',
      '✓ succeeded  etl      r1        1.2s'
    ])
  })
  it('at 80 columns the start, too', () => {
    expect(at(80)).to.deep.equal([
      'status       name                    run       started (Europe/Berlin)  duration',
      '● running    nightly-import-of-all…  3fe2a91c  1970-01-01 01:00         1m00s',
      '✓ succeeded  etl                     r1        1970-01-01 01:00         1.2s'
    ])
  })
  it('no terminal: every column, and whole ids', () => {
    const [head = '', first = ''] = at()
    expect(head).to.match(/^status +name +run +started \(Europe\/Berlin\) +duration +trigger$/)
    expect(first)
      .to.contain(` ${ID} `)
      .and.match(/schedule 1970-01-01 01:00$/)
  })
  it('of any width no line is wider', () => {
    for (let room = 1; room < 140; room++)
      for (const line of at(room)) expect(columnsOf(line), line).to.be.at.most(room)
  })
  it('the head of a run has its state, duration and the end of its id, whatever its name is', () => {
    const key = { name: 'nightly-import-of-all-the-orders', dagRunId: ID }
    const head = (room: number) => headOf(key, ['failed', '1.3s'], room)
    expect(head(100)).to.equal(`nightly-import-of-all-the-orders  failed  1.3s  run ${ID}`)
    expect(head(77)).to.equal('nightly-import-of-all-the-orders  failed  1.3s  run 3fe2a91c')
    expect(head(37)).to.equal('nightly-…  failed  1.3s  run 3fe2a91c')
    for (let room = 1; room < 90; room++) expect(columnsOf(head(room))).to.be.at.most(room)
  })
  it('queues show the end of an id on a terminal, too', () => {
    const queue = { name: 'q', type: 'global', running: runs.slice(0, 1), queued: [], runningCount: 1, queuedCount: 0 }
    expect(queueLines(queue as never, plain, NOW, 80)[1]).to.match(/ run 3fe2a91c$/)
    expect(queueLines(queue as never, plain, NOW)[1]).to.match(new RegExp(` run ${ID}$`))
  })
})
