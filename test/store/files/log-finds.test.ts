/** Searching real log files by a regular expression. Source: docs/http-api.md "Logs", D1366. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { lineExpression } from '../../../src/definition/text/line-expression.ts'
import { type LogSearch, searchLog } from '../../../src/store/files/search-log.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

const MIB = 1024 * 1024

describe('log search by a regular expression', () => {
  let count = 0
  const folder = temporaryFolder()
  const logOf = (content: string | Buffer) => {
    const path = join(folder, `${++count}.log`)
    writeFileSync(path, content)
    return path
  }
  const searchOf = (pattern: string, isOver = () => false): LogSearch['what'] => {
    const expression = lineExpression(pattern)
    if ('wrong' in expression) throw new Error(expression.wrong)
    return { expression, pace: { turn: () => turn(), isOver } }
  }
  const numbers = async (path: string, pattern: string) => (await searchLog(path, { what: searchOf(pattern) })).lines

  it('is tried on each line as it is seen, whatever the case; ^ and $ are its ends', async () => {
    const path = logOf('one 1\r\nTWO 22\n\n\x1b[31mTw\x1b[1mo\x1b[0m 333\n10 %\r100 %\nlast')
    expect(await numbers(path, '^two \\d+$')).to.deep.equal([2, 4])
    expect(await numbers(path, '^one 1$')).to.deep.equal([1])
    expect(await numbers(path, '^$')).to.deep.equal([3])
    expect(await numbers(path, '\\b10 %')).to.deep.equal([])
    expect(await numbers(path, '(100|la)')).to.deep.equal([5, 6])
    expect(await numbers(path, '\\D$')).to.deep.equal([5, 6])
    expect(await numbers(path, 'one.*two')).to.deep.equal([])
    expect(await numbers(logOf('\u017fet \u212a\n'), 'SET K')).to.deep.equal([1])
  })

  it('goes on where the answer before ended: after as many lines as are wanted, or as it took time for', async () => {
    const path = logOf(Array.from({ length: 5_000 }, (_, at) => `line ${at + 1}\n`).join(''))
    const wanted = Array.from({ length: 5_000 }, (_, at) => at + 1).filter((line) => /9\d9/.test(`${line}`))
    for (const isOver of [() => false, () => true]) {
      const all: number[] = []
      let answers = 0
      let offset = 1
      for (let isMore = true; isMore; answers++) {
        const what = searchOf('9\\d9', isOver)
        const { lines, nextOffset, hasMore } = await searchLog(path, { what, offset, limit: 7 })
        expect(lines.every((line) => line >= offset && line < nextOffset)).to.equal(true)
        expect(nextOffset).to.be.above(offset - 1)
        all.push(...lines)
        offset = nextOffset
        isMore = hasMore
      }
      expect(all).to.deep.equal(wanted)
      expect(offset).to.equal(5_001)
      expect(answers).to.be.below(5_010)
    }
  })

  it('looks at the first 4,000 characters of a line, which counts as one whatever its length', async () => {
    const start = Buffer.from('begins ')
    const path = logOf(Buffer.concat([start, Buffer.alloc(3 * MIB, 'x'), Buffer.from(' needle\nshort needle\n')]))
    expect(await numbers(path, 'needle$')).to.deep.equal([2])
    expect(await numbers(path, '^begins x+')).to.deep.equal([1])
    expect(await numbers(path, 'xx|t')).to.deep.equal([1, 2])
  })

  it('others have their turn between two lines', async () => {
    const path = logOf('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'.repeat(2_000))
    let turns = 0
    let isOver = false
    const others = (async () => {
      for (; !isOver; turns++) await turn()
    })()
    expect(await numbers(path, '(a+a+)+b|c')).to.deep.equal([])
    isOver = true
    await others
    expect(turns).to.be.at.least(1_000)
  })

  it('what is no expression, or would take too long for a line, is refused with the reason', () => {
    const wrong = (pattern: string) => {
      const expression = lineExpression(pattern)
      return 'wrong' in expression ? expression.wrong : ''
    }
    expect(wrong('(')).to.equal('invalid regular expression: missing closing ): `(`')
    expect(wrong('(?=a)')).to.match(/^invalid regular expression: /)
    expect(wrong('(a)\\1')).to.match(/^invalid regular expression: /)
    expect(wrong('a'.repeat(257))).to.match(/at most 256 characters, found 257/)
    expect(wrong('(?:a.{20}){20}')).to.match(/too large/)
    expect(wrong('\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2} (warn|error|fatal): .{0,80}timed? out')).to.equal('')
  })

  it('the costliest expression that is taken looks at the beginning of a long line alone, in linear time', async () => {
    const expression = lineExpression('(?:.*a.{30}){3}z|(?:[ab]{0,9}a){0,5}z')
    if ('wrong' in expression) throw new Error(expression.wrong)
    let seed = 7
    const line = Array.from({ length: 100_000 }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed & 65_536 ? 'a' : 'b'
    }).join('')
    const matched = (length: number) => expect(expression.matches(line.slice(0, length))).to.equal(false)
    expect(await growth(matched, 1_000, 100_000)).to.be.below(LINEAR)
  })
})
