/**
 * What the scheduler could know when it decided: definitions, suspensions and runs as of its latest look at them.
 * Source: execution-semantics 11.
 */
import type { RunRecord, ScheduleDecision } from '../../../machines/vocabulary.ts'
import type { Definition } from '../definitions.ts'
import { fires, type Rhythm } from './calendar.ts'
import type { Known } from './runs.ts'

/** How things are at any moment. */
export interface Schedule {
  now(): number
  /** IANA zone of the server. */
  zone: string
  definitions(): ReadonlyMap<string, Definition>
  suspended(): ReadonlySet<string>
  runs(): ReadonlyMap<string, Known>
}

/** What is known of a definition's runs when it is decided. */
export interface Facts {
  at: number
  newest?: RunRecord
}
export const MINUTE = 60_000
/** After the clock was set. */
const LONGEST_WAIT_MS = 61_000
/** A decision is as late as the disk was slow or full, at most. */
const LATEST_MS = 6 * MINUTE

export type ScheduleView = ReturnType<typeof openScheduleView>

export function openScheduleView({ now, zone, definitions, suspended, runs }: Schedule) {
  const facts = new Map<string, Facts>()
  /** When the engine looked: decisions are stored as fast as the disk is. */
  let wasSuspended: ReadonlySet<string> = new Set()
  /** The same, of the look that a run was asked for by: its answer may come after the next look. By run id. */
  const askedWhile = new Map<string, ReadonlySet<string>>()
  /** As they were last seen, and when one was last seen to be another than before. */
  let wasDefined: ReadonlyMap<string, Definition> = new Map()
  const changedAt = new Map<string, number>()
  const askedAt = new Map<string, number>()
  let minute = Number.NEGATIVE_INFINITY
  let tickedAt = Number.NEGATIVE_INFINITY
  let undisturbed = 0
  const newestOf = (name: string): RunRecord | undefined => {
    let newest: RunRecord | undefined
    for (const { record } of runs().values()) {
      if (record.name !== name || record.caller) continue
      const later = record.createdAt - (newest?.createdAt ?? Number.NEGATIVE_INFINITY)
      if (later > 0 || (later === 0 && record.dagRunId < (newest?.dagRunId ?? ''))) newest = record
    }
    return newest
  }

  function seeDefinitions(): void {
    for (const fileName of new Set([...wasDefined.keys(), ...definitions().keys()]))
      if (wasDefined.get(fileName) !== definitions().get(fileName)) changedAt.set(fileName, now())
    wasDefined = new Map(definitions())
  }

  /** Whether what is decided now may be of a definition that is gone. */
  function hasChanged(fileName: string): boolean {
    seeDefinitions()
    return (changedAt.get(fileName) ?? Number.NEGATIVE_INFINITY) > now() - LATEST_MS
  }

  /** Whether the current facts are those that it was decided by. Storing a run may take a while. */
  const isFresh = ({ fileName, dagRunId }: ScheduleDecision) =>
    facts.get(fileName)?.at === now() && (dagRunId === undefined || (askedAt.get(dagRunId) ?? now()) === now())

  /** Whether the clock, set back while a decision waited for the disk, is in its minute again, or a moment before it. */
  const isOfThisMinute = (slot: number) =>
    now() < slot + MINUTE && now() >= slot - LONGEST_WAIT_MS && now() < undisturbed + LATEST_MS

  return {
    now,
    definitions,
    suspended,
    hasChanged,
    isFresh,
    isOfThisMinute,
    fired: (list: Rhythm[], at: number) => list.some((rhythm) => fires(rhythm, at, zone)),
    factsOf: (fileName: string) => facts.get(fileName),
    wasSuspended: (fileName: string) => wasSuspended.has(fileName),
    wasSuspendedWhenAsked: (fileName: string, dagRunId: string) =>
      (askedWhile.get(dagRunId) ?? wasSuspended).has(fileName),
    /** The minute that was last looked at. */
    get minute() {
      return minute
    },
    get tickedAt() {
      return tickedAt
    },
    /** Until then what comes late may. */
    get undisturbed() {
      return undisturbed
    },
    /** @returns whether the minute is a new one; it is not when the clock was set back a little */
    ticked(): boolean {
      tickedAt = now()
      seeDefinitions()
      const next = Math.floor(now() / MINUTE) * MINUTE
      const isNew = next !== minute
      minute = next
      return isNew
    },
    looked(): void {
      wasSuspended = new Set(suspended())
      facts.clear()
      if (now() !== tickedAt) return // it waited for the disk, and sees what was in the store by then
      for (const [fileName, { plan }] of definitions()) {
        const newest = newestOf(plan.name)
        facts.set(fileName, { at: now(), ...(newest ? { newest } : {}) })
      }
    },
    asked(dagRunId: string): void {
      askedAt.set(dagRunId, now())
      askedWhile.set(dagRunId, wasSuspended)
    },
    forget(): void {
      facts.clear()
      minute = Number.NEGATIVE_INFINITY
    },
    disturbed(): void {
      undisturbed = now() + LONGEST_WAIT_MS
    }
  }
}
