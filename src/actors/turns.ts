/**
 * A turn: one message is processed to its end in every actor it touches; what it changed is committed in one transaction;
 * then its effects happen. Turns that are ready together share a commit. Source: architecture 1.
 */
import type { Clock } from '../clock.ts'
import { type Changes, commit, flushed, isEmpty, noChanges } from '../store/commit.ts'
import type { Store } from '../store/open.ts'
import type { WriteAhead } from '../store/write-ahead.ts'

export interface Turns {
  /** Runs `work` as a turn. */
  take(work: () => void): void
  /** What the turns at hand change. */
  readonly changes: Changes
  /** Has `save` add to the changes once, just before they are committed, however often it is asked for. */
  save(key: string, save: () => void): void
  /** When the turns at hand survive the death of the process, in the order asked for. */
  afterCommit(effect: () => void): void
  /** When they survive the loss of power too, and readers of the store see them. */
  afterFlush(effect: () => void): void
  /** Resolves when everything changed so far is in the store, and its effects have been asked for. */
  settled(): Promise<void>
  /** Why nothing can be stored right now; undefined: it can. */
  readonly stalled: string | undefined
}

interface Batch {
  changes: Changes
  saves: Map<string, () => void>
  effects: (() => void)[]
  flushes: (() => void)[]
}
const emptyBatch = (): Batch => ({ changes: noChanges(), saves: new Map(), effects: [], flushes: [] })

/** Storage that refuses is asked again at this distance; nothing is reported that was not stored. Source: reliability P6. */
const STORAGE_RETRY_MS = 500

/** @param strict effects wait for the flush too. @param fault told what an effect throws: a defect */
export function openTurns(
  store: Store,
  ahead: WriteAhead,
  clock: Clock,
  strict: boolean,
  fault: (error: unknown) => void
): Turns {
  let batch = emptyBatch()
  let busy: Promise<void> | undefined
  let stalled: string | undefined
  /** Appended to the write-ahead file, and on their way into LMDB. */
  let pending: Batch[] = []
  let draining: Promise<void> | undefined

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
  async function stubbornly(write: () => void | Promise<void>): Promise<void> {
    for (;;) {
      try {
        await write()
        stalled = undefined
        return
      } catch (error) {
        stalled = `the store cannot be written: ${(error as Error).message}`
        await new Promise<void>((resolve) => clock.at(clock.now() + STORAGE_RETRY_MS, resolve))
      }
    }
  }

  async function work(): Promise<void> {
    await new Promise<void>((resolve) => clock.soon(resolve))
    for (let next = take(); next; next = take()) {
      const { changes, effects } = next
      if (!isEmpty(changes)) await stubbornly(() => ahead.append(changes))
      pending.push(next)
      startDraining()
      if (strict) await draining
      perform(effects)
    }
    busy = undefined
  }

  /** Turns that are ready together share a transaction. */
  async function drain(): Promise<void> {
    while (pending.length > 0) {
      const together = pending
      pending = []
      const changes = together.map(({ changes }) => changes).filter((changes) => !isEmpty(changes))
      if (changes.length > 0)
        await stubbornly(async () => {
          await commit(store, changes)
          await flushed(store)
        })
      if (pending.length === 0) ahead.clear()
      for (const { flushes } of together) perform(flushes)
    }
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
      wake()
    },
    async settled() {
      while (busy || draining) await (busy ?? draining)
    },
    get stalled() {
      return stalled
    }
  }
}
