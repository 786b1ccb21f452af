/** Which scheduled minutes of a definition are settled: no slot has two runs, whatever the clock does. Source: execution-semantics 11.5, 11.13. */
import type { Due } from '../../../machines/policy/due.ts'
import type { Plan } from '../../../machines/vocabulary.ts'
import { latestRuns } from '../../definition/dag/next-run.ts'
import type { Changes } from '../../store/changes.ts'
import type { Store } from '../../store/open.ts'
import { slotsOf } from '../../store/scheduling.ts'
import type { StoredSlots } from '../../store/stored.ts'

// D805
/**
 * Minutes that are remembered of each kind: how far a clock may be set back before rule 11.7 alone guards. As many again are those that
 * are to come once more when it was: they are not forgotten for those that are settled meanwhile.
 */
const KEPT = 60
/** Starts that are backfilled at most; the latest ones. */
const MOST_MADE_UP = 100
/** Definitions whose minutes are at hand. */
const AT_HAND = 20_000

export interface SettledSlots {
  isSettled(due: Due): boolean
  /** A start that `missed` told of and another look has backfilled since. */
  isBackfilled(due: Due): boolean
  /** In memory at once; `store` puts it into the changes. */
  settle(due: Due): void
  store(changes: Changes, fileName: string): void
  /** Begins to count for `catchup`; the same expressions go on where they were. @returns whether that is to be stored */
  watch(fileName: string, plan: Plan, now: number): boolean
  /** The latest starts since the settled ones and before `minute`, `MOST_MADE_UP` at most, oldest first. */
  missed(fileName: string, plan: Plan, minute: number): number[]
}

export function settledSlots(stored: Store, zone: () => string): SettledSlots {
  const atHand = new Map<string, StoredSlots>()
  const of = (fileName: string): StoredSlots => {
    const found = atHand.get(fileName) ?? slotsOf(stored, fileName) ?? { decided: {} }
    atHand.delete(fileName)
    atHand.set(fileName, found)
    const [oldest] = atHand.keys()
    if (atHand.size > AT_HAND && oldest !== undefined) atHand.delete(oldest)
    return found
  }
  return {
    isSettled: ({ fileName, kind, slot }) => of(fileName).decided[kind]?.includes(slot) ?? false,
    isBackfilled: ({ fileName, slot }) => slot <= (of(fileName).starts?.through ?? Number.NEGATIVE_INFINITY),
    settle({ fileName, kind, slot }) {
      const { decided, starts } = of(fileName)
      const others = (decided[kind] ?? []).toSorted((a, b) => a - b)
      const before = others.filter((one) => one < slot).slice(1 - KEPT)
      const after = others.filter((one) => one > slot).slice(0, KEPT)
      atHand.set(fileName, {
        decided: { ...decided, [kind]: [...before, slot, ...after] },
        ...(starts && { starts: kind === 'start' ? { ...starts, through: Math.max(starts.through, slot) } : starts })
      })
    },
    store: (changes, fileName) => void changes.scheduling.slots.set(fileName, of(fileName)),
    watch(fileName, { catchup, schedule }, now) {
      const { decided, starts } = of(fileName)
      if (catchup === 'none') {
        if (!starts) return false
        atHand.set(fileName, { decided })
        return true
      }
      const isSame = starts?.expressions.join('\n') === schedule.start.join('\n')
      if (!isSame) atHand.set(fileName, { decided, starts: { expressions: schedule.start, through: now } })
      return !isSame
    },
    missed(fileName, { schedule }, minute) {
      const after = of(fileName).starts?.through ?? minute
      return after < minute ? latestRuns(schedule.start, { after, before: minute, most: MOST_MADE_UP }, zone()) : []
    }
  }
}
