/** When the schedules of several definitions fire next, in their order. */
import { nextRun, nextRunsOf } from '../../../definition/dag/next-run.ts'
import type { StoredDefinition } from '../../../definitions/stored-definition.ts'

export interface PlannedStart {
  stored: StoredDefinition
  /** Epoch ms. */
  at: number
}
/** A start with the expression that it is by. */
export interface NamedStart extends PlannedStart {
  zone: string
  expression: string
}

export interface Planned {
  starts: PlannedStart[]
  /** Epoch ms: those before it are all there. */
  until: number
}

// D1430: the calendar is counted from the indexes when it is asked for, up to a limit; no sums are stored
/** Starts that one answer finds. */
const MOST_STARTS = 2_000

/** Schedules that start runs; suspended definitions have none. */
export const expressionsOf = ({ definition, suspended }: StoredDefinition): readonly string[] =>
  suspended ? [] : (definition.plan?.schedule.start ?? [])

/** @param after, before epoch ms @param zone of expressions that name none @param giveWay awaited now and then */
export async function plannedStarts(
  stored: readonly StoredDefinition[],
  { after, before, zone }: { after: number; before: number; zone: string },
  giveWay: () => Promise<void> | undefined
): Promise<Planned> {
  const due: PlannedStart[] = []
  for (const one of stored) {
    put(one, after)
    await giveWay()
  }
  const starts: PlannedStart[] = []
  // The next one is the last of them.
  for (let next = due.pop(); next; next = due.pop()) {
    if (starts.length === MOST_STARTS) return { starts, until: next.at }
    starts.push(next)
    put(next.stored, next.at)
    await giveWay()
  }
  return { starts, until: before }

  function put(one: StoredDefinition, from: number): void {
    const at = nextRun(expressionsOf(one), from, zone)
    if (at === undefined || at >= before) return
    let [low, high] = [0, due.length]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((due[middle]?.at ?? 0) > at) low = middle + 1
      else high = middle
    }
    due.splice(low, 0, { stored: one, at })
  }
}

/** With the expression that fires then. @param zone of expressions that name none */
export async function withExpressions(
  starts: readonly PlannedStart[],
  zone: string,
  giveWay: () => Promise<void> | undefined
): Promise<NamedStart[]> {
  const named: NamedStart[] = []
  for (const start of starts) {
    const [first] = await nextRunsOf(expressionsOf(start.stored), start.at - 1, zone, 1, giveWay)
    if (first) named.push({ ...start, zone: first.zone, expression: first.expression })
  }
  return named
}
