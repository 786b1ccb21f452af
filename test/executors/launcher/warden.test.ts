/** The warden, which holds many steps at once: what it outlives, what becomes of steps without it, and what it may know. Source: architecture 4, reliability 3.1. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openLauncher } from '../../../src/executors/launcher/launcher.ts'
import { readRecord, readState } from '../../../src/executors/processes/state-file.ts'
import { survivors } from '../../../src/executors/processes/survivor.ts'
import { textOf } from '../../support/engine/live.ts'
import { ENVIRONMENT, hurried, launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, lives, pidIn } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

describe('warden', () => {
  const { folder, open, jobOf, launched, outcome, wardenOf } = launcherBench('warden')
  /** A step that lives until the file is there. */
  const until = (gate: string, code: number) =>
    sh(`while [ ! -e ${join(folder, gate)} ]; do sleep 0.02; done; exit ${code}`)
  const release = (gate: string) => writeFileSync(join(folder, gate), '')

  it('holds 300 steps at once; each has a session of its own, and its own end', async () => {
    const many = open(400)
    try {
      const warden = await wardenOf(many)
      const gate = join(folder, 'many')
      execFileSync('mkfifo', [gate])
      const jobs = Array.from({ length: 300 }, (_, index) => jobOf({ argv: sh(`: <${gate}; exit ${index % 256}`) }))
      const held = jobs.map((job) => many.launch(job))
      await Promise.all(held.map(({ began }) => began))
      const records = jobs.map(({ state }) => readRecord(state))
      expect(new Set(records.map(({ holder }) => holder))).to.deep.equal(new Set([warden]))
      expect(new Set(records.map(({ identity }) => identity?.pid)).size).to.equal(300)
      const opened = openSync(gate, 'r+')
      const ends = await Promise.all(held.map(({ ended }) => ended))
      closeSync(opened)
      expect(ends.map(({ exitCode }) => exitCode)).to.deep.equal(jobs.map((_, index) => index % 256))
      expect(jobs.filter(({ state }) => readState(state).state !== 'ended')).to.deep.equal([])
    } finally {
      await many.close()
    }
  })

  it('one that is killed: its steps live on, their outcome is unknown, and a new one holds what comes', async () => {
    const other = open()
    try {
      const warden = await wardenOf(other)
      const jobs = [jobOf({ argv: until('killed', 0) }), jobOf({ argv: until('killed', 0) })]
      const held = jobs.map((job) => other.launch(job))
      await Promise.all(held.map(({ began }) => began))
      process.kill(warden, 'SIGKILL')
      await gone(warden)
      expect(jobs.map(({ state }) => readState(state).state)).to.deep.equal(['alive', 'alive'])
      expect(await wardenOf(other)).not.to.equal(warden)
      release('killed')
      for (const { ended } of held)
        expect(await ended.catch((error: Error) => error)).to.have.property('message', 'interrupted: outcome unknown')
    } finally {
      await other.close()
    }
  })

  it('a job whose warden is killed before it read it begins all the same, once', async () => {
    const other = open()
    try {
      const warden = await wardenOf(other)
      process.kill(warden, 'SIGSTOP')
      const job = jobOf({ argv: sh('echo ran; exit 5') })
      const held = other.launch(job)
      process.kill(warden, 'SIGKILL')
      expect(await held.ended).to.include({ exitCode: 5 })
      expect(textOf(job.stdout)).to.equal('ran\n')
    } finally {
      await other.close()
    }
  })

  it('what asks a process to end does not end it: a step that asks its parent costs no other step its end', async () => {
    const other = open()
    try {
      const warden = await wardenOf(other)
      const lasting = jobOf({ argv: until('asked', 6) })
      const held = other.launch(lasting)
      await held.began
      for (const signal of ['HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'ALRM', 'TERM']) {
        const { ended } = other.launch(jobOf({ argv: sh(`kill -${signal} $PPID; kill -${signal} $$; exit 7`) }))
        expect(await ended).to.deep.include({ exitCode: 128 + constants.signals[`SIG${signal}` as NodeJS.Signals] })
      }
      release('asked')
      expect(await held.ended).to.include({ exitCode: 6 })
      expect(await wardenOf(other)).to.equal(warden)
    } finally {
      await other.close()
    }
  })

  it('jobs that its FIFO has no room for wait', async () => {
    const many = open(10_000)
    try {
      const warden = await wardenOf(many)
      process.kill(warden, 'SIGSTOP')
      const failures: string[] = []
      for (let count = 0; count < 9_000; count++)
        many.launch(jobOf({ argv: sh('exit 0') })).ended.catch((error: Error) => failures.push(error.message))
      process.kill(warden, 'SIGKILL')
      await gone(warden)
      expect(failures).to.deep.equal([])
      expect(many.waiting).to.be.within(1, 8_999)
    } finally {
      await many.close()
    }
  })

  it('goes on when the engine has gone, writes down each end, and goes when it holds nothing', async () => {
    const first = open()
    const warden = await wardenOf(first)
    const jobs = [3, 4].map((code) => jobOf({ argv: until(`gate-${code}`, code) }))
    for (const job of jobs) await first.launch(job).began
    await first.close()
    for (const [index, code] of [3, 4].entries()) {
      expect([lives(warden), readState(jobs[index]?.state ?? '').state]).to.deep.equal([true, 'alive'])
      release(`gate-${code}`)
      const end = await eventually('the record', () => {
        const found = readState(jobs[index]?.state ?? '')
        return found.state === 'ended' ? found.end : undefined
      })
      expect(end).to.include({ exitCode: code, signaled: false })
    }
    await gone(warden)
  })

  it('goes with its engine when it holds nothing, and the folder with it', async () => {
    const own = join(temporaryFolder(), 'own')
    const idle = openLauncher(own, ENVIRONMENT, 16, hurried)
    const warden = await wardenOf(idle)
    await idle.close()
    await gone(warden)
    expect(existsSync(own)).to.equal(false)
  })

  it('does not hold what is masked or copied: keepers do', async () => {
    const copy = join(folder, 'copy')
    const job = { argv: sh('echo out; cat /proc/$PPID/cmdline'), copies: { stdout: copy } }
    expect((await launched(job)).stdout).to.match(/^out\nsh\0\.\/keeper/)
    expect(textOf(copy)).to.match(/^out\n/)
  })

  it('knows no value of a variable: it forks before it reads them, and no file of them is left', async () => {
    const own = join(temporaryFolder(), 'own')
    const other = openLauncher(own, ENVIRONMENT, 16, hurried)
    try {
      const warden = await wardenOf(other)
      const canary = `canary-${process.pid}-${Date.now()}`
      const job = jobOf({
        argv: sh('echo "$TOKEN"; cat /proc/$PPID/cmdline'),
        env: { PATH: ENVIRONMENT.PATH, TOKEN: canary },
        isSecret: true
      })
      expect((await outcome(job, other.launch(job))).stdout)
        .to.contain(canary)
        .and.to.contain('./warden')
      expect(memoryOf(warden)).to.contain(job.state).and.to.not.contain(canary)
      expect(readdirSync(own).filter((file) => file.startsWith('j'))).to.deep.equal([])
    } finally {
      await other.close()
    }
  })

  it('a stop signal reaches the whole group from the moment that the step is on record', async () => {
    const job = jobOf({ argv: sh('echo $$; (sleep 60; echo late) & wait') })
    const other = open()
    try {
      await wardenOf(other)
      const held = other.launch(job)
      await held.began
      const { identity } = readRecord(job.state)
      process.kill(-(identity?.pid ?? 0), 'SIGTERM')
      expect(await held.ended).to.include({ exitCode: 143, signaled: true })
    } finally {
      await other.close()
    }
  })

  it('steps that it holds are found by their variables below the folder of keepers', async () => {
    const parent = temporaryFolder()
    const other = openLauncher(join(parent, 'own'), ENVIRONMENT, 16, hurried)
    try {
      await wardenOf(other)
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

  it('settings of Perl that the user has reach the steps, and not the warden', async () => {
    const environment = { ...ENVIRONMENT, PERL5OPT: '-MNo::Such::Module', PERL_UNICODE: '' }
    const other = open(16, environment)
    try {
      await wardenOf(other)
      const job = jobOf({ argv: sh('echo "$PERL5OPT"'), env: environment })
      expect((await outcome(job, other.launch(job))).stdout).to.equal('-MNo::Such::Module\n')
    } finally {
      await other.close()
    }
  })

  it('without Perl, or with one that ends at once, keepers hold all steps', async () => {
    const bin = join(temporaryFolder(), 'bin')
    mkdirSync(bin)
    for (const tool of ['sh', 'env', 'setsid', 'mkfifo', 'cat', 'sleep', 'rm'])
      symlinkSync(execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), join(bin, tool))
    for (const perl of [undefined, '#!/bin/sh\nexit 1\n', '#!/bin/sh\nexec cat\n']) {
      if (perl) writeFileSync(join(bin, 'perl'), perl, { mode: 0o755 })
      const poor = open(16, { PATH: bin })
      try {
        const jobs = Array.from({ length: 20 }, () => jobOf({ argv: sh('cat /proc/$PPID/cmdline') }))
        const outcomes = await Promise.all(jobs.map((job) => outcome(job, poor.launch(job))))
        expect(outcomes.filter(({ stdout }) => stdout.startsWith('sh\0./keeper'))).to.have.length(20)
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
