/** Decided minutes of a definition: no slot gets two runs, whatever the clock does. Source: execution-semantics 11.5, 11.13. */
import type { Due } from '../../../machines/policy/due.ts'
import type { Plan } from '../../../machines/vocabulary.ts'
import { latestRuns } from '../../definition/dag/next-run.ts'
import type { Changes } from '../../store/changes.ts'
import type { Store } from '../../store/open.ts'
import { slotsOf } from '../../store/scheduling.ts'
import type { StoredSlots } from '../../store/stored.ts'

// D805: the latest 60 decided minutes of each schedule are remembered
/**
 * Minutes that are remembered per kind: how far a clock may be set back before only rule 11.7 protects against duplicates. As many
 * again are kept for minutes that recur after the clock was set back, so that slots decided meanwhile do not displace them.
 */
const KEPT = 60
/** Maximum number of starts that are backfilled: the latest ones. */
const MOST_BACKFILLED = 100
/** Definitions whose minutes are cached. */
const CACHED = 20_000

/** In order, as few as are remembered; mostly it is the latest, or there already. */
function withSlot(slots: readonly number[], slot: number): number[] {
  const others = slots.filter((one) => one !== slot).sort((a, b) => a - b)
  const first = others.findIndex((one) => one > slot)
  const at = first < 0 ? others.length : first
  return [...others.slice(Math.max(0, at + 1 - KEPT), at), slot, ...others.slice(at, at + KEPT)]
}

export interface DecidedSlots {
  isSettled(due: Due): boolean
  /** A start that `missed` returned and that another lookup has backfilled since. */
  isBackfilled(due: Due): boolean
  /** Takes effect in memory at once; `store` adds it to the changes. */
  settle(due: Due): void
  store(changes: Changes, fileName: string): void
  /** Starts tracking for `catchup`; the same expressions continue where they were. @returns whether that must be stored */
  watch(fileName: string, plan: Plan, now: number): boolean
  /** The latest undecided starts before `minute`, at most `MOST_BACKFILLED`, oldest first. */
  missed(fileName: string, plan: Plan, minute: number): number[]
}

export function decidedSlots(stored: Store, zone: () => string): DecidedSlots {
  const cached = new Map<string, StoredSlots>()
  const of = (fileName: string): StoredSlots => {
    const found = cached.get(fileName) ?? slotsOf(stored, fileName) ?? { decided: {} }
    cached.delete(fileName)
    cached.set(fileName, found)
    const [oldest] = cached.keys()
    if (cached.size > CACHED && oldest !== undefined) cached.delete(oldest)
    return found
  }
  return {
    isSettled: ({ fileName, kind, slot }) => of(fileName).decided[kind]?.includes(slot) ?? false,
    isBackfilled: ({ fileName, slot }) => slot <= (of(fileName).starts?.through ?? Number.NEGATIVE_INFINITY),
    settle({ fileName, kind, slot }) {
      const { decided, starts } = of(fileName)
      cached.set(fileName, {
        decided: { ...decided, [kind]: withSlot(decided[kind] ?? [], slot) },
        ...(starts && { starts: kind === 'start' ? { ...starts, through: Math.max(starts.through, slot) } : starts })
      })
    },
    store: (changes, fileName) => void changes.scheduling.slots.set(fileName, of(fileName)),
    watch(fileName, { catchup, schedule }, now) {
      const { decided, starts } = of(fileName)
      if (catchup === 'none') {
        if (!starts) return false
        cached.set(fileName, { decided })
        return true
      }
      const isSame = starts?.expressions.join('\n') === schedule.start.join('\n')
      if (!isSame) cached.set(fileName, { decided, starts: { expressions: schedule.start, through: now } })
      return !isSame
    },
    missed(fileName, { schedule }, minute) {
      const after = of(fileName).starts?.through ?? minute
      return after < minute ? latestRuns(schedule.start, { after, before: minute, most: MOST_BACKFILLED }, zone()) : []
    }
  }
}
