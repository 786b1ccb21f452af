/** Searching real log files. Source: docs/http-api.md "Logs", D1310. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { TroupeError } from '../../../src/errors.ts'
import { type LogSearch, searchLog } from '../../../src/store/files/search-log.ts'
import { temporaryFolder } from '../../support/homes.ts'

const MIB = 1024 * 1024

describe('log search', () => {
  let count = 0
  const folder = temporaryFolder()
  const logOf = (content: string | Buffer) => {
    const path = join(folder, `${++count}.log`)
    writeFileSync(path, content)
    return path
  }
  const numbers = async (path: string, search: LogSearch, charset?: string) =>
    (await searchLog(path, search, charset)).lines

  it('finds the numbers of the lines, each once, whatever the case', async () => {
    const path = logOf('one\nTwo two\nthree\n\nTWO\nÄrger\n')
    expect(await searchLog(path, { what: 'two' })).to.deep.equal({ lines: [2, 5], nextOffset: 7, hasMore: false })
    expect(await numbers(path, { what: 'äRG' })).to.deep.equal([6])
    expect(await numbers(logOf(''), { what: 'x' })).to.deep.equal([])
  })

  it('finds what is seen: colors do not part a word, what was written over is gone', async () => {
    const path = logOf('\x1b[31mERR\x1b[1mOR\x1b[0m here\n10 %\r100 %\r\nno error\x1b]0;title\x07s\n31m\n')
    expect(await numbers(path, { what: 'error' })).to.deep.equal([1, 3])
    expect(await numbers(path, { what: '31m' })).to.deep.equal([4])
    expect(await numbers(path, { what: '10 %' })).to.deep.equal([])
    expect(await numbers(path, { what: '100 %' })).to.deep.equal([2])
    expect(await numbers(path, { what: 'title' })).to.deep.equal([])
  })

  it('bytes are decoded with the charset of the log', async () => {
    const path = logOf(Buffer.from('caf\xe9 \x80\nx\n', 'latin1'))
    expect(await numbers(path, { what: 'CAFÉ €' }, 'windows-1252')).to.deep.equal([1])
  })

  it('goes on where the answer before ended, after as many lines as are wanted', async () => {
    const path = logOf(Array.from({ length: 5_000 }, (_, at) => `line ${at + 1}\n`).join(''))
    const all: number[] = []
    let offset = 1
    for (let isMore = true; isMore; ) {
      const { lines, nextOffset, hasMore } = await searchLog(path, { what: '99', offset, limit: 7 })
      expect(lines.length).to.be.at.most(7)
      expect(lines.every((line) => line >= offset && line < nextOffset)).to.equal(true)
      all.push(...lines)
      offset = nextOffset
      isMore = hasMore
    }
    const wanted = Array.from({ length: 5_000 }, (_, at) => at + 1).filter((line) => `${line}`.includes('99'))
    expect(all).to.deep.equal(wanted)
    expect(offset).to.equal(5_001)
    expect(await searchLog(path, { what: 'l', offset: 9_999 })).to.deep.equal({
      lines: [],
      nextOffset: 9_999,
      hasMore: false
    })
  })

  it('the last line is searched anew when its end was not written yet', async () => {
    const path = logOf('begun\nhalf')
    const before = await searchLog(path, { what: 'half a line' })
    expect(before).to.deep.equal({ lines: [], nextOffset: 2, hasMore: false })
    appendFileSync(path, ' a line\nmore\n')
    const { lines, nextOffset } = await searchLog(path, { what: 'half a line', offset: before.nextOffset })
    expect([lines, nextOffset]).to.deep.equal([[2], 4])
  })

  it('a line of any length is searched, and counts as one', async () => {
    const path = logOf(Buffer.concat([Buffer.alloc(3 * MIB, 'x'), Buffer.from(' needle\nshort\nneedle\n')]))
    expect(await numbers(path, { what: 'NEEDLE' })).to.deep.equal([1, 3])
    expect(await numbers(path, { what: 'xx' })).to.deep.equal([1])
  })

  it('an answer is about a part of a long log; others have their turn many times meanwhile', async () => {
    const block = Buffer.from('a line as programs write them, of no interest\n'.repeat(1_000))
    const path = logOf(Buffer.concat([...Array.from({ length: 900 }, () => block), Buffer.from('the Needle\n')]))
    let turns = 0
    let isOver = false
    const others = (async () => {
      for (; !isOver; turns++) await turn()
    })()
    const first = await searchLog(path, { what: 'needle' })
    isOver = true
    await others
    expect(turns).to.be.at.least(100)
    expect([first.lines, first.hasMore]).to.deep.equal([[], true])
    const { lines, hasMore } = await searchLog(path, { what: 'needle', offset: first.nextOffset })
    expect([lines, hasMore]).to.deep.equal([[900_001], false])
  })

  it('whoever asks again gets further, however long the lines are', async () => {
    const path = logOf(Buffer.concat([Buffer.alloc(40 * MIB, 'x'), Buffer.from(' needle\nneedle\n')]))
    const all: number[] = []
    let offset = 1
    for (let isMore = true, answers = 0; isMore; answers++) {
      expect(answers).to.be.below(4)
      const { lines, nextOffset, hasMore } = await searchLog(path, { what: 'needle', offset })
      all.push(...lines)
      offset = nextOffset
      isMore = hasMore
    }
    expect(all).to.deep.equal([1, 2])
  })

  it('no such file: not_found', async () => {
    const error = await searchLog(join(folder, 'none'), { what: 'x' }).catch((cause: unknown) => cause)
    expect(error).to.be.instanceOf(TroupeError).with.property('code', 'not_found')
  })
})
