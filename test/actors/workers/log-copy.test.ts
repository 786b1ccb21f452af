/** Logs of a step on a worker, copied here. Source: distribution 5, D9, D10. */
import { appendFileSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openDiskSpace } from '../../../src/actors/pace/disk-space.ts'
import { openLogCopy } from '../../../src/actors/workers/tasks/log-copy.ts'
import { Unanswered } from '../../../src/bus/bus.ts'
import { systemClock } from '../../../src/clock.ts'
import { logTimes } from '../../../src/platform/log-times.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

const tails = (out: string) => ({ stdout: { data: Buffer.from(out) }, stderr: { data: Buffer.alloc(0) } })

/** @param part bytes that one question brings */
function given(part = 10) {
  const folder = temporaryFolder()
  const paths = { stdout: join(folder, 'a.out'), stderr: join(folder, 'a.err') }
  for (const path of Object.values(paths)) writeFileSync(path, '')
  const there = { stdout: '', stderr: '' }
  const asked: string[] = []
  const failures: Error[] = []
  /** Of stdout there: epoch seconds, and its size by then. */
  const seconds: [second: number, to: number][] = []
  const secondsOf = (from: number, length: number) =>
    seconds
      .filter(([, to], index) => to > from && (seconds[index - 1]?.[1] ?? 0) < from + length)
      .map(([second, to]) => ({ agoMs: clock.now() - second * 1_000, to: Math.min(to, from + length) }))
  const leaving = new AbortController()
  const clock = simulatedClock()
  const open = (resumed = false) =>
    openLogCopy(
      {
        clock,
        diskSpace: openDiskSpace(systemClock),
        paths,
        record: join(folder, 'a.1.copied'),
        task: {
          async read(stream, from) {
            asked.push(`${stream} ${from}`)
            const failure = failures.pop()
            if (failure) throw failure
            if (stream === 'result') throw new Error('nobody asks for that')
            const all = Buffer.from(there[stream])
            const data = all.subarray(from, from + part)
            return { size: all.length, data, ...(seconds.length > 0 ? { seconds: secondsOf(from, data.length) } : {}) }
          }
        },
        leaving: leaving.signal
      },
      resumed
    )
  /** The second that each byte of stdout here was written in. */
  const written = async () => {
    const times = await logTimes(paths.stdout, statSync(paths.stdout))
    return Array.from(readFileSync(paths.stdout), (_, offset) => times.at(offset))
  }
  return {
    seconds,
    secondsOf,
    written,
    paths,
    there,
    asked,
    failures,
    leaving,
    open,
    clock,
    out: () => readFileSync(paths.stdout, 'utf8')
  }
}

describe('actors › copies of logs', () => {
  it('D9 all of it is here, in parts, behind what was there before on both sides', async () => {
    const { there, open, out, paths } = given()
    writeFileSync(paths.stdout, 'of an earlier execution\n')
    there.stdout = `something else\n${'0123456789'.repeat(10)}`
    const copy = open()
    copy.began({ stdout: 15, stderr: 0 })
    await copy.all({ stdout: 115, stderr: 0 }, {})
    expect(out()).to.equal(`of an earlier execution\n${'0123456789'.repeat(10)}`)
  })
  it('D9 all of it is here, whatever word of an earlier size comes while its end is being heard', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const { there, open, out } = given()
      there.stdout = '0123456789abcdefghij'
      const copy = open()
      copy.began({ stdout: 0, stderr: 0 })
      await copy.all({ stdout: 10, stderr: 0 }, {})
      const whole = copy.all({ stdout: 20, stderr: 0 }, {})
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      copy.upTo({ stdout: 10, stderr: 0 })
      await whole
      expect(out(), `${turns} turns`).to.equal(there.stdout)
    }
  })
  it('D8 an engine that was killed between two parts goes on where the file ends', async () => {
    const { there, open, out } = given()
    there.stdout = '0123456789abcdefghijABCDEFGHIJ'
    const first = open()
    first.began({ stdout: 0, stderr: 0 })
    await first.all({ stdout: 13, stderr: 0 }, {})
    expect(out()).to.equal('0123456789abcdefghij')
    const second = open(true)
    second.began({ stdout: 0, stderr: 0 })
    await second.all({ stdout: 30, stderr: 0 }, {})
    expect(out()).to.equal(there.stdout)
  })
  it('what is short comes with the end: nothing is asked for, and nothing is there twice', async () => {
    const { open, out, asked, there } = given()
    const copy = open()
    copy.began({ stdout: 3, stderr: 0 })
    await copy.all({ stdout: 8, stderr: 0 }, tails('hello'))
    expect([out(), asked]).to.deep.equal(['hello', []])
    const again = open(true)
    again.began({ stdout: 3, stderr: 0 })
    await again.all({ stdout: 8, stderr: 0 }, tails('hello'))
    expect(out()).to.equal('hello')
    there.stdout = ''
  })
  it('D10 it follows a log that grows, one question at a time for each stream', async () => {
    const { open, out, there, asked } = given(1_000)
    const copy = open()
    copy.began({ stdout: 0, stderr: 0 })
    for (let n = 1; n <= 20; n++) {
      there.stdout += 'x'.repeat(50)
      copy.upTo({ stdout: 50 * n, stderr: 0 })
    }
    await copy.all({ stdout: 1_000, stderr: 0 }, {})
    expect(out()).to.equal('x'.repeat(1_000))
    expect(asked.length).to.be.at.most(2)
  })
  it('of a long one two parts are on their way at a time, and a part that is short is asked for again from there', async () => {
    const { there, open, out, asked } = given(262_144)
    there.stdout = 'x'.repeat(600_000)
    const copy = open()
    copy.began({ stdout: 0, stderr: 0 })
    await copy.all({ stdout: 600_000, stderr: 0 }, {})
    expect(out()).to.equal(there.stdout)
    expect(asked).to.deep.equal(['stdout 0', 'stdout 262144', 'stdout 524288'])
    const short = given(200_000)
    short.there.stdout = `${'x'.repeat(300_000)}${'y'.repeat(300_000)}`
    const other = short.open()
    other.began({ stdout: 0, stderr: 0 })
    await other.all({ stdout: 600_000, stderr: 0 }, {})
    expect(short.out()).to.equal(short.there.stdout)
  })
  it('a worker that does not answer is asked again; one that has less than it said ends the copy', async () => {
    const { open, out, there, failures, clock } = given(1_000)
    there.stdout = 'all there is'
    failures.push(new Unanswered('timeout'))
    const copy = open()
    copy.began({ stdout: 0, stderr: 0 })
    const all = copy.all({ stdout: 500, stderr: 0 }, {})
    for (let n = 0; n < 5; n++) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      clock.goTo(clock.now() + 2_000)
    }
    await all
    expect(out()).to.equal('all there is')
  })
  it('somebody who makes the log here shorter loses that part, and no more', async () => {
    const { open, out, there, paths } = given(1_000)
    there.stdout = '0123456789'
    const copy = open()
    copy.began({ stdout: 0, stderr: 0 })
    await copy.all({ stdout: 10, stderr: 0 }, {})
    writeFileSync(paths.stdout, '')
    appendFileSync(paths.stdout, '')
    await copy.all({ stdout: 10, stderr: 0 }, {})
    expect(out()).to.equal('0123456789')
  })
  it('each byte here has the second in which the worker wrote it, however it came, and that of an earlier execution keeps its own', async () => {
    const { there, seconds, secondsOf, written, open, paths, clock } = given()
    const base = Math.floor(clock.now() / 1_000) - 1_000
    writeFileSync(paths.stdout, 'old')
    utimesSync(paths.stdout, base - 5_000, base - 5_000)
    there.stdout = `before${'a'.repeat(7)}${'b'.repeat(15)}${'c'.repeat(5)}`
    seconds.push([base - 9, 6], [base, 13], [base + 400, 28], [base + 900, 33])
    const wanted = [
      ...Array(3).fill(base - 5_000),
      ...Array(7).fill(base),
      ...Array(15).fill(base + 400),
      ...Array(5).fill(base + 900)
    ]
    const first = open()
    first.began({ stdout: 6, stderr: 0 })
    await first.all({ stdout: 17, stderr: 0 }, {})
    expect(await written()).to.deep.equal(wanted.slice(0, 23))
    truncateSync(paths.stdout, 18) // a power cut: the notes are there, and not all that they are about
    const second = open(true)
    second.began({ stdout: 6, stderr: 0 })
    const data = Buffer.from(there.stdout.slice(6))
    await second.all({ stdout: 33, stderr: 0 }, { stdout: { data, seconds: secondsOf(6, 27) } })
    expect(readFileSync(paths.stdout, 'utf8')).to.equal(`old${there.stdout.slice(6)}`)
    expect(await written()).to.deep.equal(wanted)
  })
})
