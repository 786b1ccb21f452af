/** Run logs. Source: execution-semantics 14.2. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openRunLogs } from '../../../src/actors/run/run-log.ts'
import { makeLogFolder } from '../../../src/platform/make-folder.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

describe('run logs', () => {
  const folder = temporaryFolder()
  const clock = simulatedClock()
  const faults: string[] = []
  const logs = openRunLogs(clock, (path) => faults.push(path))
  const logOf = (run: string) => join(folder, 'logs', run, 'run.log')

  it('the lines of every log reach its file, in order, and the folder is made by the first one', async () => {
    const runs = Array.from({ length: 120 }, (_, at) => `r${at}`)
    for (const run of runs) logs.write(logOf(run), 'INFO', 'run started', { run })
    for (const run of runs) logs.write(logOf(run), 'INFO', 'run finished', { run })
    expect(existsSync(logOf('r0'))).to.equal(false)
    await logs.flushed()
    for (const run of runs)
      expect(readFileSync(logOf(run), 'utf8').match(/msg="[^"]*" run=\w+/g)).to.deep.equal([
        `msg="run started" run=${run}`,
        `msg="run finished" run=${run}`
      ])
    expect(statSync(logOf('r0')).mode & 0o777).to.equal(0o600)
    expect(faults).to.deep.equal([])
  })

  it('are written 200 ms later at most, or when one is asked for', async () => {
    logs.write(logOf('late'), 'WARN', 'late')
    logs.write(logOf('asked'), 'WARN', 'asked')
    await logs.flushed(logOf('asked'))
    expect([existsSync(logOf('asked')), existsSync(logOf('late'))]).to.deep.equal([true, false])
    clock.goTo(clock.now() + 200)
    expect(existsSync(logOf('late'))).to.equal(true)
  })

  it('one that cannot be written is reported, and the others are written', async () => {
    writeFileSync(join(folder, 'file'), '')
    const bad = join(folder, 'file', 'run.log')
    logs.write(bad, 'INFO', 'lost')
    logs.write(logOf('good'), 'INFO', 'kept')
    await logs.flushed()
    expect(faults).to.deep.equal([bad])
    expect(existsSync(logOf('good'))).to.equal(true)
  })

  it('a pipe in place of one is reported, and nothing waits for its reader', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    logs.write(pipe, 'INFO', 'lost')
    await logs.flushed()
    expect(faults.at(-1)).to.equal(pipe)
  })

  it('the folder of a log may be there, and a file in its place is an error', () => {
    const path = join(folder, 'a', 'b', 'c')
    makeLogFolder(path)
    makeLogFolder(path)
    expect(statSync(path).isDirectory()).to.equal(true)
    expect(() => makeLogFolder(join(folder, 'file'))).to.throw('EEXIST')
    expect(() => makeLogFolder(join(folder, 'file', 'x'))).to.throw('ENOTDIR')
  })
})
