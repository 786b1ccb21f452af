/** Processes that nobody reports on. Source: architecture 4, 5. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readRecord } from '../../../src/executors/processes/state-file.ts'
import { openWatches } from '../../../src/executors/processes/watch-state.ts'
import { bootId } from '../../../src/platform/process-identity.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

describe('watched records', () => {
  const folder = temporaryFolder()
  const clock = simulatedClock()
  let count = 0
  const ours = () => readFileSync('/proc/self/stat', 'utf8').trim()
  /** No process ever has this pid. */
  const NOBODY = 4_194_305
  /** Of a process that is gone. @param holder pid of the one that began its session */
  const gone = (holder: number) => ours().replace(/^\d+ (.*\) \S+ \d+ \d+) \d+/, `${NOBODY} $1 ${holder}`)
  /** A record as a holder begins it. @param stat of a process; default: one that is gone, whose holder is not */
  function record(stat = gone(process.pid), boot = bootId()): string {
    const path = join(folder, `${++count}.state`)
    writeFileSync(path, `${boot} 7 ${stat}\n`)
    return path
  }
  const soon = () => new Promise((resolve) => setImmediate(resolve))
  async function pass(ms: number): Promise<void> {
    for (const end = clock.now() + ms; clock.now() < end; await soon()) clock.goTo(clock.now() + 100)
  }
  /** What the watch has resolved with so far. */
  function watched(path: string, seen = readRecord(path)) {
    const told: { end?: unknown; began: number[] } = { began: [] }
    const watches = openWatches(clock, folder)
    void watches
      .watch(path, (at) => told.began.push(at), seen)
      .then((end) => {
        told.end = end ?? 'unknown'
      })
    return { told, close: watches.close }
  }

  it('P9 an end that is on record is taken at once', async () => {
    const path = record()
    appendFileSync(path, '3 0\n')
    const { told } = watched(path)
    await soon()
    expect(told.end).to.deep.include({ exitCode: 3, signaled: false })
  })
  it('P10 one that is gone, and whose holder is none of ours and writes nothing within a second, is unknown', async () => {
    const { told } = watched(record())
    await pass(900)
    expect(told.end).to.equal(undefined)
    await pass(200)
    expect(told.end).to.equal('unknown')
  })
  describe('whose holder is seen to be there, as it waits for what masks the output', () => {
    let holder: ChildProcess
    beforeEach(() => {
      const own = join(folder, 'own') // an engine's
      mkdirSync(own, { recursive: true })
      holder = spawn('sh', ['-c', 'read line'], { cwd: own, stdio: ['pipe', 'ignore', 'ignore'], detached: true })
    })
    afterEach(async () => {
      if (holder.exitCode === null && holder.kill('SIGKILL')) await once(holder, 'exit')
    })
    const held = () => record(gone(holder.pid as number))

    it('P9 has the end that it writes then', async () => {
      const path = held()
      const { told } = watched(path)
      await pass(30_000)
      expect(told.end).to.equal(undefined)
      appendFileSync(path, '0 0\n')
      await pass(100)
      expect(told.end).to.deep.include({ exitCode: 0 })
    })
    it('P10 is unknown when that goes without a word', async () => {
      const { told } = watched(held())
      await pass(3_000)
      holder.stdin?.end()
      await once(holder, 'exit')
      await pass(200)
      expect(told.end).to.equal('unknown')
    })
    it('P10 is unknown when that waits for longer than it ever does', async () => {
      const { told } = watched(held())
      await pass(61_500)
      expect(told.end).to.equal('unknown')
    })
  })
  it('P8 one whose holder is gone too is unknown at once', async () => {
    const { told } = watched(record(gone(NOBODY)))
    await soon()
    expect(told.end).to.equal('unknown')
  })
  it('P8 one of another boot of the machine is unknown at once', async () => {
    const { told } = watched(record(gone(process.pid), 'another-boot'))
    await soon()
    expect(told.end).to.equal('unknown')
  })
  it('one whose holder cannot be seen from here is waited for like any other', async () => {
    const { told } = watched(record(gone(0)))
    await pass(900)
    expect(told.end).to.equal(undefined)
  })
  it('P9 an end that its holder wrote before it went, after the look of the asker, counts', async () => {
    const path = record(gone(NOBODY))
    const seen = readRecord(path)
    appendFileSync(path, '4 0\n')
    const { told } = watched(path, seen)
    await soon()
    expect(told.end).to.deep.include({ exitCode: 4 })
  })
  it('P9 an end that its holder writes within that second counts', async () => {
    const path = record()
    const { told } = watched(path)
    await pass(500)
    appendFileSync(path, '0 0\n')
    await pass(100)
    expect(told.end).to.deep.include({ exitCode: 0 })
  })
  it('what is written between the look of the asker and the watch is not missed', async () => {
    const path = record()
    const seen = readRecord(path)
    appendFileSync(path, '5 0\n')
    const { told } = watched(path, seen)
    await pass(100)
    expect(told.end).to.deep.include({ exitCode: 5 })
  })
  it('one that lives is watched as long as it does', async () => {
    const path = record(ours())
    const { told } = watched(path)
    await pass(5_000)
    expect(told.end).to.equal(undefined)
    expect(told.began).to.have.length(1)
    appendFileSync(path, '0 0\n')
    await pass(100)
    expect(told.end).to.deep.include({ exitCode: 0 })
  })
  it('a job that never began may still begin in that second', async () => {
    const path = join(folder, 'late.state')
    const { told } = watched(path)
    await pass(500)
    writeFileSync(path, `${bootId()} 0 ${ours()}\n`)
    await pass(2_000)
    expect(told.began).to.have.length(1)
    expect(told.end).to.equal(undefined)
  })
  it('thousands are looked at in parts, each of them', async () => {
    const watches = openWatches(clock, folder)
    const paths = Array.from({ length: 250 }, () => record())
    let ended = 0
    for (const path of paths) void watches.watch(path).then(() => ended++)
    await pass(500)
    for (const path of paths) appendFileSync(path, '0 0\n')
    await pass(300)
    expect(ended).to.equal(250)
  })
  it('closed, it tells nobody any more', async () => {
    const { told, close } = watched(record())
    close()
    await pass(2_000)
    expect(told.end).to.equal(undefined)
  })
})
