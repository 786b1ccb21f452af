/** The process of a step: signals go to its group, by identity, and a stop is over when that is. Source: execution-semantics 7.3. */
import { type Clock, pause } from '../../clock.ts'
import { liveGroups, type ProcessIdentity } from '../../platform/process-identity.ts'
import type { ExecutionEnd, Running } from '../executor.ts'
import { Unrecorded } from '../frame/unrecorded.ts'
import { CLAIMED } from '../launcher/job.ts'
import type { Launched } from '../launcher/launcher.ts'
import { UNCOPIED, uncopiedIn } from '../launcher/uncopied.ts'
import { signalGroup, signalNumber, signalOrphans, signalText } from './process-group.ts'
import { identityIn } from './state-file.ts'

/** A process, begun or adopted. */
export interface Held extends Launched {
  /** Path of the record. */
  state: string
  /** Path of the stdout log. */
  stdout: string
  /** Length of the stdout log when it began. */
  offset: number
  /** The signal that has asked it to stop, when it is found. */
  stopped?: string | undefined
  /** The id of the group may have been given to others since. */
  isGroupLost?: boolean
}

/** How often a stopped step's leftovers are looked at, and how long that goes on when they were killed. */
const LOOK_MS = 50
const KILLED_MS = 500

/**
 * What one that begins and one that is found have in common.
 * @param seek finds the living process that logs there, where its record has been removed
 */
export function holder(
  clock: Clock,
  seek: (stdout: string) => ProcessIdentity | undefined
): (process: Held) => Running {
  let groups = new Set<number>()
  let lookedAt = Number.NEGATIVE_INFINITY
  /** Zombies can be signaled, and stay where nobody reaps orphans. One look at all processes serves all steps that stop. */
  function hasLiving({ pid }: ProcessIdentity, begunBy: number): boolean {
    if (lookedAt < begunBy || clock.elapsed() - lookedAt >= LOOK_MS / 2) {
      groups = liveGroups()
      lookedAt = clock.elapsed()
    }
    return groups.has(pid)
  }

  return function hold({ state, stdout, offset, ended, began, withdraw, stopped, isGroupLost = false }: Held): Running {
    let asked = stopped
    let killed = false
    let begunBy = Number.POSITIVE_INFINITY
    void began.then(() => {
      begunBy = clock.elapsed()
    })
    let known: ProcessIdentity | undefined
    const itself = () => {
      known = identityIn(state) ?? known ?? (begunBy === Number.POSITIVE_INFINITY ? undefined : seek(stdout))
      return known
    }
    const send = (signal: NodeJS.Signals): boolean => {
      const identity = itself()
      if (identity) signalGroup(identity, signal)
      return identity !== undefined
    }
    const deliver = (signal: NodeJS.Signals) => {
      if (!send(signal) && !withdraw()) void began.then(() => send(signal))
    }
    async function outcome(): Promise<ExecutionEnd> {
      const end = await ended
      const mayBegin = begunBy === Number.POSITIVE_INFINITY && !identityIn(state)
      if (end.exitCode === CLAIMED && mayBegin) throw new Unrecorded(state)
      const isLate = asked !== undefined && !isGroupLost && (await groupGone())
      const bySignal = end.signaled || (asked === 'SIGINT' && end.exitCode === 128 + signalNumber('SIGINT')) // shells do not report it
      const at = isLate ? clock.now() : end.at
      const cause = end.exitCode === UNCOPIED ? uncopiedIn(state) : undefined
      return bySignal
        ? { exitCode: -1, signal: signalText(end.exitCode - 128), at, offset }
        : { exitCode: end.exitCode, at, offset, ...(cause === undefined ? {} : { cause }) }
    }
    /** A stop is over when the whole group is, not when its leader is. @returns whether it was waited for */
    async function groupGone(): Promise<boolean> {
      const identity = itself()
      let looks = KILLED_MS / LOOK_MS
      let isLate = false
      while (identity && looks > 0 && signalOrphans(identity, killed ? 'SIGKILL' : 0) && hasLiving(identity, begunBy)) {
        if (killed) looks--
        isLate = true
        await pause(clock, LOOK_MS)
      }
      return isLate
    }
    return {
      began,
      ended: outcome(),
      stop(signal) {
        asked = signal
        deliver(signal as NodeJS.Signals) // checked by the reader of the definition
      },
      kill() {
        asked ??= 'SIGKILL'
        killed = true
        deliver('SIGKILL')
      }
    }
  }
}
