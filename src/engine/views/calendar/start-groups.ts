/** The starts that schedules make in a period: for each expression of a definition how many, the first and the last one. */
import { nextRun } from '../../../definition/dag/next-run.ts'
import { cronRule, numbersOf } from '../../../definition/dag/schedule.ts'
import type { StoredDefinition } from '../../../definitions/stored-definition.ts'
import { type Cell, cellsOf } from './cells.ts'
import { expressionsOf } from './planned.ts'

export interface StartGroup {
  stored: StoredDefinition
  /** IANA zone that the expression is for. */
  zone: string
  expression: string
  count: number
  /** Epoch ms. */
  first: number
  last: number
}
type Counted = Omit<StartGroup, 'stored'>

interface Period {
  /** Epoch ms, `[from, to)`. */
  from: number
  to: number
  /** The zone of expressions that name none. */
  zone: string
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

// D1746: the starts of a period are counted by days, not one by one
/** By their first start, equal ones as they are given. @param giveWay awaited now and then */
export async function startGroups(
  stored: readonly StoredDefinition[],
  period: Period,
  giveWay: () => Promise<void> | undefined
): Promise<StartGroup[]> {
  const days = new Map<string, readonly Cell[]>()
  const known = new Map<string, Counted | undefined>()
  const groups: StartGroup[] = []
  for (const one of stored) {
    for (const expression of new Set(expressionsOf(one))) {
      if (!known.has(expression)) known.set(expression, startsIn(expression, period, days))
      const counted = known.get(expression)
      if (counted) groups.push({ stored: one, ...counted })
    }
    await giveWay()
  }
  return groups.sort((a, b) => a.first - b.first)
}

/** @param days those of the period by zone, filled in here */
function startsIn(
  expression: string,
  { from, to, zone: local }: Period,
  days: Map<string, readonly Cell[]>
): Counted | undefined {
  const next = (after: number) => nextRun([expression], after, local)
  const first = next(from - 1)
  const rule = cronRule(expression)
  if (first === undefined || first >= to || 'wrong' in rule) return undefined
  const zone = rule.timezone ?? local
  const cells = days.get(zone) ?? cellsOf(from, to, 'day', zone)
  days.set(zone, cells)
  const [inHour = '', inDay = ''] = rule.pattern.split(' ')
  const minutes = numbersOf(inHour, 0, 59)
  const times = numbersOf(inDay, 0, 23).flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * MINUTE_MS))
  const found = { zone, expression, count: 0, first, last: first }
  let at: number | undefined = first
  for (const day of cells) {
    if (at === undefined || at >= to) break
    if (at >= day.to) continue
    // A day that an expression names has all of its times, unless clocks change.
    if (day.to - day.from !== DAY_MS)
      for (let one: number | undefined = at; one !== undefined && one < day.to; one = next(one)) note(one)
    else if (day.from < from || day.to > to) for (const time of times) note(day.from + time)
    else {
      note(day.from + (times.at(-1) ?? 0))
      found.count += times.length - 1
    }
    at = next(day.to - 1)
  }
  return found

  function note(start: number): void {
    if (start < from || start >= to) return
    found.count++
    found.last = Math.max(found.last, start)
  }
}
