/**
 * A turn: one message is processed to its end in every actor it touches; what it changed is committed in one transaction;
 * then its effects happen. Transactions that are ready together share a commit. Source: architecture 1.
 */
import { type Clock, nextTurn } from '../../clock.ts'
import { type Changes, isEmpty, noChanges } from '../../store/changes.ts'
import { commit, flushed } from '../../store/commit.ts'
import type { WriteAhead } from '../../store/disk/write-ahead.ts'
import type { Store } from '../../store/open.ts'

export interface Transactions {
  /** Runs `work` as a turn. */
  take(work: () => void): void
  /** What the turns at hand change. */
  readonly changes: Changes
  /** Has `save` add to the changes once, just before they are committed, however often it is asked for. */
  save(key: string, save: () => void): void
  /** When the turns at hand survive the death of the process, in the order asked for. */
  afterCommit(effect: () => void): void
  /** When they survive the loss of power too, and readers of the store see them; that is hurried. */
  afterFlush(effect: () => void): void
  /** The same, for those who can wait until it comes to it: within `LAZY_MS`. */
  whenShown(effect: () => void): void
  /** Resolves when everything changed so far is in the store, and its effects have been asked for. */
  settled(): Promise<void>
  /** Why nothing can be stored right now; undefined: it can. */
  readonly stalled: string | undefined
}

/** What goes into LMDB, and what follows: none of it holds an actor that has ended. */
interface Pending {
  changes: Changes
  flushes: (() => void)[]
  /** Somebody waits for its flush. */
  isUrgent: boolean
}
interface Batch extends Pending {
  saves: Map<string, () => void>
  effects: (() => void)[]
}
const emptyBatch = (): Batch => ({ changes: noChanges(), saves: new Map(), effects: [], flushes: [], isUrgent: false })

type Written = 'ahead' | 'store'

/** Storage that refuses is asked again at this distance; nothing is reported that was not stored. Source: reliability P6. */
const STORAGE_RETRY_MS = 500

/** Transactions that nobody waits for go into LMDB together: a flush of the disk for each would slow the steps themselves. */
const LAZY_MS = 25

/**
 * @param strict effects wait for the flush too @param fault told what an effect throws: a defect
 * @param tell told once why nothing can be stored, and with undefined when it can again
 */
export function openTransactions(
  store: Store,
  ahead: WriteAhead,
  clock: Clock,
  strict: boolean,
  fault: (error: unknown) => void,
  tell: (stalled: string | undefined) => void = () => {}
): Transactions {
  let batch = emptyBatch()
  let busy: Promise<void> | undefined
  /** By what cannot be written: one of the two may be written while the other is not. */
  const stalls = new Map<Written, string>()
  /** Appended to the write-ahead file, and on their way into LMDB. */
  let pending: Pending[] = []
  let draining: Promise<void> | undefined
  /** Those who wait until everything is stored: nobody waits for more turns then. */
  let settling = 0
  /** Ends the wait for more turns. */
  let hurry: (() => void) | undefined

  const perform = (effects: (() => void)[]) => {
    for (const effect of effects) {
      try {
        effect()
      } catch (error) {
        fault(error)
      }
    }
  }

  /** Tries until it succeeds: what was decided is not given up because a disk is full. */
  async function stubbornly(what: Written, write: () => unknown): Promise<void> {
    for (;;) {
      try {
        await write()
        if (stalls.delete(what) && stalls.size === 0) tell(undefined)
        return
      } catch (error) {
        const reason = `the store cannot be written: ${(error as Error).message}`
        if (stalls.size === 0) tell(reason)
        stalls.set(what, reason)
        await new Promise<void>((resolve) => clock.after(STORAGE_RETRY_MS, resolve))
      }
    }
  }

  async function work(): Promise<void> {
    await nextTurn(clock)
    for (let next = take(); next; next = take()) {
      const { effects, saves: _done, ...left } = next
      await stubbornly('ahead', () => put(left))
      if (left.isUrgent) hurry?.()
      startDraining()
      if (strict) await draining
      perform(effects)
    }
    busy = undefined
  }

  /** Appended and awaited at once: what `drain` does not know of, it would clear away. */
  function put(next: Pending): void {
    if (!isEmpty(next.changes)) {
      next.changes.turn ??= ++store.turn
      ahead.append(next.changes)
    }
    pending.push(next)
  }

  /** Transactions that are ready together share a transaction. */
  async function drain(): Promise<void> {
    while (pending.length > 0) {
      if (!strict && settling === 0 && !pending.some(({ isUrgent }) => isUrgent)) await more()
      // A plan may be large, and has just been written ahead.
      if (pending.some(({ changes }) => changes.plans.size > 0)) await nextTurn(clock)
      const together = pending
      pending = []
      const changes = together.map(({ changes }) => changes).filter((changes) => !isEmpty(changes))
      if (changes.length > 0)
        await stubbornly('store', async () => {
          await commit(store, changes)
          await flushed(store)
        })
      if (pending.length === 0) ahead.clear()
      for (const { flushes } of together) perform(flushes)
    }
  }

  /** Waits for more turns to go along. */
  function more(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(LAZY_MS, () => hurry?.())
      hurry = () => {
        hurry = undefined
        cancel()
        resolve()
      }
    })
  }

  function startDraining(): void {
    draining ??= drain().finally(() => {
      draining = undefined
      if (pending.length > 0) startDraining() // came in between
    })
  }

  /** The turns since the last look, with the states of the actors they changed. */
  function take(): Batch | undefined {
    const taken = batch
    if (taken.saves.size + taken.effects.length + taken.flushes.length === 0 && isEmpty(taken.changes)) return undefined
    for (const save of taken.saves.values()) save()
    batch = emptyBatch()
    return taken
  }

  const wake = () => {
    busy ??= work().catch(fault)
  }

  return {
    take(work) {
      try {
        work()
      } finally {
        wake()
      }
    },
    get changes() {
      return batch.changes
    },
    save(key, save) {
      batch.saves.set(key, save)
      wake()
    },
    afterCommit(effect) {
      batch.effects.push(effect)
      wake()
    },
    afterFlush(effect) {
      batch.flushes.push(effect)
      batch.isUrgent = true
      wake()
    },
    whenShown(effect) {
      batch.flushes.push(effect)
      wake()
    },
    async settled() {
      settling++
      try {
        while (busy || draining) {
          hurry?.()
          await (busy ?? draining)
        }
      } finally {
        settling--
      }
    },
    get stalled() {
      const [stalled] = stalls.values()
      return stalled
    }
  }
}
