/** Tables on terminals of any width. Source: docs/cli.md. */
import { expect } from 'chai'
import { paintFor } from '../../../src/cli/view/paint.ts'
import { roomIn, tableLines } from '../../../src/cli/view/table.ts'
import { columnsOf } from '../../../src/cli/view/text.ts'

const HEAD = ['name', 'state', 'why']
const ROWS = [
  ['etl', { text: 'failed', style: 'red' as const }, 'the disk is full'],
  ['名前', { text: 'succeeded', style: 'green' as const }, '']
]

describe('command line › tables', () => {
  const plain = paintFor(false, {})

  it('each column is as wide as its widest cell', () => {
    expect(tableLines(HEAD, ROWS, plain)).to.deep.equal([
      'name  state      why',
      'etl   failed     the disk is full',
      '名前  succeeded'
    ])
  })
  it('what a cell has for a terminal is not sent to it: escape sequences, other control characters, line breaks', () => {
    const rows = [['\x1b]0;title\x07etl\x1b[2J', { text: 'fai\u202eled', style: undefined }, 'one\ntwo\x9b31m\r']]
    expect(tableLines(HEAD, rows, plain)).to.deep.equal(['name  state   why', 'etl   failed  one two'])
  })
  it('no line is wider than the room, and a cell that is cut says so', () => {
    expect(tableLines(HEAD, ROWS, plain, 25)).to.deep.equal([
      'name  state      why',
      'etl   failed     the dis…',
      '名前  succeeded'
    ])
    expect(tableLines(HEAD, ROWS, plain, 12)).to.deep.equal(['name  state', 'etl   failed', '名前  succe…'])
    for (let room = 1; room < 40; room++)
      for (const line of tableLines(HEAD, ROWS, plain, room)) expect(columnsOf(line), line).to.be.at.most(room)
  })
  it('columns give up their room in a given order, down to a width or altogether', () => {
    const at = (room: number) =>
      tableLines(HEAD, ROWS, plain, room, [
        [2, 8],
        [1, 4],
        [2, 0]
      ])
    expect(at(25)).to.deep.equal(['name  state      why', 'etl   failed     the dis…', '名前  succeeded'])
    expect(at(20)).to.deep.equal(['name  sta…  why', 'etl   fai…  the dis…', '名前  suc…'])
    expect(at(12)).to.deep.equal(['name  sta…', 'etl   fai…', '名前  suc…'])
  })
  it('a terminal has its columns, anything else has room for all', () => {
    const write = () => {}
    expect(roomIn({ write, isTTY: true, columns: 80 })).to.equal(80)
    for (const out of [{ write, columns: 80 }, { write, isTTY: true, columns: 0 }, { write }])
      expect(roomIn(out)).to.equal(Number.POSITIVE_INFINITY)
  })
  it('colours do not count', () => {
    const [, etl = ''] = tableLines(HEAD, ROWS, paintFor(true, {}), 14)
    expect(etl).to.equal('etl   \x1b[31mfailed\x1b[0m')
  })
})
