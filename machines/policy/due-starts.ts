/**
 * What is to be decided in a minute: all that schedules ask for then, and of a definition that wants it, the starts that nobody was
 * awake for. Source: execution-semantics 11.5, 11.13.
 */
import type { Plan } from '../vocabulary.ts'
import { backfilled, type Due } from './due.ts'

/** Something that is due, with the plan it is due by. */
export interface Found {
  due: Due
  plan: Plan
  /** The minute of the start is over, and it is not backfilled. */
  missed: boolean
  /** The start is backfilled: it belongs to an earlier minute. */
  late: boolean
  /** By which it is due. */
  expressions: string[]
}

/** A definition as it is stored. */
export interface Defined {
  fileName: string
  plan: Plan
}

/** A definition that makes up for missed starts, and those since the latest that is settled (epoch ms), oldest first. */
export interface Behind extends Defined {
  missedStarts: readonly number[]
}

const MINUTE_MS = 60_000

/** Definitions whose missed starts are looked for: those that wish it and are new, have changed, or start in this minute. */
export function mayBeBehind(changed: readonly Defined[], found: readonly Found[]): Defined[] {
  const plans = new Map(changed.map(({ fileName, plan }) => [fileName, plan]))
  for (const { due, plan } of found) if (due.kind === 'start') plans.set(due.fileName, plan)
  return Array.from(plans, ([fileName, plan]) => ({ fileName, plan })).filter(({ plan }) => plan.catchup !== 'none')
}

// D807: `catchup: none, last, all` is ours
/** Each missed start of those definitions is backfilled, or is not due any more: none is told of as missed. */
export const withMadeUp = (found: readonly Found[], behind: readonly Behind[]): readonly Found[] =>
  behind.reduce(withStartsOf, found)

function withStartsOf(found: readonly Found[], { fileName, plan, missedStarts }: Behind): readonly Found[] {
  const { catchup, name, schedule } = plan
  if (catchup === 'none') return found
  const isStart = ({ due }: Found) => due.fileName === fileName && due.kind === 'start'
  const others = found.filter((one) => !isStart(one))
  const now = found.find((one) => isStart(one) && !one.missed)
  const made = backfilled(catchup, missedStarts, now !== undefined).map((slot): Found => {
    const due = { fileName, name, kind: 'start' as const, slot, catchup }
    return { due, plan, missed: false, late: true, expressions: schedule.start }
  })
  if (!now) return [...others, ...made]
  // The start of this minute comes after those before it.
  const inLine = made.length > 0 ? { ...now, due: { ...now.due, catchup } } : now
  return [...others, ...made, inLine]
}

/**
 * Whether the minute of something has passed while it was looked at, because nothing could be stored: it is late like any other. Or the
 * clock was set back meanwhile, and comes there again.
 * @param earliestMs how long before its minute the clock may stand without having been set back
 */
export const isOver = ({ slot, catchup }: Due, now: number, earliestMs: number): boolean =>
  catchup === undefined && (now >= slot + MINUTE_MS || now < slot - earliestMs)
