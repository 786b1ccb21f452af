/** The launcher, which holds all steps at once: what it outlives, what becomes of steps without it, and what it may know. Source: architecture 4, reliability 3.1. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { nativeLauncher } from '../../../src/executors/launcher/native-binary.ts'
import { readState } from '../../../src/executors/processes/state-file.ts'
import { survivors } from '../../../src/executors/processes/survivor.ts'
import { textOf } from '../../support/engine/live.ts'
import { ENVIRONMENT, hurried, launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, lives, pidIn } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

describe('launcher › outlives its engine', () => {
  const { folder, open, jobOf, outcome, holderOf } = launcherBench()
  /** A step that lives until the file is there. */
  const until = (gate: string, code: number) =>
    sh(`while [ ! -e ${join(folder, gate)} ]; do sleep 0.02; done; exit ${code}`)
  const release = (gate: string) => writeFileSync(join(folder, gate), '')

  it('one that is killed: its steps live on, their outcome is unknown, and a new one holds what comes', async () => {
    const other = open()
    try {
      const holder = await holderOf(other)
      const jobs = [jobOf({ argv: until('killed', 0) }), jobOf({ argv: until('killed', 0) })]
      const held = jobs.map((job) => other.launch(job))
      await Promise.all(held.map(({ began }) => began))
      process.kill(holder, 'SIGKILL')
      await gone(holder)
      expect(jobs.map(({ state }) => readState(state).state)).to.deep.equal(['alive', 'alive'])
      expect(await holderOf(other)).not.to.equal(holder)
      release('killed')
      for (const { ended } of held)
        expect(await ended.catch((error: Error) => error)).to.have.property('message', 'interrupted: outcome unknown')
    } finally {
      await other.close()
    }
  })

  it('one that is killed: how a step ended is taken from the record, if anything is there', async () => {
    const other = open()
    try {
      const job = jobOf({ argv: sh('echo $$; exec sleep 60') })
      const held = other.launch(job)
      const pid = await pidIn(job.stdout)
      const holder = await holderOf(other)
      process.kill(holder, 'SIGKILL')
      await gone(holder)
      appendFileSync(job.state, '7 0\n')
      process.kill(pid, 'SIGKILL')
      expect(await held.ended).to.include({ exitCode: 7, signaled: false })
    } finally {
      await other.close()
    }
  })

  it('a job whose launcher is killed before it read it begins all the same, once', async () => {
    const other = open()
    try {
      const holder = await holderOf(other)
      process.kill(holder, 'SIGSTOP')
      const job = jobOf({ argv: sh('echo ran; exit 5') })
      const held = other.launch(job)
      process.kill(holder, 'SIGKILL')
      expect(await held.ended).to.include({ exitCode: 5 })
      expect(textOf(job.stdout)).to.equal('ran\n')
    } finally {
      await other.close()
    }
  })

  it('what asks a process to end does not end it: a step that asks its parent costs no other step its end', async () => {
    const other = open()
    try {
      const holder = await holderOf(other)
      const lasting = jobOf({ argv: until('asked', 6) })
      const held = other.launch(lasting)
      await held.began
      for (const signal of ['HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'ALRM', 'TERM']) {
        const { ended } = other.launch(jobOf({ argv: sh(`kill -${signal} $PPID; kill -${signal} $$; exit 7`) }))
        expect(await ended).to.deep.include({ exitCode: 128 + constants.signals[`SIG${signal}` as NodeJS.Signals] })
      }
      release('asked')
      expect(await held.ended).to.include({ exitCode: 6 })
      expect(await holderOf(other)).to.equal(holder)
    } finally {
      await other.close()
    }
  })

  it('goes on when the engine has gone, writes down each end, and goes when it holds nothing', async () => {
    const first = open()
    const holder = await holderOf(first)
    const jobs = [3, 4].map((code) => jobOf({ argv: until(`gate-${code}`, code) }))
    for (const job of jobs) await first.launch(job).began
    await first.close()
    for (const [index, code] of [3, 4].entries()) {
      expect([lives(holder), readState(jobs[index]?.state ?? '').state]).to.deep.equal([true, 'alive'])
      release(`gate-${code}`)
      const end = await eventually('the record', () => {
        const found = readState(jobs[index]?.state ?? '')
        return found.state === 'ended' ? found.end : undefined
      })
      expect(end).to.include({ exitCode: code, signaled: false })
    }
    await gone(holder)
  })

  it('goes with its engine when it holds nothing, and the folder with it', async () => {
    const own = join(temporaryFolder(), 'own')
    const idle = open({ folder: own })
    const holder = await holderOf(idle)
    await idle.close()
    await gone(holder)
    expect(existsSync(own)).to.equal(false)
  })

  it('masked and copied output goes through processes between the step and its logs, which are its children too', async () => {
    const copy = join(folder, 'copy')
    const job = jobOf({ argv: sh('echo out; cat /proc/$PPID/cmdline'), copies: { stdout: copy } })
    const other = open()
    try {
      expect((await outcome(job, other.launch(job))).stdout).to.match(/^out\ntroupe-launcher\0/)
      expect(textOf(copy)).to.equal(textOf(job.stdout))
    } finally {
      await other.close()
    }
  })

  it('knows no value of a variable once the step has begun, and no file ever holds one', async () => {
    const own = join(temporaryFolder(), 'own')
    const other = open({ folder: own })
    try {
      const holder = await holderOf(other)
      const canary = `canary-${process.pid}-${Date.now()}`
      const job = jobOf({
        argv: sh('echo "$TOKEN"'),
        env: { PATH: ENVIRONMENT.PATH, TOKEN: canary },
        isSecret: true
      })
      job.argv.push(canary)
      expect((await outcome(job, other.launch(job))).stdout).to.contain(canary)
      const running = other.launch(jobOf({ argv: until('known', 0), isSecret: true }))
      await running.began
      expect(memoryOf(holder)).to.contain('.state').and.to.not.contain(canary)
      release('known')
      await running.ended
      expect(readdirSync(own).filter((file) => file.startsWith('j'))).to.deep.equal([])
    } finally {
      await other.close()
    }
  })

  it('steps that it holds are found by their variables below the folder of holders', async () => {
    const parent = temporaryFolder()
    const other = open({ folder: join(parent, 'own') })
    try {
      await holderOf(other)
      const job = jobOf({ argv: sh('echo $$; exec sleep 60') })
      Object.assign(job.env, { DAG_RUN_STEP_STDOUT_FILE: job.stdout })
      const held = other.launch(job)
      const pid = await pidIn(job.stdout)
      expect(survivors(parent).get(job.stdout)?.pid).to.equal(pid)
      process.kill(pid, 'SIGKILL')
      await held.ended
    } finally {
      await other.close()
    }
  })

  it('one that is paused is noticed within 5 s, and what it holds is not lost', async () => {
    const other = open({ clock: systemClock })
    try {
      const holder = await holderOf(other)
      const held = other.launch(jobOf({ argv: until('paused', 3) }))
      await held.began
      process.kill(holder, 'SIGSTOP')
      const pausedAt = Date.now()
      const next = other.launch(jobOf({ argv: sh('exit 4') }))
      expect(await next.ended).to.include({ exitCode: 4 })
      expect(Date.now() - pausedAt).to.be.below(5_000)
      release('paused')
      expect(await held.ended).to.include({ exitCode: 3, signaled: false })
      expect(await holderOf(other), 'woken, not replaced').to.equal(holder)
    } finally {
      await other.close()
    }
  })

  it('one that is killed, and its folder removed, is replaced', async () => {
    const own = join(temporaryFolder(), 'all', 'own')
    const other = open({ folder: own })
    try {
      const holder = await holderOf(other)
      rmSync(join(own, '..'), { recursive: true })
      process.kill(holder, 'SIGKILL')
      await gone(holder)
      const job = jobOf({ argv: sh('cat /proc/$PPID/cmdline') })
      expect((await outcome(job, other.launch(job))).stdout).to.match(/^troupe-launcher\0/)
    } finally {
      await other.close()
    }
  })

  it('one that does not answer is replaced; when it comes back, it does not begin again what the other has begun', async () => {
    const late = join(temporaryFolder(), 'late')
    writeFileSync(
      late,
      `#!/bin/sh\nif mkdir ${late}.first 2>/dev/null; then while [ ! -e ${folder}/back ]; do sleep 0.02; done; fi\nexec ${nativeLauncher()} "$@"\n`,
      { mode: 0o755 }
    )
    const other = open({ native: late, clock: systemClock })
    try {
      const begun = join(folder, 'begun')
      const next = other.launch(jobOf({ argv: sh(`echo x >>${begun}; exit 4`) }))
      expect(await next.ended).to.include({ exitCode: 4 })
      release('back')
      const after = jobOf({ argv: sh('exit 5') })
      expect(await other.launch(after).ended).to.include({ exitCode: 5 })
      expect(textOf(begun)).to.equal('x\n')
    } finally {
      await other.close()
    }
  })

  it('where it cannot be executed, each step fails with the reason; once it can be, the next ones run', async () => {
    const refused = join(temporaryFolder(), 'refused')
    writeFileSync(refused, 'no program', { mode: 0o644 })
    const exits = join(temporaryFolder(), 'exits')
    writeFileSync(exits, '#!/bin/sh\nexit 3\n', { mode: 0o755 })
    for (const path of [refused, exits, join(folder, 'none')]) {
      let elapsed = 0
      const poor = open({ native: path, clock: { ...hurried, elapsed: () => elapsed } })
      try {
        const jobs = Array.from({ length: 20 }, () => poor.launch(jobOf({ argv: sh('exit 4') })).ended)
        for (const said of await Promise.all(jobs.map((ended) => ended.catch(({ message }: Error) => message))))
          expect(said)
            .to.match(/^steps cannot be started: the launcher \S+ cannot run here: .*; install or build Troupe again$/)
            .and.contain(path)
        rmSync(path, { force: true })
        symlinkSync(nativeLauncher(), path)
        elapsed += 5_000
        expect(await poor.launch(jobOf({ argv: sh('exit 4') })).ended).to.include({ exitCode: 4 })
      } finally {
        await poor.close()
      }
    }
  })
})

/** What it keeps in memory that it can write to. */
function memoryOf(pid: number): string {
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const places = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)
  const parts = [...places].map(([, from, to]) => {
    const start = BigInt(`0x${from}`)
    const part = Buffer.alloc(Number(BigInt(`0x${to}`) - start))
    readSync(memory, part, 0, part.length, start)
    return part.toString('latin1')
  })
  closeSync(memory)
  return parts.join('')
}
