/**
 * A transaction: one message is processed completely, in every actor it reaches; its changes are committed together; then its
 * effects run. Transactions that are ready at the same time share a commit. Source: architecture 1.
 */
import { type Clock, nextTurn } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import { type Meters, openMeters, type StoreFile } from '../../platform/meters.ts'
import { type Changes, isEmpty, noChanges } from '../../store/changes.ts'
import { commit, flushed } from '../../store/commit.ts'
import type { WriteAhead } from '../../store/disk/write-ahead.ts'
import type { Store } from '../../store/open.ts'

export interface Transactions {
  /** Runs `work` as a transaction. */
  take(work: () => void): void
  /** Has `look` called before each transaction, for facts outside that decisions depend on. It may take transactions itself. */
  before(look: () => void): void
  /** The changes of the current transactions. */
  readonly changes: Changes
  /** Calls `save` once just before the changes are committed, however often it was requested, so that it adds to them. */
  save(key: string, save: () => void): void
  /** Runs `effect` when the current transactions survive a crash of the process, in the order of the calls. */
  afterCommit(effect: () => void): void
  /** Like `afterCommit`, but does not wait for a disk that cannot be written: the stop of what fills it must not. */
  afterCommitOrStall(effect: () => void): void
  /** Runs it when they also survive a power loss and readers of the store see them; that is expedited. */
  afterFlush(effect: () => void): void
  /** Like `afterFlush`, without expediting: within `LAZY_MS`. */
  whenShown(effect: () => void): void
  /** Resolves when everything changed so far is in the store and its effects have been called. */
  settled(): Promise<void>
  /**
   * The engine is closing: a disk that cannot be written is waited for `LEAVING_MS` more. Then nothing else is stored and no further
   * effect is called, as if the process had died; the write-ahead file keeps what is in it. Resolves then, else never.
   */
  leave(): Promise<void>
  /** Why not everything was stored, after the engine has closed. */
  readonly left: string | undefined
  /** Why nothing can be stored at the moment; undefined: it can. */
  readonly stalled: string | undefined
}

/** What goes into LMDB, and what follows. Must not keep ended actors alive. */
interface Pending {
  changes: Changes
  flushes: (() => void)[]
  /** A caller waits for its flush. */
  isUrgent: boolean
}
interface Batch extends Pending {
  saves: Map<string, () => void>
  effects: (() => void)[]
}
const emptyBatch = (): Batch => ({ changes: noChanges(), saves: new Map(), effects: [], flushes: [], isUrgent: false })

/** Interval between retries of a failed write; nothing is reported before it is stored. Source: reliability P6. */
const STORAGE_RETRY_MS = 500

/** Longest wait of an engine that closes for a disk that cannot be written. */
const LEAVING_MS = 2_000

/** Transactions that no caller waits for go into LMDB together: a flush for each would slow down the steps themselves. */
const LAZY_MS = 25

/**
 * @param strict effects also wait for the flush @param fault called with what an effect throws: a defect
 * @param onStall called once with the reason why nothing can be stored, and with undefined when it can be again
 * @param meters told how long things take; default: nobody is
 */
export function openTransactions(
  store: Store,
  ahead: WriteAhead,
  clock: Clock,
  strict: boolean,
  fault: (error: unknown) => void,
  onStall: (stalled: string | undefined) => void = () => {},
  meters: Meters = openMeters()
): Transactions {
  let batch = emptyBatch()
  let busy: Promise<void> | undefined
  /** By file: one of the two may be writable while the other is not. */
  const stalls = new Map<StoreFile, string>()
  /** Effects that are run at the latest when nothing can be stored. */
  const impatient = new Set<() => void>()
  /** Appended to the write-ahead file, and being written to LMDB. */
  let pending: Pending[] = []
  let draining: Promise<void> | undefined
  /** Callers that wait until everything is stored: meanwhile commits do not wait for more transactions. */
  let settling = 0
  /** Ends the wait for more transactions. */
  let expedite: (() => void) | undefined

  /** When the engine closed, by `clock.elapsed`. */
  let leavingSince: number | undefined
  /** Why nothing is stored any more. */
  let left: string | undefined
  let giveUp: () => void = () => {}
  const given = new Promise<void>((resolve) => {
    giveUp = resolve
  })

  let foresee: (() => void) | undefined
  /** A transaction is being measured. */
  let isTimed = false
  const perform = (effects: Iterable<() => void>) => {
    for (const effect of effects) {
      try {
        effect()
      } catch (error) {
        fault(error)
      }
    }
  }

  /** Retries until it succeeds: a full disk must not undo a decision. False: the engine closes, and gives up. */
  async function stubbornly(what: StoreFile, write: () => unknown): Promise<boolean> {
    const began = meters.isOn ? clock.elapsed() : undefined
    const firstAt = clock.elapsed()
    for (;;) {
      if (left !== undefined) return false // what follows must not be stored without what came before
      try {
        await write()
        if (began !== undefined) meters.note({ what: 'write', file: what, ms: clock.elapsed() - began })
        if (stalls.delete(what) && stalls.size === 0) onStall(undefined)
        return true
      } catch (error) {
        const reason = `the store cannot be written: ${messageOf(error)}`
        if (stalls.size === 0) onStall(reason)
        stalls.set(what, reason)
        perform(impatient)
        if (leavingSince !== undefined && clock.elapsed() - Math.max(leavingSince, firstAt) >= LEAVING_MS) {
          left = reason
          giveUp()
          return false
        }
        await new Promise<void>((resolve) => clock.after(STORAGE_RETRY_MS, resolve))
      }
    }
  }

  async function work(): Promise<void> {
    await nextTurn(clock)
    for (let next = take(); next; next = take()) {
      const { effects, saves: _done, ...rest } = next
      if (!(await stubbornly('write_ahead', () => put(rest)))) break
      if (rest.isUrgent) expedite?.()
      startDraining()
      if (strict) await draining
      if (strict && left !== undefined) break
      perform(effects)
    }
    busy = undefined
  }

  /** Appended and added to `ahead` in one go: `drain` would clear away what it does not know of. */
  function put(next: Pending): void {
    if (!isEmpty(next.changes)) {
      next.changes.turn ??= ++store.turn
      ahead.append(next.changes)
    }
    pending.push(next)
  }

  /** Transactions that are ready at the same time share an LMDB transaction. */
  async function drain(): Promise<void> {
    while (pending.length > 0 && left === undefined) {
      if (!strict && settling === 0 && !pending.some(({ isUrgent }) => isUrgent)) await more()
      // A plan may be large, and was just written to the write-ahead file.
      if (pending.some(({ changes }) => changes.plans.size > 0)) await nextTurn(clock)
      const together = pending
      pending = []
      const changes = together.map(({ changes }) => changes).filter((changes) => !isEmpty(changes))
      const isStored =
        changes.length === 0 ||
        (await stubbornly('store', async () => {
          await commit(store, changes)
          await flushed(store)
        }))
      if (!isStored) return
      if (pending.length === 0) ahead.clear()
      for (const { flushes } of together) perform(flushes)
    }
  }

  /** Waits for more transactions to share the commit. */
  function more(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(LAZY_MS, () => expedite?.())
      expedite = () => {
        expedite = undefined
        cancel()
        resolve()
      }
    })
  }

  function startDraining(): void {
    draining ??= drain().finally(() => {
      draining = undefined
      if (pending.length > 0 && left === undefined) startDraining() // more arrived in the meantime
    })
  }

  /** The transactions since the last call, with the states of the actors they changed. */
  function take(): Batch | undefined {
    const taken = batch
    if (taken.saves.size + taken.effects.length + taken.flushes.length === 0 && isEmpty(taken.changes)) return undefined
    for (const save of taken.saves.values()) save()
    batch = emptyBatch()
    return taken
  }

  const wake = () => {
    if (left === undefined) busy ??= work().catch(fault)
  }

  return {
    before(look) {
      foresee = look
    },
    take(work) {
      // A transaction within another one is measured as a part of it.
      const began = meters.isOn && !isTimed ? clock.elapsed() : undefined
      if (began !== undefined) isTimed = true
      try {
        foresee?.()
        work()
      } finally {
        wake()
        if (began !== undefined) {
          isTimed = false
          meters.note({ what: 'turn', ms: clock.elapsed() - began })
        }
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
    afterCommitOrStall(effect) {
      if (stalls.size > 0) return perform([effect])
      const once = () => {
        if (impatient.delete(once)) effect()
      }
      impatient.add(once)
      batch.effects.push(once)
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
          expedite?.()
          await (busy ?? draining)
        }
      } finally {
        settling--
      }
    },
    leave() {
      leavingSince ??= clock.elapsed()
      return given
    },
    get left() {
      return left
    },
    get stalled() {
      const [stalled] = stalls.values()
      return stalled
    }
  }
}
