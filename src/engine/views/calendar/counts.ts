/** Runs of days or hours by status, the newest first, until a request has looked at enough of them. */
import type { RunStatus } from '../../../../machines/vocabulary.ts'
import type { PlacedStatus, RunCounts, RunPlace } from '../../engine.ts'
import type { Cell } from './cells.ts'

/** What is asked of an engine. */
export interface CountedRuns {
  countsIn(from: number, to: number): RunCounts
  statusesPart(
    filter: { name?: string; from: number; to: number },
    before: RunPlace | undefined,
    most: number
  ): PlacedStatus[]
}

export interface Asked {
  /** Exact DAG name; absent: runs of all. */
  name?: string
  /** Absent: all runs are seen, and counted without looking at each. */
  sees?: ((run: RunPlace) => boolean) | undefined
}

// D1430: the calendar is counted from the indexes when it is asked for, up to a limit; no sums are stored
/** Limit of runs that the indexes count. */
const MOST_COUNTED = 1_000_000
/** Where each run is looked at. */
const MOST_LOOKED_AT = 100_000
/** Others have their turn after so many. */
export const AT_ONCE = 500

export interface Counted {
  /** By the place of the cell. */
  counts: RunCounts[]
  /** Cells before this one have not been counted; 0: all have. */
  first: number
}

/** @param giveWay awaited now and then */
export async function countRuns(
  engine: CountedRuns,
  cells: readonly Cell[],
  { name, sees }: Asked,
  giveWay: () => Promise<void> | undefined
): Promise<Counted> {
  const isEach = name !== undefined || sees !== undefined
  const counts: RunCounts[] = cells.map(() => ({}))
  let left = isEach ? MOST_LOOKED_AT : MOST_COUNTED
  for (let at = cells.length - 1; at >= 0; at--) {
    const cell = cells[at]
    if (!cell) continue
    if (left <= 0) return { counts, first: at + 1 }
    if (isEach) {
      const [found, seen] = await eachIn(cell)
      counts[at] = found
      left -= seen
    } else {
      const found = engine.countsIn(cell.from, cell.to)
      counts[at] = found
      for (const count of Object.values(found)) left -= count
    }
    await giveWay()
  }
  return { counts, first: 0 }

  async function eachIn({ from, to }: Cell): Promise<[RunCounts, number]> {
    const found = new Map<RunStatus, number>()
    let seen = 0
    for (let before: RunPlace | undefined; ; ) {
      const part = engine.statusesPart({ ...(name === undefined ? {} : { name }), from, to }, before, AT_ONCE)
      for (const run of part) if (!sees || sees(run)) found.set(run.status, (found.get(run.status) ?? 0) + 1)
      seen += part.length
      before = part.at(-1)
      // A day with more than a whole answer may look at is counted as a whole: its number must be right.
      if (part.length < AT_ONCE) return [Object.fromEntries(found), seen]
      await giveWay()
    }
  }
}
