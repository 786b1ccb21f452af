/** When the logs of a process were written, as those that hold it note it. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { expect } from 'chai'
import { readState } from '../../../src/executors/processes/state-file.ts'
import { logTimes, timesPath } from '../../../src/platform/log-times.ts'
import { hurried, launcherBench, sh } from '../../support/executors/launched.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

/** A line with its own second, on both streams, three times a second. */
const TICKS = 'for n in 1 2 3 4 5 6 7 8 9; do date +%s; date +%s >&2; sleep 0.35; done'

const IDLE = new Int32Array(new SharedArrayBuffer(4))

describe('launcher › times of logs', () => {
  const { jobOf, launch, open } = launcherBench()

  /** How many seconds each line, which says its own, is away from what is noted of it. */
  async function errorsOf(path: string): Promise<number[]> {
    const times = await logTimes(path, await stat(path))
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    let offset = 0
    return lines.map((line) => {
      const noted = times.at(offset) ?? Number.NaN
      offset += Buffer.byteLength(line) + 1
      return noted - Number(line)
    })
  }

  const linesOf = (path: string): number =>
    existsSync(timesPath(path)) ? readFileSync(timesPath(path), 'utf8').split('\n').length - 1 : 0

  it('each line has the second in which it was written, on both streams, up to the end', async function () {
    this.retries(WHEN_BUSY)
    const job = jobOf({ argv: sh(TICKS) })
    await launch(job).ended
    for (const path of [job.stdout, job.stderr]) {
      const errors = await eventually('all of it is noted', async () => {
        const found = await errorsOf(path)
        return found.includes(Number.NaN) ? undefined : found
      })
      expect(
        errors.map(Math.abs).filter((error) => error > 1),
        errors.join(' ')
      ).to.deep.equal([])
      expect(linesOf(path)).to.be.within(2, 10)
      expect(statSync(timesPath(path)).mode & 0o777).to.equal(0o600)
    }
  })
  it('lines that are written when the engine has gone have their seconds all the same', async function () {
    this.retries(WHEN_BUSY)
    const other = open()
    const job = jobOf({ argv: sh(TICKS) })
    await other.launch(job).began
    await other.close()
    await eventually('its end is on record', () => (readState(job.state).state === 'ended' ? true : undefined))
    const errors = await errorsOf(job.stdout)
    expect(errors).to.have.length(9)
    expect(
      errors.map(Math.abs).filter((error) => !(error <= 1)),
      errors.join(' ')
    ).to.deep.equal([])
  })
  it('masked output is noted where it is written', async () => {
    const job = jobOf({ argv: sh('echo word; sleep 2.1; echo word'), masking: { values: { PASS: 'word' } } })
    await launch(job).ended
    expect(readFileSync(job.stdout, 'utf8')).not.to.contain('word')
    await eventually('both lines are noted', () => (linesOf(job.stdout) >= 2 ? true : undefined))
  })
  it('a stream that says nothing has no file beside it', async () => {
    const job = jobOf({ argv: sh('sleep 1.2; echo once') })
    await launch(job).ended
    await eventually('stdout is noted', () => existsSync(timesPath(job.stdout)) || undefined)
    expect(existsSync(timesPath(job.stderr))).to.equal(false)
  })
  it('what an earlier execution wrote keeps its own second', async () => {
    const job = jobOf({ argv: sh('echo new') })
    appendFileSync(job.stdout, 'old\n')
    utimesSync(job.stdout, 1_700_000_000, 1_700_000_000)
    await launch(job).ended
    const times = await eventually('it is noted', async () =>
      existsSync(timesPath(job.stdout)) ? logTimes(job.stdout, await stat(job.stdout)) : undefined
    )
    expect(times.at(0)).to.equal(1_700_000_000)
    expect(times.at(4)).to.be.greaterThan(1_700_000_000)
  })
  it('a step that is over before the engine has come further has its seconds noted all the same', async () => {
    const job = jobOf({ argv: sh('echo new; echo new >&2') })
    const logs = [job.stdout, job.stderr]
    for (const path of logs) {
      appendFileSync(path, 'old\n')
      utimesSync(path, 1_700_000_000, 1_700_000_000)
    }
    /** The first look at it takes until the step has written, or as long as a busy processor may keep the engine. */
    let until = 0
    const now = () => {
      until ||= Date.now() + 500
      while (Date.now() < until && logs.some((path) => statSync(path).size < 8)) Atomics.wait(IDLE, 0, 0, 5)
      return Date.now()
    }
    const other = open({ clock: { ...hurried, now } })
    await other.launch(job).ended
    await eventually('both are noted', () => (logs.every((path) => linesOf(path) === 2) ? true : undefined))
    await other.close()
  })
  it('a job that is over at once costs no file', async function () {
    this.retries(WHEN_BUSY)
    const jobs = Array.from({ length: 20 }, () => jobOf({ argv: sh('echo short') }))
    await Promise.all(jobs.map((job) => launch(job).ended))
    // Some may have been at work when a second ended.
    expect(jobs.filter(({ stdout }) => existsSync(timesPath(stdout))).length).to.be.lessThan(20)
  })
  it('a pipe in place of the file of times stops nobody', async () => {
    const job = jobOf({ argv: sh('echo a; sleep 1.2; echo b') })
    expect(spawnSync('mkfifo', [timesPath(job.stdout)]).status).to.equal(0)
    expect(await launch(job).ended).to.include({ exitCode: 0 })
  })
})
