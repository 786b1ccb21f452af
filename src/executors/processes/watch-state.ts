/** Follows the records of processes that nobody reports on: adopted after a restart, or left by a holder that was killed. */
import { statSync } from 'node:fs'
import type { Clock } from '../../clock.ts'
import { isAlive, isTaken, type ProcessIdentity } from '../../platform/process-identity.ts'
import { HANGING_SECONDS } from '../launcher/mask-order.ts'
import { type ProcessEnd, readRecord, type StateRecord } from './state-file.ts'
import { isHolder } from './survivor.ts'

/** How often records are looked at, and how long a holder that may be there has to write its record after the process is gone. */
const LOOK_MS = 100
const GRACE_MS = 1_000
/** A holder that is there writes its record when what masks or copies the output is through with it. */
const HELD_MS = HANGING_SECONDS * 1_000 + GRACE_MS
/** There may be thousands: a look that takes long is followed by a pause that is so many times as long. */
const PAUSE_RATIO = 9
/** Records that are looked at in one go. */
const TOGETHER = 100

export interface Watches {
  /**
   * Waits for the end of a process. Undefined: it is gone, and nobody recorded how; or it has never been.
   * @param began told when the process is seen alive, epoch ms
   * @param seen its record, when that was looked at a moment ago
   */
  watch(state: string, began?: (at: number) => void, seen?: StateRecord): Promise<ProcessEnd | undefined>
  /** Ends all watches: they never resolve. */
  close(): void
}

interface Watched {
  state: string
  /** Bytes of the record when it was read: a record only grows. Absent: it was not there. */
  size?: number | undefined
  /** Absent: it was not alive when it was last looked at. */
  alive?: ProcessIdentity
  giveUpAt?: number
  /** The process that is to write the end, when it is seen to be there. */
  holder?: number
  began: ((at: number) => void) | undefined
  resolve(end: ProcessEnd | undefined): void
}

const sizeOf = ({ state }: Watched): number | undefined => statSync(state, { throwIfNoEntry: false })?.size

// D717: an execution whose process and holder are gone is given up at once
/** @param below the folder in which the holders of all engines on this home work */
export function openWatches(clock: Clock, below: string): Watches {
  const watched = new Set<Watched>()
  let closed = false
  let cancel: (() => void) | undefined

  /** @returns whether it is to be looked at again */
  function goesOn(one: Watched, record: StateRecord): boolean {
    const isLast = record.isAbandoned === true
    // Looked at again: its holder may have written the end after the look, and gone.
    const { found, size, seen } = isLast && sizeOf(one) !== record.size ? readRecord(one.state) : record
    one.size = size
    if (found.state === 'ended') {
      one.resolve(found.end)
      return false
    }
    if (found.state === 'alive') {
      one.began?.(found.beganAt)
      one.alive = found.identity
      delete one.giveUpAt
      delete one.holder
      return true
    }
    if (isLast) {
      one.resolve(seen)
      return false
    }
    delete one.alive
    if (one.giveUpAt === undefined && record.holder !== undefined && isHolder(record.holder, below))
      one.holder = record.holder
    one.giveUpAt ??= clock.now() + (one.holder === undefined ? GRACE_MS : HELD_MS)
    if (clock.now() < one.giveUpAt) return true
    one.resolve(seen)
    return false
  }

  /** Reads a record only when it has grown, or its process has gone. */
  function look(one: Watched): boolean {
    const isSame = sizeOf(one) === one.size
    if (isSame && one.alive && isAlive(one.alive)) return true
    const isHolderGone = one.holder !== undefined && !isTaken(one.holder)
    if (isSame && one.giveUpAt !== undefined && clock.now() < one.giveUpAt && !isHolderGone) return true
    return goesOn(one, readRecord(one.state))
  }

  function later(ms: number): void {
    if (closed || watched.size === 0) return
    cancel ??= clock.after(ms, () => lookAtAll([...watched], 0))
  }

  /**
   * A part at a time: each end is worked off before the next part is looked at, and others have their turn.
   * @param spentMs on the parts before
   */
  function lookAtAll(rest: Watched[], spentMs: number): void {
    if (closed) return
    const begun = clock.elapsed()
    for (const one of rest.slice(0, TOGETHER)) if (!look(one)) watched.delete(one)
    const spent = spentMs + clock.elapsed() - begun
    if (rest.length > TOGETHER) clock.soon(() => lookAtAll(rest.slice(TOGETHER), spent))
    else {
      cancel = undefined
      later(Math.max(LOOK_MS, PAUSE_RATIO * spent))
    }
  }

  return {
    watch: (state, began, seen) =>
      new Promise((resolve) => {
        const one: Watched = { state, began, resolve }
        if (!goesOn(one, seen ?? readRecord(state))) return
        watched.add(one)
        later(LOOK_MS)
      }),
    close() {
      closed = true
      cancel?.()
    }
  }
}
