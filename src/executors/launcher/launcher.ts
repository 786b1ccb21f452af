/**
 * Starts local processes without forking from this one: jobs are handed to holders, which outlive the engine. A start costs
 * the engine one message; its own size does not matter. Source: architecture 4, performance 1.
 */
import { dirname } from 'node:path'
import type { Clock } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import { type Meters, openMeters } from '../../platform/meters.ts'
import { identityIn, type ProcessEnd, readRecord, readState, type StateRecord } from '../processes/state-file.ts'
import { openWatches } from '../processes/watch-state.ts'
import { CLAIMED, type Job } from './job.ts'
import { clearAway, removeFolder } from './launcher-folder.ts'
import { type Holder, type Listener, openNativeLauncher } from './native/native-launcher.ts'

/** A process that has been asked for. */
export interface Launched {
  /** Epoch ms; resolves when its turn came and the process is there. Never rejects. */
  began: Promise<number>
  /** Resolves when its leader has ended. @throws TroupeError internal_error when that can never be known */
  ended: Promise<ProcessEnd>
  /** Takes a job back if its turn has not come: it ends as by SIGTERM. @returns whether it will never begin */
  withdraw(): boolean
}

export interface Launcher {
  launch(job: Job): Launched
  /**
   * Waits for the end of a process that another engine has launched. Undefined: it is gone, and nobody recorded how.
   * @param began told when it is seen alive, epoch ms
   * @param seen its record, when that was looked at a moment ago
   */
  watch(state: string, began?: (at: number) => void, seen?: StateRecord): Promise<ProcessEnd | undefined>
  /** Folder in which the holders of this engine and of those before it on its home work. */
  readonly holdersBelow: string
  /** The work that the launcher has. */
  readonly load: LauncherLoad
  /** What runs lives on; nothing is reported any more. */
  close(): Promise<void>
}

export interface LauncherLoad {
  /** Jobs that wait for their turn. */
  waiting: number
  /** Jobs that were handed out and have not begun yet. */
  starting: number
  /** Processes that are there. Those that an engine before this one has launched are not counted. */
  running: number
}

interface Entry {
  name: string
  job: Job
  /** When the job was asked for, ms of the monotonic clock; absent: nobody measures. */
  askedAt?: number
  holder?: Holder
  /** The job has left the starting window. */
  begun: boolean
  /** The holder has said that it has begun the job. */
  hasBegun?: true
  begin(at: number): void
  end(end: ProcessEnd): void
  fail(error: Error): void
}

/** What a shell says of a child that SIGTERM has ended. */
const WITHDRAWN = 128 + 15
const VOIDED = 'another engine has recorded the end of the step'

const failure = (message: string, cause?: unknown) => new TroupeError('internal_error', message, { cause })

export interface LauncherOptions {
  /** The launcher's own folder; those of dead engines beside it are cleared away. */
  folder: string
  /** Environment of holders: what may reach a step. */
  environment: Record<string, string>
  /** Jobs between being handed out and having begun, at most. */
  starting: number
  clock: Clock
  /** Path of `troupe-launcher`. */
  native: string
  /** When a job with that record must not begin any more. @see Job.limit */
  limitOf?: (state: string) => number | undefined
  /** Told how long starts take; absent: nobody is. */
  meters?: Meters
}

export function openLauncher(options: LauncherOptions): Launcher {
  const { folder, environment, starting, clock, native, limitOf = () => undefined } = options
  const { meters = openMeters() } = options
  clearAway(dirname(folder))
  const queue: Entry[] = []
  const entries = new Map<string, Entry>()
  const watches = openWatches(clock, dirname(folder))
  let inStart = 0
  let count = 0
  let stopChecking: (() => void) | undefined
  const listener: Listener = {
    began(name) {
      const entry = entries.get(name)
      if (!entry) return
      leaveWindow(entry)
      if (entry.askedAt !== undefined && !entry.hasBegun)
        meters.note({ what: 'launch', ms: clock.elapsed() - entry.askedAt })
      entry.hasBegun = true
      entry.begin(clock.now())
    },
    ended(name, exitCode, signaled) {
      const entry = entries.get(name)
      if (!entry) return
      // Not begun: another engine has recorded its end, another holder has begun it, or the record cannot be written.
      if (exitCode === CLAIMED && !entry.hasBegun && readRecord(entry.job.state).identity) {
        followRecord(entry)
        return
      }
      entries.delete(name)
      leaveWindow(entry)
      if (exitCode === CLAIMED && readState(entry.job.state).state === 'void') entry.fail(failure(VOIDED))
      else entry.end({ exitCode, signaled, at: clock.now() })
    },
    quiet: advance,
    gone(holder) {
      for (const entry of [...entries.values()]) if (entry.holder === holder) followRecord(entry)
      advance()
    },
    spawnFailed(cause) {
      for (const entry of queue.splice(0)) entry.fail(failure(`steps cannot be started: ${cause.message}`, cause))
    }
  }
  let opened: ReturnType<typeof openNativeLauncher> | undefined
  // D1098: the launcher starts with the first step that is a process
  /** Opened with the first job: many engines have no step that is a process. */
  const holders = () => {
    opened ??= openNativeLauncher(native, folder, environment, listener, clock)
    return opened
  }

  function leaveWindow(entry: Entry): void {
    if (!entry.begun) inStart--
    entry.begun = true
  }

  /** Hands jobs out, as many as may be on their way at a time. */
  function advance(): void {
    for (let entry = queue[0]; entry && inStart < starting; entry = queue[0]) {
      const holder = holders().take()
      if (!holder) break
      queue.shift()
      hand(entry, holder)
    }
    if (entries.size + queue.length > 0) stopChecking ??= clock.after(holders().checkMs, check)
  }

  function hand(entry: Entry, holder: Holder): void {
    const { name, job } = entry
    try {
      const limit = limitOf(job.state)
      if (!holder.hand(name, limit === undefined ? job : { ...job, limit })) {
        holder.drop()
        queue.unshift(entry)
        return
      }
    } catch (cause) {
      entry.fail(failure(`the step could not be started: ${(cause as Error).message}`, cause))
      return
    }
    Object.assign(entry, { holder, begun: false })
    entries.set(name, entry)
    inStart++
  }

  function check(): void {
    stopChecking = undefined
    holders().check()
    const alive = new Map<Holder, boolean>()
    const isAlive = (holder: Holder) => {
      const known = alive.get(holder) ?? holder.isAlive()
      alive.set(holder, known)
      return known
    }
    for (const entry of [...entries.values()])
      if (entry.holder && !isAlive(entry.holder)) {
        entry.holder.drop()
        followRecord(entry)
      }
    advance()
  }

  /**
   * Nobody will report on it: its holder is gone or does not answer, or another has begun the job. The record says how it ended, if
   * anything does. A job that nobody began gets another holder; the record decides when the first comes back and begins it too.
   */
  function followRecord(entry: Entry): void {
    entries.delete(entry.name)
    leaveWindow(entry)
    void watches.watch(entry.job.state, entry.begin).then((end) => {
      if (end) entry.end(end)
      else if (entry.hasBegun || identityIn(entry.job.state)) entry.fail(failure('interrupted: outcome unknown'))
      else {
        queue.unshift(entry)
        advance()
      }
    })
  }

  return {
    launch(job) {
      const entry: Partial<Entry> & { name: string; job: Job } = { name: `j${++count}`, job, begun: true }
      if (meters.isOn) entry.askedAt = clock.elapsed()
      const began = new Promise<number>((resolve) => {
        entry.begin = resolve
      })
      const ended = new Promise<ProcessEnd>((resolve, reject) => {
        entry.end = resolve
        entry.fail = (error) => {
          meters.note({ what: 'failed launch' })
          reject(error)
        }
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
    watch: watches.watch,
    holdersBelow: dirname(folder),
    get load() {
      return { waiting: queue.length, starting: inStart, running: entries.size - inStart }
    },
    async close() {
      stopChecking?.()
      watches.close()
      opened?.close()
      // A process that holds a step needs its files.
      if (entries.size === 0) await removeFolder(folder, clock)
    }
  }
}
