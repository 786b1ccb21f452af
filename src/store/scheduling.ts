/** Data of scheduler and retention: decisions, minutes, pending restarts, files to be removed. Source: execution-semantics 11, 14.1. */
import type { RunKey, ScheduleDecision } from '../../machines/vocabulary.ts'
import { readEntry, readRange } from './damage/damaged.ts'
import type { LeftoverKey, PairKey, Store } from './open.ts'
import type { DecisionsPart } from './parts.ts'
import type { StoredLeftover, StoredRestart, StoredSlots } from './stored.ts'
import { areSlots, isDecision, isRestart } from './stored.ts'

/** Changes of one or more transactions. An absent value means removal. */
export interface Scheduling {
  /** By number. */
  decisions: Map<number, ScheduleDecision>
  slots: Map<string, StoredSlots>
  restarts: Map<string, { key: PairKey; value?: StoredRestart }>
  leftovers: Map<string, { key: LeftoverKey; value?: StoredLeftover }>
}

export const noScheduling = (): Scheduling => ({
  decisions: new Map(),
  slots: new Map(),
  restarts: new Map(),
  leftovers: new Map()
})

export const saysNothing = ({ decisions, slots, restarts, leftovers }: Scheduling): boolean =>
  decisions.size + slots.size + restarts.size + leftovers.size === 0

// D806: decisions are stored apart from journals
/** Decisions that are kept: three times a month of 20 hourly definitions. */
const KEPT_DECISIONS = 50_000
/** Number of decisions that are removed at once. */
const STEP = 1_000

export function putScheduling(store: Store, { decisions, slots, restarts, leftovers }: Scheduling): void {
  for (const [number, decision] of decisions) {
    store.decisions.put(number, decision)
    if (number % STEP === 0)
      for (const old of [...store.decisions.getKeys({ end: number - KEPT_DECISIONS + 1 })]) store.decisions.remove(old)
  }
  for (const [fileName, value] of slots) store.slots.put(fileName, value)
  for (const { key, value } of restarts.values()) value ? store.restarts.put(key, value) : store.restarts.remove(key)
  for (const { key, value } of leftovers.values()) value ? store.leftovers.put(key, value) : store.leftovers.remove(key)
}

/** Undefined: no minute has been decided, or the entry cannot be read. */
export const slotsOf = (store: Store, fileName: string): StoredSlots | undefined =>
  readEntry(store.slots, fileName, areSlots)

/** Number of the latest decision; 0: there is none. */
export const latestDecision = (store: Store): number =>
  Array.from(store.decisions.getKeys({ reverse: true, limit: 1 }))[0] ?? 0

/** Decisions of the scheduler, newest first. */
export const decisionsOf = (store: Store, limit: number): ScheduleDecision[] =>
  readRange(store.decisions, { reverse: true, limit }, isDecision).map(({ value }) => value)

// D813: decisions are listed by number, newest first
/**
 * Decisions with a smaller number than `before`, at most `limit`. At most `through` decisions are scanned, however rare those of a
 * definition are: then the page is shorter, or empty, and has a `next`. Unreadable decisions are skipped.
 */
export function decisionsBefore(
  store: Store,
  before: number,
  { fileName, limit, through }: { fileName?: string | undefined; limit: number; through: number }
): DecisionsPart {
  const decisions: DecisionsPart['decisions'] = []
  const keys = Array.from(store.decisions.getKeys({ start: before - 1, reverse: true, limit: through + 1 }))
  for (const [looked, number] of keys.entries()) {
    if (looked === through || decisions.length === limit) return { decisions, next: number + 1 }
    const decision = readEntry(store.decisions, number, isDecision)
    if (decision && (fileName === undefined || decision.fileName === fileName)) decisions.push({ number, decision })
  }
  return { decisions }
}

/** Restarts that have begun. */
export const restartsIn = (store: Store): { key: RunKey; restart: StoredRestart }[] =>
  readRange(store.restarts, {}, isRestart).map(({ key: [name, dagRunId], value: restart }) => ({
    key: { name, dagRunId },
    restart
  }))
