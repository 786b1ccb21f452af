/** When a log was written: what is noted beside it, and what is read from that. */
import { appendFileSync, existsSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { executionPart, logTimes, timesPath } from '../../src/platform/log-times.ts'
import { noteExecution, noteTimes } from '../../src/platform/note-times.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('times of a log', () => {
  const folder = temporaryFolder()
  let count = 0
  const BEGAN = 1_700_000_000

  /** A log of so many bytes that was last written in that second. */
  function logOf(bytes: number, changed: number, times?: string): string {
    const log = join(folder, `${++count}.out`)
    writeFileSync(log, 'x'.repeat(bytes))
    utimesSync(log, changed, changed)
    if (times !== undefined) writeFileSync(timesPath(log), times)
    return log
  }
  const timesOf = async (log: string, startedAt?: number) =>
    logTimes(log, await stat(log), startedAt === undefined ? undefined : startedAt * 1000)

  describe('executions', () => {
    const parts = (log: string, executions: number[], isOnly = false) =>
      Promise.all(executions.map((number) => executionPart(log, number, isOnly)))

    it('each begins where it was noted and ends where the next one begins, with seconds noted in between', async () => {
      const log = logOf(30, BEGAN, `${BEGAN} 10\n#2 10\n${BEGAN} 20\n#3 20\n${BEGAN} 20\n`)
      expect(await parts(log, [1, 2, 3, 4])).to.deep.equal([
        { from: 0, to: 10 },
        { from: 10, to: 20 },
        { from: 20 },
        undefined
      ])
      const times = await timesOf(log)
      expect(times.at(15)).to.equal(BEGAN)
    })
    it('those before the first that was noted at the beginning of the log have written nothing', async () => {
      expect(await parts(logOf(9, BEGAN, '#3 0\n#4 5\n'), [1, 2, 3, 4])).to.deep.equal([
        { from: 0, to: 0 },
        { from: 0, to: 0 },
        { from: 0, to: 5 },
        { from: 5 }
      ])
    })
    it('without a note the only one has written all of it, and of several nothing is known', async () => {
      const log = logOf(9, BEGAN)
      expect(await parts(log, [1, 2], true)).to.deep.equal([{ from: 0 }, undefined])
      expect(await parts(log, [1, 2])).to.deep.equal([undefined, undefined])
      expect(await parts(logOf(9, BEGAN, '#3 4\n'), [1, 2])).to.deep.equal([undefined, undefined])
    })
    it('is noted with the size of the log, of the second and later ones, also of a log that is not there', async () => {
      const log = logOf(7, BEGAN)
      await noteExecution(log, 1)
      expect(existsSync(timesPath(log))).to.equal(false)
      await noteExecution(log, 2)
      const none = join(folder, 'none.out')
      await noteExecution(none, 2)
      expect([log, none].map((path) => readFileSync(timesPath(path), 'utf8'))).to.deep.equal(['#2 7\n', '#2 0\n'])
    })
  })

  describe('read', () => {
    it('a byte has the second of the first line that reaches beyond it', async () => {
      const log = logOf(30, BEGAN + 9, `${BEGAN} 10\n${BEGAN + 3} 20\n${BEGAN + 9} 30\n`)
      const times = await timesOf(log)
      expect([0, 9, 10, 19, 20, 29].map(times.at)).to.deep.equal([0, 0, 3, 3, 9, 9].map((second) => BEGAN + second))
    })
    it('from: everything up to the last line of an earlier second is left out', async () => {
      const times = await timesOf(logOf(30, BEGAN + 9, `${BEGAN} 10\n${BEGAN + 3} 20\n${BEGAN + 9} 30\n`))
      expect([0, 1, 3, 4, 9, 10].map((second) => times.from(BEGAN + second))).to.deep.equal([0, 10, 10, 20, 20, 30])
    })
    it('what no line covers has the second of the last change, when that is at most two seconds away', async () => {
      const near = await timesOf(logOf(20, BEGAN + 2, `${BEGAN} 10\n`))
      expect([near.at(5), near.at(15)]).to.deep.equal([BEGAN, BEGAN + 2])
      const far = await timesOf(logOf(20, BEGAN + 3, `${BEGAN} 10\n`))
      expect([far.at(5), far.at(15)]).to.deep.equal([BEGAN, undefined])
    })
    it('a log without lines: the same, from the start of its writer on; else nothing is known, and nothing left out', async () => {
      const short = await timesOf(logOf(20, BEGAN + 1), BEGAN)
      expect([short.at(5), short.from(BEGAN + 2), short.from(BEGAN + 1)]).to.deep.equal([BEGAN + 1, 20, 0])
      for (const unknown of [await timesOf(logOf(20, BEGAN + 60), BEGAN), await timesOf(logOf(20, BEGAN))])
        expect([unknown.at(5), unknown.from(BEGAN + 100)]).to.deep.equal([undefined, 0])
    })
    it('lines that a crash has cut, glued or filled with anything else are ignored', async () => {
      const cut = ['1', '17000', `${BEGAN}`, `${BEGAN} `, `${BEGAN} 1`, '\0\0\0\0', 'junk']
      for (const half of cut) {
        const times = await timesOf(logOf(30, BEGAN + 9, `${BEGAN} 10\n${half}${BEGAN + 5} 20\n${BEGAN + 9} 30\n`))
        expect([times.at(5), times.at(25)], half).to.deep.equal([BEGAN, BEGAN + 9])
      }
    })
    it('a line without its end is not read before it has one', async () => {
      const log = logOf(30, BEGAN + 90, `${BEGAN} 10\n${BEGAN + 5} 2`)
      expect((await timesOf(log)).at(15)).to.equal(undefined)
      appendFileSync(timesPath(log), '0\n')
      expect((await timesOf(log)).at(15)).to.equal(BEGAN + 5)
    })
    it('a log that was made shorter: what was noted beyond that is forgotten', async () => {
      const log = logOf(30, BEGAN + 9, `${BEGAN} 10\n${BEGAN + 3} 30\n${BEGAN + 5} 12\n${BEGAN + 9} 30\n`)
      const times = await timesOf(log)
      expect([0, 11, 29].map(times.at)).to.deep.equal([BEGAN, BEGAN + 5, BEGAN + 9])
    })
    it('a file of times that was replaced is read anew', async () => {
      const log = logOf(30, BEGAN + 90, `${BEGAN} 10\n${BEGAN + 3} 30\n`)
      expect((await timesOf(log)).at(20)).to.equal(BEGAN + 3)
      truncateSync(timesPath(log))
      appendFileSync(timesPath(log), `${BEGAN + 7} 30\n`)
      expect((await timesOf(log)).at(20)).to.equal(BEGAN + 7)
    })
  })

  describe('noted', () => {
    const linesOf = (log: string) =>
      existsSync(timesPath(log)) ? readFileSync(timesPath(log), 'utf8').split('\n').slice(0, -1) : []
    const at = (second: number) => (BEGAN + second) * 1000 + 500

    it('one line or two for each second in which something was written, the first at once', async () => {
      const log = join(folder, `${++count}.out`)
      const note = noteTimes(log, at(0))
      note.wrote(5, at(0))
      note.wrote(5, at(2))
      note.wrote(5, at(2))
      note.wrote(0, at(3))
      note.wrote(5, at(7))
      await note.end()
      expect(linesOf(log)).to.deep.equal([`${BEGAN} 5`, `${BEGAN + 2} 10`, `${BEGAN + 2} 15`, `${BEGAN + 7} 20`])
    })
    it('nothing for what began and ended in one second, as that is the last change of the log', async () => {
      const log = join(folder, `${++count}.out`)
      const note = noteTimes(log, at(0))
      note.wrote(5, at(0))
      note.wrote(5, at(0))
      await note.end()
      expect(linesOf(log)).to.deep.equal([])
    })
    it('what was there before is noted with its last change, before anything else', async () => {
      const log = logOf(10, BEGAN - 50)
      const note = noteTimes(log, at(0))
      note.wrote(5, at(0))
      await note.end()
      expect(linesOf(log)).to.deep.equal([`${BEGAN - 50} 10`, `${BEGAN} 15`])
    })
    it('a folder that is gone is no failure', async () => {
      const note = noteTimes(join(folder, 'gone', 'a.out'), at(0))
      note.wrote(5, at(1))
      await note.end()
    })
  })
})
