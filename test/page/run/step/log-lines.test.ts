/** The loaded lines of a log, and what is found in them. */
import { expect } from 'chai'
import { CHUNK_LINES, LogLines, withFinds } from '../../../../src/page/run/step/log-lines.ts'

const numbered = (first: number, count: number) => Array.from({ length: count }, (_, at) => `line ${first + at}`)
const shown = (lines: LogLines, line: number) =>
  lines
    .at(line)
    ?.map(({ text }) => text)
    .join('')

describe('page › the lines of a log', () => {
  it('are asked for where they are missing, and are complete when all of them came, in whatever parts', () => {
    const lines = new LogLines()
    lines.total = 1_000_000
    expect(lines.missing(999_990, 1_000_000)).to.equal(999_500)
    lines.put(999_500, numbered(999_500, 100))
    expect(lines.missing(999_990, 1_000_000), 'long lines: only some came').to.equal(999_600)
    lines.put(999_600, numbered(999_600, 400))
    expect(lines.missing(999_990, 1_000_000)).to.equal(undefined)
    expect([shown(lines, 999_999), shown(lines, 3)]).to.deep.equal(['line 999999', undefined])
  })

  it('the last line may be written further; lines far behind a gap are left out until they are asked for', () => {
    const lines = new LogLines()
    lines.put(0, ['10 %'])
    lines.put(0, ['10 %\r100 %', 'done'])
    expect([lines.total, shown(lines, 0), shown(lines, 1)]).to.deep.equal([2, '100 %', 'done'])
    lines.put(CHUNK_LINES + 7, ['late'])
    expect([lines.total, shown(lines, CHUNK_LINES + 7)]).to.deep.equal([CHUNK_LINES + 8, undefined])
  })

  it('those that are far away are forgotten', () => {
    const lines = new LogLines()
    for (let chunk = 0; chunk < 100; chunk++) lines.put(chunk * CHUNK_LINES, numbered(chunk * CHUNK_LINES, CHUNK_LINES))
    lines.forget(99 * CHUNK_LINES)
    expect(shown(lines, 0)).to.equal(undefined)
    expect(shown(lines, 99 * CHUNK_LINES)).to.equal(`line ${99 * CHUNK_LINES}`)
  })

  it('colors go on from one chunk to the next', () => {
    const lines = new LogLines()
    lines.put(0, [...Array<string>(CHUNK_LINES - 1).fill(''), '\u001b[31mred'])
    lines.put(CHUNK_LINES, ['still'])
    expect(lines.at(CHUNK_LINES - 1)).to.deep.equal([{ text: 'red', look: 'ink-red' }])
    expect(lines.at(CHUNK_LINES)).to.deep.equal([{ text: 'still', look: 'ink-red' }])
  })

  it('a text is found across parts of different looks, whatever its case', () => {
    const parts = [
      { text: 'an Er', look: '' },
      { text: 'ror, no error', look: 'ink-red' }
    ]
    expect(withFinds(parts, 'error')).to.deep.equal([
      { text: 'an ', look: '' },
      { text: 'Er', look: '', isFound: true },
      { text: 'ror', look: 'ink-red', isFound: true },
      { text: ', no ', look: 'ink-red' },
      { text: 'error', look: 'ink-red', isFound: true }
    ])
    expect(withFinds(parts, 'gone')).to.deep.equal(parts)
  })
})
