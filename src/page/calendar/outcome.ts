/** What a day or an hour has come to, as a colour, a mark and words. */
import type { CalendarCell, RunStatus } from '../answers.ts'
import { labelText } from '../text.ts'

/** The one that counts is the first of these that there is. */
const WORST_FIRST: readonly RunStatus[] = [
  'failed',
  'running',
  'queued',
  'partially_succeeded',
  'canceled',
  'not_started',
  'succeeded'
]

type Counted = Pick<CalendarCell, 'runs' | 'planned'>

/** Undefined: there were no runs. */
export const outcomeOf = ({ runs }: Counted): RunStatus | undefined => WORST_FIRST.find((label) => runs[label])

export const totalOf = ({ runs }: Counted): number => Object.values(runs).reduce((sum, count) => sum + count, 0)

/** `3 runs: 2 succeeded, 1 failed; 4 planned`, or `no runs`. */
export function cellText(cell: Counted): string {
  const total = totalOf(cell)
  const parts = WORST_FIRST.flatMap((label) => (cell.runs[label] ? [`${cell.runs[label]} ${labelText(label)}`] : []))
  const runs = total === 0 ? '' : `${total} run${total === 1 ? '' : 's'}: ${parts.join(', ')}`
  const planned = cell.planned > 0 ? `${cell.planned} planned` : ''
  return [runs, planned].filter(Boolean).join('; ') || 'no runs'
}

/** A count in three signs at most: `999`, `12k`. */
export const shortCount = (count: number): string =>
  count < 1_000 ? String(count) : count < 1_000_000 ? `${Math.floor(count / 1_000)}k` : '1M+'

/** Shares of a cell in percent, what has gone wrong first. */
export function sharesOf(cell: Counted): { label: RunStatus; percent: number }[] {
  const total = totalOf(cell)
  return WORST_FIRST.flatMap((label) => {
    const count = cell.runs[label] ?? 0
    return count > 0 ? [{ label, percent: (count / total) * 100 }] : []
  })
}

/** Two cells as one: an hour that clocks repeat, for example. */
export function together(one: CalendarCell, other: CalendarCell): CalendarCell {
  const runs = { ...one.runs }
  for (const [label, count] of Object.entries(other.runs) as [RunStatus, number][])
    runs[label] = (runs[label] ?? 0) + count
  return {
    ...one,
    fromMs: Math.min(one.fromMs, other.fromMs),
    toMs: Math.max(one.toMs, other.toMs),
    runs,
    planned: one.planned + other.planned
  }
}
