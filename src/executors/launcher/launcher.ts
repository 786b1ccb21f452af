/**
 * Starts local processes without forking from this one: jobs go to a warden or to keepers, which outlive the engine.
 * A start costs the engine one small file and one line; its own size does not matter. Source: architecture 4, performance 1.
 */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../clock.ts'
import { codeOf, TroupeError } from '../../errors.ts'
import { type ProcessEnd, readState, type StateRecord } from '../processes/state-file.ts'
import { openWatches } from '../processes/watch-state.ts'
import { openHolders } from './holders.ts'
import { CLAIMED } from './job.ts'
import type { Job } from './job-record.ts'
import { type Keeper, type Listener, openKeepers } from './keepers.ts'
import { clearAway, removeFolder } from './launcher-folder.ts'
import { jobWriter, removeJob } from './written-job.ts'

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
  /**
   * Waits for the end of a process that another engine has launched. Undefined: it is gone, and nobody recorded how.
   * @param began told when it is seen alive, epoch ms
   * @param seen its record, when that was looked at a moment ago
   */
  watch(state: string, began?: (at: number) => void, seen?: StateRecord): Promise<ProcessEnd | undefined>
  /** Folder in which the keepers of this engine and of those before it on its home work. */
  readonly keepersBelow: string
  /** Jobs that wait for their turn. */
  readonly waiting: number
  /** What runs lives on; nothing is reported any more. */
  close(): Promise<void>
}

interface Entry {
  name: string
  job: Job
  keeper?: Keeper
  /** It has left the starting window. */
  begun: boolean
  /** Its keeper has said that it has begun it. */
  hasBegun?: true
  begin(at: number): void
  end(end: ProcessEnd): void
  fail(error: Error): void
}

/** What a shell says of a child that SIGTERM has ended. */
const WITHDRAWN = 128 + 15
/** A keeper that was killed cannot say so; those at work are looked at this often. */
const CHECK_MS = 5_000

const failure = (message: string, cause?: unknown) => new TroupeError('internal_error', message, { cause })

/**
 * @param folder its own folder; those of dead engines beside it are cleared away
 * @param environment of keepers: what may reach a step
 * @param starting jobs between being sent and having begun, at most
 * @param wardens whether plain steps may be held by one process, where that is possible
 */
export function openLauncher(
  folder: string,
  environment: Record<string, string>,
  starting: number,
  clock: Clock,
  wardens = true
): Launcher {
  clearAway(dirname(folder))
  const writeJob = jobWriter(folder, environment)
  const queue: Entry[] = []
  const entries = new Map<string, Entry>()
  const watches = openWatches(clock)
  let inStart = 0
  let count = 0
  let stopChecking: (() => void) | undefined
  const listener: Listener = {
    ready: (keeper) => holders.add(keeper),
    began(name) {
      const entry = entries.get(name)
      if (!entry) return
      leaveWindow(entry)
      entry.hasBegun = true
      entry.begin(clock.now())
      if (entry.keeper?.holdsMany) return // it has removed it
      removeJob(folder, name, entry.job)
    },
    ended(name, exitCode, signaled) {
      const entry = entries.get(name)
      if (!entry) return
      entries.delete(name)
      leaveWindow(entry)
      if (entry.keeper) holders.giveBack(entry.keeper)
      if (exitCode === CLAIMED && readState(entry.job.state).state === 'void')
        entry.fail(failure('another engine has recorded the end of the step'))
      else entry.end({ exitCode, signaled, at: clock.now() })
    },
    quiet: advance,
    barren(cause) {
      for (const entry of queue.splice(0)) entry.fail(failure(`steps cannot be started: ${cause.message}`, cause))
    }
  }
  const keepers = openKeepers(folder, environment, listener, wardens)
  const holders = openHolders(keepers)

  function leaveWindow(entry: Entry): void {
    if (!entry.begun) inStart--
    entry.begun = true
  }

  /** Services jobs to whoever is free, and asks for more keepers when there are too few. */
  function advance(): void {
    let hasRoom = true // otherwise the next report makes some
    for (let entry = queue[0]; entry && hasRoom && inStart < starting; entry = queue[0]) {
      const keeper = holders.take(entry.job)
      if (!keeper) break
      queue.shift()
      hasRoom = send(entry, keeper)
    }
    const wanted = hasRoom ? Math.min(queue.length, starting - inStart) : 0
    if (wanted > 0) {
      if (!existsSync(folder)) makeAnew()
      holders.ask(wanted)
    }
    if (entries.size + queue.length > 0) stopChecking ??= clock.after(CHECK_MS, check)
  }

  /** @returns false: the warden has as many lines to read as its FIFO can hold */
  function send(entry: Entry, keeper: Keeper): boolean {
    const { name, job } = entry
    try {
      if (!keepers.tell(keeper, writeJob(name, job, keeper))) {
        holders.drop(keeper)
        queue.unshift(entry)
        return true
      }
    } catch (cause) {
      if (codeOf(cause) === 'EAGAIN') {
        queue.unshift(entry)
        return false
      }
      holders.giveBack(keeper)
      if (!existsSync(folder)) {
        queue.unshift(entry)
        makeAnew()
        return true
      }
      entry.fail(failure(`the step could not be started: ${(cause as Error).message}`, cause))
      return true
    }
    Object.assign(entry, { keeper, begun: false })
    entries.set(name, entry)
    inStart++
    return true
  }

  /** Somebody has removed the folder: logind does, of what a user has in memory, when that user has logged out. */
  function makeAnew(): void {
    try {
      holders.release()
      keepers.renew()
    } catch (cause) {
      listener.barren(cause as Error)
    }
  }

  function check(): void {
    stopChecking = undefined
    keepers.revise()
    const isAlive = holders.areAlive()
    for (const entry of [...entries.values()])
      if (entry.keeper && !isAlive(entry.keeper)) watchRecord(entry, entry.keeper)
    advance()
  }

  /** Its keeper is gone: the record says how it ended, if anything does. A job that nobody began gets another keeper. */
  function watchRecord(entry: Entry, keeper: Keeper): void {
    holders.drop(keeper)
    entries.delete(entry.name)
    leaveWindow(entry)
    void watches.watch(entry.job.state, entry.begin).then((end) => {
      if (end) entry.end(end)
      else if (entry.hasBegun || readState(entry.job.state).state !== 'absent')
        entry.fail(failure('interrupted: outcome unknown'))
      else {
        queue.unshift(entry)
        advance()
      }
    })
  }

  return {
    launch(job) {
      const entry: Partial<Entry> & { name: string; job: Job } = { name: `j${++count}`, job, begun: true }
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
    watch: watches.watch,
    keepersBelow: dirname(folder),
    get waiting() {
      return queue.length
    },
    async close() {
      stopChecking?.()
      watches.close()
      keepers.close()
      // A keeper that holds a step needs its files.
      if (entries.size === 0) await removeFolder(folder, clock)
    }
  }
}
