/** Log reading on real files. Source: api-semantics 3.8. */
import { appendFile, mkdtemp, open, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { TroupeError } from '../../../src/errors.ts'
import { type LogChunk, readLog } from '../../../src/store/files/logs.ts'

describe('log reading', () => {
  let folder = ''
  let count = 0
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-logs-'))
  })
  after(() => rm(folder, { recursive: true }))

  const logOf = async (content: string | Buffer) => {
    const path = join(folder, `${++count}.log`)
    await writeFile(path, content)
    return path
  }
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at).join('\n')
  /** What a chunk holds beside its text. */
  const facts = ({ lineCount, totalLines, hasMore, isEstimate }: LogChunk) => [
    lineCount,
    totalLines,
    hasMore,
    isEstimate
  ]
  /** Bytes this process read from files and pipes while `work` ran. */
  async function bytesRead(work: () => Promise<unknown>): Promise<number> {
    const total = async () => Number(/rchar: (\d+)/.exec(await readFile('/proc/self/io', 'utf8'))?.[1])
    const before = await total()
    await work()
    return (await total()) - before
  }

  describe('precedence: tail > head > offset (+limit) > limit alone', () => {
    const ten = () => logOf(`${numbers(1, 10)}\n`)

    it('lower ones are ignored when a higher one is > 0', async () => {
      const path = await ten()
      expect((await readLog(path, { tail: 1, head: 2, offset: 3, limit: 4 })).content).to.equal('10')
      expect((await readLog(path, { head: 2, offset: 3, limit: 4 })).content).to.equal('1\n2')
      expect((await readLog(path, { offset: 3, limit: 4 })).content).to.equal('3\n4\n5\n6')
      expect((await readLog(path, { limit: 4 })).content).to.equal('1\n2\n3\n4')
    })

    it('values <= 0 count as absent', async () => {
      const path = await ten()
      expect((await readLog(path, { tail: -5, head: 0, offset: -1, limit: 0 })).lineCount).to.equal(10)
      expect((await readLog(path, { tail: 0, head: 3 })).content).to.equal('1\n2\n3')
    })
  })

  describe('content', () => {
    it('bytes are decoded with ui.logEncodingCharset: the euro sign, quotes and dashes of windows-1252, too', async () => {
      for (const charset of ['windows-1252', 'latin1']) {
        const path = await logOf(Buffer.from('caf\xe9 5 \x80 \x93so\x94 \x96\n', 'latin1'))
        expect((await readLog(path, {}, charset)).content).to.equal('café 5 € “so” –')
      }
    })

    it('a trailing newline in the file does not count as a line, a last line without newline does', async () => {
      expect(facts(await readLog(await logOf(`${numbers(1, 20)}\n`)))).to.deep.equal([20, 20, false, false])
      expect(facts(await readLog(await logOf('a\nb\nc')))).to.deep.equal([3, 3, false, false])
      expect(facts(await readLog(await logOf('\n')))).to.deep.equal([1, 1, false, false])
      expect(facts(await readLog(await logOf('')))).to.deep.equal([0, 0, false, false])
    })

    it('lines are joined by a newline, no trailing newline, and \\r before \\n is dropped', async () => {
      const path = await logOf('a\r\nb\r\r\nc\rd\n\ne\r')
      expect((await readLog(path)).content).to.equal('a\nb\r\nc\rd\n\ne\r')
      expect((await readLog(path, { tail: 2 })).content).to.equal('\ne\r')
    })

    it('bad bytes are replaced', async () => {
      expect((await readLog(await logOf(Buffer.from([0x61, 0xff, 0x62, 0x0a])))).content).to.equal('a\ufffdb')
    })
  })

  describe('hasMore', () => {
    it('tail and head: lineCount < totalLines', async () => {
      const path = await logOf('a\nb\nc\n')
      expect(facts(await readLog(path, { tail: 2 }))).to.deep.equal([2, 3, true, false])
      expect(facts(await readLog(path, { head: 3 }))).to.deep.equal([3, 3, false, false])
      expect(facts(await readLog(path, { tail: 4 }))).to.deep.equal([3, 3, false, false])
    })

    it('otherwise offset + lineCount - 1 < totalLines', async () => {
      const path = await logOf('a\nb\nc\n')
      expect(facts(await readLog(path, { offset: 2, limit: 1 }))).to.deep.equal([1, 3, true, false])
      expect(facts(await readLog(path, { offset: 2, limit: 2 }))).to.deep.equal([2, 3, false, false])
    })

    it('offset beyond the end: empty content, lineCount 0, hasMore false', async () => {
      const chunk = await readLog(await logOf('a\nb\n'), { offset: 3 })
      expect(chunk).to.deep.equal({ content: '', lineCount: 0, totalLines: 2, hasMore: false, isEstimate: false })
    })
  })

  describe('a log of 200000 lines', () => {
    let path = ''
    before(async () => {
      path = await logOf(`${numbers(1, 200_000)}\n`)
    })

    it('totalLines 200000, isEstimate false, default limit 1000', async () => {
      expect(facts(await readLog(path))).to.deep.equal([1_000, 200_000, true, false])
    })

    it('tail 2, head 2, offset 199999, offset 200001', async () => {
      const tail = await readLog(path, { tail: 2 })
      expect([tail.content, ...facts(tail)]).to.deep.equal(['199999\n200000', 2, 200_000, true, false])
      const head = await readLog(path, { head: 2 })
      expect([head.content, ...facts(head)]).to.deep.equal(['1\n2', 2, 200_000, true, false])
      const end = await readLog(path, { offset: 199_999 })
      expect([end.content, ...facts(end)]).to.deep.equal(['199999\n200000', 2, 200_000, false, false])
      expect(facts(await readLog(path, { offset: 200_001 }))).to.deep.equal([0, 200_000, false, false])
    })

    it('limit, tail and head above 10000 are treated as 10000', async () => {
      for (const query of [{ limit: 99_999_999 }, { tail: 10_001 }, { head: 1e12 }]) {
        expect(facts(await readLog(path, query))).to.deep.equal([10_000, 200_000, true, false])
      }
      expect((await readLog(path, { tail: 10_001 })).content).to.equal(numbers(190_001, 200_000))
    })

    it('every page begins where the one before ended', async () => {
      for (const offset of [1, 999, 1_000, 1_001, 1_002, 54_321, 199_001]) {
        const { content } = await readLog(path, { offset, limit: 1_000 })
        expect(content, `offset ${offset}`).to.equal(numbers(offset, Math.min(200_000, offset + 999)))
      }
    })

    it('the second page reads only what it returns', async () => {
      await readLog(path, { head: 1 })
      const bytes = await bytesRead(() => readLog(path, { offset: 150_000, limit: 10 }))
      expect(bytes).to.be.lessThan(300_000)
    })

    it('lines that are appended are counted, without reading the file again', async () => {
      await readLog(path, { head: 1 })
      await appendFile(path, 'last')
      let chunk = await readLog(path, { tail: 1 })
      expect([chunk.content, chunk.totalLines]).to.deep.equal(['last', 200_001])
      await appendFile(path, ' one\nand one more\n')
      const bytes = await bytesRead(async () => {
        chunk = await readLog(path, { tail: 2 })
      })
      expect([chunk.content, chunk.totalLines]).to.deep.equal(['last one\nand one more', 200_002])
      expect(bytes).to.be.lessThan(600_000)
    })
  })

  describe('a log over 64 MiB', () => {
    const lineBytes = 71
    const lines = 1_000_000
    let path = ''
    before(async () => {
      path = join(folder, 'large.log')
      const file = await open(path, 'w')
      for (let first = 1; first <= lines; first += 10_000) {
        const block = Array.from({ length: 10_000 }, (_, at) => `${first + at}`.padEnd(lineBytes - 1, '.'))
        await file.write(`${block.join('\n')}\n`)
      }
      await file.close()
    })
    const numberIn = (content: string) => Number(content.split('.')[0])

    it('tail reads backwards: only what it returns, and estimates the total', async () => {
      let chunk: LogChunk | undefined
      const bytes = await bytesRead(async () => {
        chunk = await readLog(path, { tail: 2 })
      })
      expect(numberIn(chunk?.content ?? '')).to.equal(lines - 1)
      expect(chunk).to.include({ lineCount: 2, hasMore: true, isEstimate: true })
      expect(chunk?.totalLines).to.be.within(lines * 0.95, lines * 1.05)
      expect(bytes).to.be.lessThan(4_000_000)
    })

    it('head reads only what it returns, and estimates the total', async () => {
      const chunk = await readLog(path, { head: 3 })
      expect([numberIn(chunk.content), chunk.lineCount, chunk.isEstimate]).to.deep.equal([1, 3, true])
    })

    it('a page far inside is exact in its lines', async () => {
      const chunk = await readLog(path, { offset: 600_000, limit: 2 })
      expect(chunk.content.split('\n').map(numberIn)).to.deep.equal([600_000, 600_001])
      expect(chunk).to.include({ hasMore: true, isEstimate: true })
    })

    it('the estimate never makes hasMore true when the end was reached', async () => {
      const chunk = await readLog(path, { offset: lines - 8_999, limit: 10_000 })
      expect([numberIn(chunk.content), ...facts(chunk)]).to.deep.equal([lines - 8_999, 9_000, lines, false, false])
      expect(facts(await readLog(path, { offset: lines + 1 }))).to.deep.equal([0, lines, false, false])
    })
  })

  describe('long lines and large answers', () => {
    const mib = 1024 * 1024

    it('lines longer than 1 MiB are returned cut with a marker, shorter ones whole', async () => {
      const path = await logOf(`short\n${'x'.repeat(mib)}\n${'y'.repeat(3 * mib)}\nend\n`)
      const [first, whole = '', cut = '', last] = (await readLog(path)).content.split('\n')
      expect([first, whole.length, last]).to.deep.equal(['short', mib, 'end'])
      expect(cut).to.match(/^y+ \.\.\. \[line cut at 1 MiB\]$/)
      expect(cut.lastIndexOf('y')).to.equal(mib - 1)
      expect((await readLog(path, { tail: 2 })).content).to.equal(`${cut}\nend`)
    })

    it('a cut leaves no half character', async () => {
      const path = await logOf(`a${'é'.repeat(mib)}\n`)
      expect((await readLog(path)).content).to.match(/^aé+ \.\.\. \[line cut at 1 MiB\]$/)
    })

    it('answers hold at most 8 MiB: the first lines, or the last ones of a tail', async () => {
      const path = await logOf(Array.from({ length: 20 }, (_, at) => `${at}${'z'.repeat(mib - 10)}\n`).join(''))
      const head = await readLog(path)
      expect(facts(head)).to.deep.equal([8, 20, true, false])
      expect(head.content.length).to.be.at.most(8 * mib)
      const tail = await readLog(path, { tail: 20 })
      expect(facts(tail)).to.deep.equal([8, 20, true, false])
      expect(tail.content.slice(0, 3)).to.equal('12z')
    })
  })

  describe('files that change', () => {
    it('a file that became shorter is read again', async () => {
      const path = await logOf(`${numbers(1, 5_000)}\n`)
      expect((await readLog(path)).totalLines).to.equal(5_000)
      await truncate(path, 4)
      expect(facts(await readLog(path))).to.deep.equal([2, 2, false, false])
    })

    it('a file that replaced it is read again', async () => {
      const path = await logOf(`${numbers(1, 2_000)}\n`)
      await readLog(path)
      await rename(await logOf('x'.repeat(20_000)), path)
      expect(facts(await readLog(path, { offset: 1_500 }))).to.deep.equal([0, 1, false, false])
    })

    it('readers at the same time agree', async () => {
      const path = await logOf(`${numbers(1, 50_000)}\n`)
      const chunks = await Promise.all(Array.from({ length: 20 }, () => readLog(path, { offset: 49_999 })))
      for (const chunk of chunks) expect(facts(chunk)).to.deep.equal([2, 50_000, false, false])
    })
  })

  it('one that is there and cannot be read is service_unavailable, with the reason', async () => {
    const error = await readLog(join(folder, `${'a'.repeat(300)}.out`)).catch((error: unknown) => error) // closed to root, too
    expect(error).to.be.instanceOf(TroupeError).and.have.property('code', 'service_unavailable')
    expect((error as Error).message).to.equal('the log file cannot be read: a name in it is too long')
  })

  describe('what is no log file is not_found', () => {
    const codeOf = (path: string) =>
      readLog(path).then(String, (error) => (error instanceof TroupeError ? error.code : error))

    it('a file removed since, a folder, a link', async () => {
      const link = join(folder, 'link.log')
      await symlink('/etc/passwd', link)
      for (const path of [join(folder, 'gone.log'), folder, link, '/dev/null']) {
        expect(await codeOf(path), path).to.equal('not_found')
      }
    })
  })
})
