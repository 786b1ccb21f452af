/** Jobs for the tests of the launcher: started by it, or plainly by node, with how they ended and what they wrote. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../../src/clock.ts'
import type { Job } from '../../../src/executors/launcher/job.ts'
import {
  type Launched,
  type Launcher,
  type LauncherOptions,
  openLauncher
} from '../../../src/executors/launcher/launcher.ts'
import { nativeLauncher } from '../../../src/executors/launcher/native-binary.ts'
import { textOf } from '../engine/live.ts'
import { temporaryFolder } from '../homes.ts'

/** That of holders. */
export const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: '/', LC_TROUPE: 'of the holder' }

const SH = ['sh', '-c']
export const sh = (text: string) => [...SH, text]

/** Looks that are 5 s apart in earnest are at most a second apart. */
export const hurried: Clock = {
  ...systemClock,
  at: (dueAt, ring) => systemClock.at(Math.min(dueAt, Date.now() + 100), ring),
  after: (ms, ring) => systemClock.after(Math.min(ms, 1_000), ring)
}

export interface Outcome {
  exitCode: number
  signaled: boolean
  stdout: string
  stderr: string
}

type Asked = Partial<Job> & { argv: string[] }

/** A launcher for the tests of a `describe`, and what they ask of it. */
export function launcherBench() {
  const folder = temporaryFolder()
  const native = nativeLauncher()
  /** Another launcher, in a separate folder. */
  const open = ({
    starting = 16,
    environment = ENVIRONMENT,
    clock = hurried,
    ...given
  }: Partial<LauncherOptions> = {}) =>
    openLauncher({ folder: join(temporaryFolder(), 'own'), environment, starting, clock, native, ...given })
  let launcher: Launcher
  let count = 0
  before(() => {
    launcher = open()
  })
  after(() => launcher.close())

  const launch = (job: Job): Launched => launcher.launch(job)
  const jobOf = (given: Asked): Job & { state: string } => {
    const base = join(folder, `job-${++count}`)
    return {
      cwd: folder,
      env: { PATH: ENVIRONMENT.PATH },
      stdout: `${base}.out`,
      stderr: `${base}.err`,
      state: `${base}.state`,
      offset: 0,
      ...given
    }
  }
  async function outcome(job: Job, { ended }: Launched): Promise<Outcome> {
    const { exitCode, signaled } = await ended
    return { exitCode, signaled, stdout: textOf(job.stdout), stderr: textOf(job.stderr) }
  }
  function launched(given: Asked): Promise<Outcome> {
    const job = jobOf(given)
    return outcome(job, launch(job))
  }
  /** The same by node, in a separate session. */
  async function plain({
    argv: [program = '', ...args],
    cwd = folder,
    env = { PATH: ENVIRONMENT.PATH }
  }: Asked): Promise<Outcome> {
    const base = join(folder, `plain-${++count}`)
    const [stdout, stderr] = [openSync(`${base}.out`, 'a'), openSync(`${base}.err`, 'a')]
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', stdout, stderr] })
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    closeSync(stdout)
    closeSync(stderr)
    const exitCode = signal ? 128 + constants.signals[signal] : (code ?? Number.NaN)
    return { exitCode, signaled: signal !== null, stdout: textOf(`${base}.out`), stderr: textOf(`${base}.err`) }
  }
  /** Pid of the process that holds what is started at the moment. */
  async function holderOf(launcher: Launcher): Promise<number> {
    const job = jobOf({ argv: sh('echo $PPID') })
    return Number.parseInt((await outcome(job, launcher.launch(job))).stdout, 10)
  }
  return { folder, open, launch, jobOf, outcome, launched, plain, holderOf }
}
