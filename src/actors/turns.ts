/**
 * A turn: one message is processed to its end in every actor it touches; what it changed is committed in one transaction;
 * then its effects happen. Turns that are ready together share a commit. Source: architecture 1.
 */
import type { Clock } from '../clock.ts'
import { type Changes, commit, flushed, isEmpty, noChanges } from '../store/commit.ts'
import type { Store } from '../store/open.ts'

export interface Turns {
  /** Runs `work` as a turn. */
  take(work: () => void): void
  /** What the turns at hand change. */
  readonly changes: Changes
  /** Has `save` add to the changes once, just before they are committed, however often it is asked for. */
  save(key: string, save: () => void): void
  /** After the commit of the turns at hand, in the order asked for. */
  afterCommit(effect: () => void): void
  /** After the commit has reached the disk too. */
  afterFlush(effect: () => void): void
  /** Resolves when everything changed so far is committed. */
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
export function openTurns(store: Store, clock: Clock, strict: boolean, fault: (error: unknown) => void): Turns {
  let batch = emptyBatch()
  let busy: Promise<void> | undefined
  let stalled: string | undefined

  const perform = (effects: (() => void)[]) => {
    for (const effect of effects) {
      try {
        effect()
      } catch (error) {
        fault(error)
      }
    }
  }

  async function write({ changes }: Batch): Promise<void> {
    for (;;) {
      try {
        await commit(store, changes)
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
      if (!isEmpty(next.changes)) await write(next)
      if (strict || next.flushes.length > 0) {
        const { effects, flushes } = next
        if (strict) await flushed(store)
        perform(effects)
        if (strict) perform(flushes)
        else void flushed(store).then(() => perform(flushes), fault)
      } else perform(next.effects)
    }
    busy = undefined
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
      while (busy) await busy
    },
    get stalled() {
      return stalled
    }
  }
}
