/** Lines of several logs by time: which comes first, and what a line is. */
import { appendFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { timesPath } from '../../src/platform/log-times.ts'
import { lineText, type MergedSource, mergedLines } from '../../src/platform/merged-lines.ts'
import { temporaryFolder } from '../support/homes.ts'

const BEGAN = 1_700_000_000

describe('merged lines', () => {
  const folder = temporaryFolder()
  let count = 0

  /** @param times lines of `SECOND BYTES`, seconds counted from the beginning; absent: nothing is known of it */
  function logOf(
    text: string | Buffer,
    times?: [second: number, bytes: number][],
    more: Partial<MergedSource> = {}
  ): MergedSource {
    const path = join(folder, `${++count}.out`)
    writeFileSync(path, text)
    utimesSync(path, BEGAN + 1_000, BEGAN + 1_000)
    if (times) writeFileSync(timesPath(path), times.map(([second, bytes]) => `${BEGAN + second} ${bytes}\n`).join(''))
    return { path, startedAt: BEGAN * 1000, from: 0, isDone: true, ...more }
  }
  async function linesOf(sources: MergedSource[], since?: number): Promise<string[]> {
    const found: string[] = []
    for await (const { lines } of mergedLines(sources, since))
      for (const { bytes } of lines) found.push(lineText(bytes, 'utf-8'))
    return found
  }

  it('by second; within one by the order of the logs, and within a log as written', async () => {
    const a = logOf('a0\na5\na5b\n', [
      [0, 3],
      [5, 10]
    ])
    const b = logOf('b1\nb5\nb9\n', [
      [1, 3],
      [5, 6],
      [9, 9]
    ])
    expect(await linesOf([a, b])).to.deep.equal(['a0', 'b1', 'a5', 'a5b', 'b5', 'b9'])
    expect(await linesOf([b, a])).to.deep.equal(['a0', 'b1', 'b5', 'a5', 'a5b', 'b9'])
    expect(await linesOf([a, b], BEGAN + 5)).to.deep.equal(['a5', 'a5b', 'b5', 'b9'])
  })
  it('of a log without times all lines count for the start of its writer, and none is left out', async () => {
    const known = logOf('k0\nk9\n', [
      [0, 3],
      [9, 6]
    ])
    const unknown = logOf('u\nv\n', undefined, { startedAt: (BEGAN + 4) * 1000 })
    expect(await linesOf([known, unknown])).to.deep.equal(['k0', 'u', 'v', 'k9'])
    expect(await linesOf([unknown], BEGAN + 500)).to.deep.equal(['u', 'v'])
  })
  it('a clock that was set back keeps the lines of a log in order', async () => {
    const back = logOf('x8\ny2\n', [
      [8, 3],
      [2, 6]
    ])
    const other = logOf('o5\n', [[5, 3]])
    expect(await linesOf([back, other])).to.deep.equal(['o5', 'x8', 'y2'])
  })
  it('the end of a line that is still written waits; of one whose writer is done it is a line', async () => {
    const open = logOf('whole\nhal', undefined, { isDone: false })
    expect(await linesOf([open])).to.deep.equal(['whole'])
    expect(await linesOf([{ ...open, isDone: true }])).to.deep.equal(['whole', 'hal'])
    appendFileSync(open.path, 'f\n')
    expect(await linesOf([{ ...open, from: 6 }])).to.deep.equal(['half'])
  })
  it('a line above 64 KiB comes in pieces, none of which cuts a character; carriage returns at the end go', async () => {
    const long = 'ä'.repeat(100_000)
    const found = await linesOf([logOf(`${long}\r\nshort\r\n\nlast`)])
    expect(found.slice(-3)).to.deep.equal(['short', '', 'last'])
    expect(found.slice(0, -3).join('')).to.equal(long)
    expect(found.length).to.be.greaterThan(4)
  })
  it('a log that is missing, a folder or empty has no lines', async () => {
    const missing = { path: join(folder, 'none'), startedAt: 0, from: 0, isDone: true }
    expect(await linesOf([missing, { ...missing, path: folder }, logOf(''), logOf('one\n')])).to.deep.equal(['one'])
  })
  it('each part says of which log it is, and where its lines end', async () => {
    const ends: [number, number[]][] = []
    for await (const { source, lines } of mergedLines([logOf('ab\nc\n'), logOf('d\n')]))
      ends.push([source, lines.map(({ end }) => end)])
    expect(ends).to.deep.equal([
      [0, [3, 5]],
      [1, [2]]
    ])
  })
})
