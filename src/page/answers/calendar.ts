/** Runs and starts to come by days or hours. Source: http-api "Calendar". */
import type { RunLabel } from './runs.ts'

export interface CalendarCell {
  /** `2026-11-28`, in the zone of the answer. */
  date: string
  /** Of an hour: 0 to 23. */
  hour?: number
  fromMs: number
  toMs: number
  runs: Partial<Record<RunLabel, number>>
  planned: number
}

export interface CalendarAnswer {
  cells: CalendarCell[]
  /** Cells before it have not been counted; null: all have. */
  countedFromMs: number | null
  /** Starts from it on have not; null: all have. */
  plannedToMs: number | null
  /** The first starts to come. */
  planned: { name: string; fileName: string; atMs: number; zone: string; expression: string }[]
}
