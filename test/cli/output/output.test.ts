/** What steps print, from the bytes of their logs to the lines that are shown. */
import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { latestLines } from '../../../src/cli/output/latest-lines.ts'
import { lineSplitter } from '../../../src/cli/output/line-splitter.ts'
import { readOn } from '../../../src/cli/output/log-reader.ts'
import { systemClock } from '../../../src/clock.ts'
import { settled } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const bytes = (text: string) => Buffer.from(text)

describe('command line › output › lines', () => {
  it('a line is shown when it is complete, or when its writer is done', () => {
    const splitter = lineSplitter('utf-8')
    expect(splitter.add(bytes('one\ntw'))).to.deep.equal(['one'])
    expect(splitter.open).to.equal('tw')
    expect(splitter.add(bytes('o\n\nthree'))).to.deep.equal(['two', ''])
    expect(splitter.end()).to.deep.equal(['three'])
    expect(splitter.end()).to.deep.equal([])
  })

  it('what could steer a terminal is left out, also where it is cut in two', () => {
    const splitter = lineSplitter('utf-8')
    expect(splitter.add(bytes('\x1b[31mred\x1b[0m \x1b]0;title\x07\x9b2Jx\u202e\n'))).to.deep.equal(['red x'])
    expect([...splitter.add(bytes('\x1b[3')), ...splitter.add(bytes('1mred\x00\x07\n'))]).to.deep.equal(['red'])
    expect(splitter.add(bytes('10%\r50%\r100%\r\n'))).to.deep.equal(['100%'])
    expect(splitter.add(bytes('\x1b]0;never closed\nnext\n'))).to.deep.equal(['', 'next'])
  })

  it('characters that are cut in two are put together; bytes that are none become U+FFFD', () => {
    const splitter = lineSplitter('utf-8')
    const euro = bytes('€')
    expect([...splitter.add(euro.subarray(0, 1)), ...splitter.add(euro.subarray(1)), ...splitter.end()]).to.deep.equal([
      '€'
    ])
    expect(splitter.add(Buffer.from([0x61, 0xff, 0x62, 0x0a]))).to.deep.equal(['a\ufffdb'])
    expect(lineSplitter('iso-8859-1').add(Buffer.from([0xe9, 0x0a]))).to.deep.equal(['é'])
  })

  it('a line without an end is shown in pieces, so that it never fills the memory', () => {
    const splitter = lineSplitter('utf-8')
    let shown = 0
    for (let piece = 0; piece < 64; piece++)
      for (const line of splitter.add(Buffer.alloc(64 * 1024, 'x'))) shown += line.length
    expect(shown).to.be.at.least(62 * 64 * 1024)
    expect(splitter.open.length).to.be.at.most(64 * 1024)
  })

  it('raw lines keep what was written', () => {
    expect(lineSplitter('utf-8', true).add(bytes('\x1b[31mred\r\na\rb\n'))).to.deep.equal(['\x1b[31mred', 'a\rb'])
  })
})

describe('command line › output › a log that grows', () => {
  const reading = (path: string, more: Partial<Parameters<typeof readOn>[0]> = {}) => {
    const written = new AbortController()
    const enough = new AbortController()
    let seen = ''
    const end = readOn({
      path,
      from: 0,
      clock: systemClock,
      written: written.signal,
      enough: enough.signal,
      async take(bytes) {
        seen += Buffer.from(bytes).toString()
      },
      ...more
    })
    return { end, written, enough, seen: () => seen }
  }
  const until = (what: string, holds: () => boolean) => eventually(what, () => (holds() ? true : undefined))

  it('is read as it grows, and to its end when its writer is done', async () => {
    const path = join(temporaryFolder(), 'a.out')
    const { end, written, seen } = reading(path)
    writeFileSync(path, 'one\n') // it was not there when its reader came
    await until('the first line', () => seen() === 'one\n')
    appendFileSync(path, 'two\n')
    await until('the second line', () => seen() === 'one\ntwo\n')
    appendFileSync(path, 'three')
    written.abort()
    expect(await end).to.equal(13)
    expect(seen()).to.equal('one\ntwo\nthree')
  })

  it('a log that does not grow is not polled', async () => {
    const path = join(temporaryFolder(), 'a.out')
    writeFileSync(path, 'one\n')
    const pauses = { begun: 0, over: 0 }
    const after = (ms: number, ring: () => void) => {
      pauses.begun++
      return systemClock.after(ms, () => {
        pauses.over++
        ring()
      })
    }
    const { written, end, seen } = reading(path, { clock: { ...systemClock, after } })
    await until('the first line', () => seen() === 'one\n')
    await until('the end of the pause that gathers what comes at once', () => pauses.over === 1)
    await settled()
    expect(pauses.begun).to.equal(1)
    appendFileSync(path, 'two\n')
    await until('the second line', () => seen() === 'one\ntwo\n')
    expect(pauses.begun).to.be.at.most(2)
    written.abort()
    await end
  })

  it('one that is never made, one that is no regular file, and one that is taken away are empty', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'elsewhere'), 'secret')
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))
    for (const name of ['nothing', 'folder', 'link']) {
      const { written, end, seen } = reading(join(folder, name))
      written.abort()
      expect(await end, name).to.equal(0)
      expect(seen(), name).to.equal('')
    }
    const path = join(folder, 'moved')
    writeFileSync(path, 'one\n')
    const { written, end, seen } = reading(path)
    await until('the line', () => seen() === 'one\n')
    renameSync(path, join(folder, 'away'))
    written.abort()
    await end
    expect(seen()).to.equal('one\n')
  })

  it('no more is read than is taken', async () => {
    const path = join(temporaryFolder(), 'a.out')
    writeFileSync(path, Buffer.alloc(4 * 1024 * 1024, 'x'))
    let taken = 0
    let makeRoom = () => {}
    const { enough, end } = reading(path, {
      take: (bytes) => {
        taken += bytes.length
        return new Promise((resolve) => {
          makeRoom = resolve
        })
      }
    })
    await until('the first piece', () => taken > 0)
    await settled()
    expect(taken).to.be.at.most(64 * 1024)
    enough.abort()
    makeRoom()
    await end
  })

  it('where the end is enough, what lies before it is passed over', async () => {
    const path = join(temporaryFolder(), 'a.out')
    writeFileSync(path, `${'x'.repeat(100_000)}\nlast\n`)
    const { written, end, seen } = reading(path, { skipBeyond: 1_000 })
    written.abort()
    expect(await end).to.equal(100_006)
    expect(seen())
      .to.have.length(1_000)
      .and.match(/\nlast\n$/)
  })
})

describe('command line › output › the last lines of a step', () => {
  const run = { name: 'etl', dagRunId: 'r1' }
  it('are those of its sub runs, too, with their names; a line that is being written is the last', async () => {
    const said = latestLines()
    await said.lines({ run, step: 'build', label: 'build', top: 'build' }, 'stdout', ['1', '', '2', '3'])
    await said.lines({ run, step: 'cc', label: 'build#2/cc', top: 'build' }, 'stderr', ['4', '5', '6'])
    expect(said.of('build')).to.deep.equal(['2', '3', '#2/cc | 4', '#2/cc | 5', '#2/cc | 6'])
    said.open?.({ run, step: 'cc', label: 'build#2/cc', top: 'build' }, 'stdout', '50%')
    expect(said.of('build').at(-1)).to.equal('#2/cc | 50%')
    said.open?.({ run, step: 'cc', label: 'build#2/cc', top: 'build' }, 'stdout', '')
    expect(said.of('build').at(-1)).to.equal('#2/cc | 6')
    expect(said.of('other')).to.deep.equal([])
  })
})
