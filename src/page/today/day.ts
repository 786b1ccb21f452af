/** The runs of the last 24 hours by definition, as bars along a common day. */
import type { RunLabel, RunSummary } from '../answers.ts'
import { instant, markOf } from '../text.ts'

export const DAY_MS = 24 * 3_600_000

export interface DayBar {
  run: RunSummary
  /** Place and width in thousandths of the day. */
  x: number
  width: number
}
export interface DayRow {
  name: string
  failed: number
  /** In the order they are drawn in: failures last, so that no other bar hides them. */
  bars: DayBar[]
}

/** A run of a second can be seen and pressed. */
const LEAST_WIDTH = 8

/** Definitions with failures first, most of them first; then by name. @param now epoch ms, the end of the day */
export function dayOf(runs: readonly RunSummary[], now: number): DayRow[] {
  const rows = new Map<string, DayRow>()
  const from = now - DAY_MS
  for (const run of runs) {
    const start = instant(run.startedAt) ?? instant(run.queuedAt)
    if (start === undefined) continue
    const end = instant(run.finishedAt) ?? now
    if (end < from) continue
    const x = Math.min(1_000 - LEAST_WIDTH, Math.max(0, ((start - from) / DAY_MS) * 1_000))
    const width = Math.max(LEAST_WIDTH, ((end - from) / DAY_MS) * 1_000 - x)
    const row = rows.get(run.name) ?? { name: run.name, failed: 0, bars: [] }
    rows.set(run.name, row)
    row.bars.push({ run, x, width })
    if (run.statusLabel === 'failed') row.failed++
  }
  for (const { bars } of rows.values())
    bars.sort((one, other) => weight(one.run.statusLabel) - weight(other.run.statusLabel) || one.x - other.x)
  return [...rows.values()].sort((one, other) => other.failed - one.failed || one.name.localeCompare(other.name))
}

const weight = (label: RunLabel) => (label === 'failed' ? 1 : 0)

/** How many of the runs have each status, or wait. */
export function countsOf(runs: readonly RunSummary[]): Map<RunLabel | 'waiting', number> {
  const counts = new Map<RunLabel | 'waiting', number>()
  for (const run of runs) counts.set(markOf(run), (counts.get(markOf(run)) ?? 0) + 1)
  return counts
}
