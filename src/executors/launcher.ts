/**
 * Starts local processes without forking from this one: jobs go to keepers, small shells that outlive the engine.
 * A start costs the engine one small file and one line; its own size does not matter. Source: architecture 4, performance 1.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  unlink,
  writeFileSync,
  writeSync
} from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { TroupeError } from '../errors.ts'
import { CLAIMED, type Job, jobText } from './job.ts'
import { KEEPER, MOTHER } from './launcher-script.ts'
import { type ProcessEnd, readState } from './state-file.ts'

/** A process that has been asked for. */
export interface Launched {
  /** Epoch ms; resolves when its turn came and the process is there. Never rejects. */
  began: Promise<number>
  /** Resolves when its leader has ended. @throws TroupeError internal_error when that can never be known */
  ended: Promise<ProcessEnd>
  /** Takes it back if its turn has not come: it ends as by SIGTERM. @returns whether it will never begin */
  withdraw(): boolean
}

export interface Launcher {
  launch(job: Job): Launched
  /** Jobs that wait for their turn. */
  readonly waiting: number
  close(): void
}

interface Keeper {
  name: string
  /** Writing end of its FIFO; closing it ends the keeper. */
  fifo: number
  pid?: number
}
interface Entry {
  name: string
  job: Job
  keeper?: Keeper
  begin(at: number): void
  end(end: ProcessEnd): void
  fail(error: Error): void
}

/** What a shell says of a child that SIGTERM has ended. */
const WITHDRAWN = 128 + 15
/** Keepers made at a time, and idle ones kept. */
const BATCH = 8
const SPARE = 32
/** A keeper that was killed cannot say so; those at work are looked at this often. */
const CHECK_MS = 5_000

/**
 * @param folder its own folder; those of dead engines beside it are cleared away
 * @param environment of keepers: what may reach a step
 * @param starting jobs between being sent and having begun, at most
 */
export function openLauncher(folder: string, environment: Record<string, string>, starting: number, clock: Clock): Launcher {
  clearAway(join(folder, '..'))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'keeper'), KEEPER)
  const umask = process.umask().toString(8).padStart(3, '0')
  const queue: Entry[] = []
  const entries = new Map<string, Entry>()
  const keepers = new Map<string, Keeper>()
  let idle: Keeper[] = []
  let asked = 0
  let inStart = 0
  let count = 0
  let made = 0
  let closed = false
  let stopChecking: (() => void) | undefined
  let mother = openMother()

  function openMother(): ChildProcess {
    const child = spawn('sh', ['-c', MOTHER, 'mother', folder], {
      detached: true,
      cwd: folder,
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore']
    })
    child.stdin?.on('error', () => {})
    let rest = ''
    child.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) hear(line)
      advance()
    })
    child.on('error', refuse).on('exit', () => !closed && replaceMother())
    return child
  }

  /** The mother is gone: nobody hears the keepers at work any more, their records speak instead. */
  function replaceMother(): void {
    if (made === 0) return refuse(new Error('the launcher ended at once: it needs sh, mkfifo and setsid (util-linux)'))
    for (const keeper of idle) closeSync(keeper.fifo)
    idle = []
    asked = 0
    for (const entry of entries.values()) if (entry.keeper) watchRecord(entry)
    mother = openMother()
    advance()
  }

  function refuse(cause: Error): void {
    const error = new TroupeError('internal_error', `steps cannot be started: ${cause.message}`, { cause })
    for (const entry of [...queue.splice(0), ...entries.values()]) entry.fail(error)
    entries.clear()
  }

  function hear(line: string): void {
    const [word, ...names] = line.split(' ')
    const [first = '', second = '', code, signaled] = names
    if (word === 'made') names.forEach(adopt)
    else if (word === 'ready') {
      const keeper = keepers.get(first)
      if (keeper) keeper.pid = Number(second)
    } else if (word === 'began') began(first)
    else if (word === 'ended') ended(second, { exitCode: Number(code), signaled: signaled === '1', at: clock.now() })
  }

  function adopt(name: string): void {
    const fifo = openSync(join(folder, name), constants.O_RDWR | constants.O_NONBLOCK)
    const keeper = { name, fifo }
    keepers.set(name, keeper)
    idle.push(keeper)
    made++
    asked--
  }

  function began(name: string): void {
    const entry = entries.get(name)
    if (!entry) return
    inStart--
    entry.begin(clock.now())
    unlink(join(folder, name), () => {})
  }

  function ended(name: string, end: ProcessEnd): void {
    const entry = entries.get(name)
    if (!entry) return
    entries.delete(name)
    release(entry)
    if (end.exitCode === CLAIMED && readState(entry.job.state).state === 'void') {
      inStart--
      entry.fail(new TroupeError('internal_error', 'the step was settled by another engine'))
    } else entry.end(end)
  }

  function release({ keeper }: Entry): void {
    if (!keeper) return
    if (idle.length < SPARE) idle.push(keeper)
    else {
      keepers.delete(keeper.name)
      closeSync(keeper.fifo)
    }
  }

  /** Hands jobs to idle keepers, and asks for more keepers when there are too few. */
  function advance(): void {
    while (queue.length > 0 && inStart < starting) {
      const keeper = idle.pop()
      if (!keeper) break
      const entry = queue.shift()
      if (entry) send(entry, keeper)
    }
    const wanted = Math.min(queue.length, starting - inStart) - asked
    if (wanted > 0) grow(Math.max(wanted, BATCH))
    if (entries.size > 0) stopChecking ??= clock.at(clock.now() + CHECK_MS, check)
  }

  function grow(number: number): void {
    asked += number
    const names = Array.from({ length: number }, () => `k${++count}`)
    mother.stdin?.write(`${names.join(' ')}\n`)
  }

  function send(entry: Entry, keeper: Keeper): void {
    try {
      writeFileSync(join(folder, entry.name), jobText(entry.name, entry.job, environment, umask), { mode: 0o600 })
      writeSync(keeper.fifo, `${entry.name} ${entry.job.state}\n`)
    } catch (cause) {
      idle.push(keeper)
      entry.fail(new TroupeError('internal_error', `the step could not be started: ${(cause as Error).message}`, { cause }))
      return
    }
    entry.keeper = keeper
    entries.set(entry.name, entry)
    inStart++
  }

  function check(): void {
    stopChecking = undefined
    for (const entry of entries.values()) if (entry.keeper?.pid && !lives(entry.keeper.pid)) watchRecord(entry)
    advance()
  }

  /** Its keeper is gone or cannot be heard: the record says how it ended, if anything does. */
  function watchRecord(entry: Entry): void {
    if (entry.keeper) keepers.delete(entry.keeper.name)
    entries.delete(entry.name)
    void watchState(entry.job.state, clock).then((end) =>
      end ? entry.end(end) : entry.fail(new TroupeError('internal_error', 'interrupted: outcome unknown'))
    )
  }

  return {
    launch(job) {
      const entry: Partial<Entry> & { name: string; job: Job } = { name: `j${++count}`, job }
      const began = new Promise<number>((resolve) => {
        entry.begin = resolve
      })
      const ended = new Promise<ProcessEnd>((resolve, reject) => {
        entry.end = resolve
        entry.fail = reject
      })
      queue.push(entry as Entry) // the promises have filled it
      advance()
      return {
        began,
        ended,
        withdraw() {
          const at = queue.indexOf(entry as Entry)
          if (at < 0) return false
          queue.splice(at, 1)
          ;(entry as Entry).end({ exitCode: WITHDRAWN, signaled: true, at: clock.now() })
          return true
        }
      }
    },
    get waiting() {
      return queue.length
    },
    close() {
      closed = true
      stopChecking?.()
      for (const { fifo } of keepers.values()) closeSync(fifo)
      mother.kill('SIGKILL')
      mother.stdin?.destroy()
      mother.stdout?.destroy()
      // Idle keepers are on their way out; one that holds a step needs its files.
      if (entries.size > 0) return
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
      if (list(join(folder, '..')).length === 0) rmdirSync(join(folder, '..'))
    }
  }
}

const lives = (pid: number): boolean => {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** How often the record of an adopted process is looked at, and how long its holder has to write it after its end. */
const LOOK_MS = 100
const GRACE_MS = 1_000

/** Waits for the end of a process that this engine does not hold. Undefined: it is gone, and nobody recorded how. */
export function watchState(path: string, clock: Clock): Promise<ProcessEnd | undefined> {
  let giveUpAt: number | undefined
  return new Promise((resolve) => {
    const look = () => {
      const found = readState(path)
      if (found.state === 'ended') return resolve(found.end)
      if (found.state !== 'alive') {
        giveUpAt ??= clock.now() + GRACE_MS
        if (clock.now() >= giveUpAt) return resolve(undefined)
      }
      clock.at(clock.now() + LOOK_MS, look)
    }
    look()
  })
}

/**
 * Folders of dead engines: a keeper that never got to open its FIFO is let go. A folder goes when its keepers have gone;
 * one that still holds a step needs its files.
 */
function clearAway(parent: string): void {
  for (const folder of list(parent)) {
    const files = list(join(parent, folder))
    for (const file of files) {
      const path = join(parent, folder, file)
      if (!statSync(path).isFIFO()) continue
      try {
        closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
      } catch {
        // Nobody waits on it.
      }
    }
    const pids = files.filter((file) => file.endsWith('.pid')).map((file) => readFileSync(join(parent, folder, file), 'utf8'))
    if (!pids.some((pid) => lives(Number(pid)))) rmSync(join(parent, folder), { recursive: true, force: true })
  }
}

const list = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])
