/** The engine's end of `troupe-launcher`, one process that starts and holds all steps. Its program describes the messages. */
import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Clock } from '../../../clock.ts'
import { codeOf } from '../../../errors.ts'
import type { Job } from '../job.ts'
import { withoutKeptFiles } from '../kept-files.ts'
import { makeOwnFolder } from '../launcher-folder.ts'
import { openJobMessages } from './job-message.ts'

/** The name of a launcher in a list of processes, wherever its file lies. */
const NAME = 'troupe-launcher'
/** The version of what is written to it and read from it. */
const PROTOCOL = '3'
/** A paused launcher is woken after one unanswered question and replaced after two: within 5 s. */
const CHECK_MS = 1_500
/** Launchers that may end one after the other before they have said a word. */
const FAILURES = 3
/** How long one that cannot run here is not tried again: every job of that time fails with the reason. */
const UNUSABLE_MS = 5_000
/** The program is not there, or its file system allows none. */
const UNUSABLE = new Set(['ENOENT', 'EACCES', 'EPERM', 'ENOEXEC'])
/** The machine has none left to give, at the moment. */
const SHORT = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT'])

/** A process that holds jobs, any number of them. */
export interface Holder {
  /** Hands it a job. @returns false: it is gone @throws Error: no process can be started so */
  hand(name: string, job: Job): boolean
  /** The holder gets no more jobs, and goes when it holds none. */
  drop(): void
  isAlive(): boolean
}

/** What is heard of holders. */
export interface Listener {
  began(job: string): void
  ended(job: string, exitCode: number, signaled: boolean): void
  /** Jobs may be handed out again: something has changed, and everything that came together has been reported. */
  quiet(): void
  /** The jobs of a holder that is gone go on, and it will report nothing any more. */
  gone(holder: Holder): void
  /** None can be started. */
  spawnFailed(cause: Error): void
}

interface Holders {
  /** Time between looks at launchers that are at work, ms. */
  readonly checkMs: number
  /** A holder that can be handed a job. Undefined: there is none, which is told unless another try is under way. */
  take(): Holder | undefined
  /** Looks for those that do not answer. */
  check(): void
  /** What runs goes on; nothing is reported any more. */
  close(): void
}

interface Process extends Holder {
  /** Asks whether the launcher answers; see `isAlive`. */
  ask(): void
  close(): void
}

// D54: one native program, `troupe-launcher`, starts and holds all local steps
/**
 * @param path of the program
 * @param environment of the launcher: what may reach a step
 */
export function openNativeLauncher(
  path: string,
  folder: string,
  environment: Record<string, string>,
  listener: Listener,
  clock: Clock
): Holders {
  makeOwnFolder(folder)
  const messages = openJobMessages(environment)
  let failures = 0
  /** Why the launcher could not run here, a moment ago. */
  let unusable: { cause: Error; until: number } | undefined
  let current: Process | undefined
  /** Launchers that hold steps and get no more. */
  const dropped = new Set<Process>()
  start()

  function failed(cause: Error): void {
    const code = codeOf(cause) ?? ''
    failures++
    if (failures < FAILURES && !UNUSABLE.has(code)) return
    failures = 0
    if (SHORT.has(code)) {
      listener.spawnFailed(cause)
      return
    }
    const text = `the launcher ${path} cannot run here: ${cause.message}; install or build Troupe again`
    unusable = { cause: new Error(text, { cause }), until: clock.elapsed() + UNUSABLE_MS }
    listener.spawnFailed(unusable.cause)
  }

  function start(): void {
    try {
      current = started()
    } catch (cause) {
      process.nextTick(failed, cause)
    }
  }

  /** @throws Error for what the system has no room for */
  function started(): Process {
    makeOwnFolder(folder) // somebody may have removed it
    // D1611: the process that is started here ends at once, and the launcher is another one; node closes `stdin` at that end
    const child = spawn(path, [folder, '--apart'], {
      argv0: NAME,
      detached: true,
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore', 'pipe', ...withoutKeptFiles().slice(1)]
    })
    const [, , , orders] = child.stdio
    if (orders !== undefined && !(orders instanceof Socket)) throw new Error('node gave no pipe to the launcher')
    let pid: number | undefined
    let isGone = false
    let hasSpoken = false
    let unanswered = 0
    const gone = (cause: Error) => {
      if (isGone) return
      isGone = true
      dropped.delete(one)
      if (current === one) current = undefined
      if (!hasSpoken) failed(cause)
      listener.gone(one)
    }
    /** The launcher ends when it has no more steps. */
    const leave = () => orders?.end(() => orders.destroy())
    function isGreeting(line: string): boolean {
      const [word, protocol, own] = line.split(' ')
      hasSpoken = word === 'ready' && protocol === PROTOCOL
      pid = Number(own)
      if (hasSpoken) return true
      child.kill('SIGKILL')
      leave()
      failures = FAILURES // another one would say the same
      gone(new Error(`it is none of this release: it says "${line.slice(0, 80)}"`))
      return false
    }
    const one: Process = {
      hand(name, job) {
        if (isGone) return false
        orders?.write(messages.textOf(name, job))
        return true
      },
      drop() {
        if (current === one) current = undefined
        if (!isGone) dropped.add(one)
        leave()
      },
      isAlive: () => !isGone && unanswered < 3,
      ask() {
        if (unanswered === 1) wake(pid)
        unanswered++
        orders?.write('ping\n')
      },
      close() {
        isGone = true
        leave()
        child.stdout?.destroy()
        child.unref()
      }
    }
    orders?.on('error', () => {})
    readLines(
      child,
      (line) => {
        if (!hasSpoken && !isGreeting(line)) return
        failures = 0
        unanswered = 0
        if (current !== one) return // its jobs are followed by their records, or have been handed to another
        const [word, job = '', code, signaled] = line.split(' ')
        if (word === 'began') listener.began(job)
        else if (word === 'ended') listener.ended(job, Number(code), signaled === '1')
      },
      listener.quiet
    )
    child.stdout?.on('end', () => gone(new Error('it ended')))
    child.on('error', gone).on('exit', (code, signal) => {
      if (code !== 0) gone(new Error(`it ended with ${signal ?? `exit code ${code}`}`))
    })
    return one
  }

  return {
    checkMs: CHECK_MS,
    take() {
      if (unusable && clock.elapsed() < unusable.until) listener.spawnFailed(unusable.cause)
      else if (!current) start()
      return current
    },
    check() {
      current?.ask()
    },
    close() {
      for (const one of [...dropped, ...(current ? [current] : [])]) one.close()
    }
  }
}

function wake(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGCONT')
  } catch {
    // The launcher has ended, which is heard in a moment.
  }
}

/** @param quiet called when all lines that came together have been told */
function readLines(child: ChildProcess, hear: (line: string) => void, quiet: () => void): void {
  let rest = ''
  child.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) hear(line)
    quiet()
  })
}
