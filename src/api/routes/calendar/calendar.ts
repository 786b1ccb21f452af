/** `/calendar`: runs and starts to come, by days or hours of a zone. An addition: docs/http-api.md "Calendar". */
import type Router from '@koa/router'
import type { Engine } from '../../../engine/engine.ts'
import { type Cell, type CellLength, cellsOf } from '../../../engine/views/calendar/cells.ts'
import { countRuns } from '../../../engine/views/calendar/counts.ts'
import { type Planned, plannedStarts, withExpressions } from '../../../engine/views/calendar/planned.ts'
import { TroupeError } from '../../../errors.ts'
import type { Shape } from '../../../schema/schema.ts'
import { seesRun } from '../../access/seen.ts'
import type { Calendar } from '../../contract/calendar/operations.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { readQuery } from '../../input/query.ts'
import { dagNameOf } from '../../shapes/dag-names.ts'
import type { SeenCatalogue } from '../../shapes/seen-catalogue.ts'
import { turns } from '../../turns.ts'

export const DAY_MS = 86_400_000
/** By the length of a cell: before and after now, and the longest period, ms. */
const SPANS: Record<CellLength, Span> = {
  day: { before: 120 * DAY_MS, after: 14 * DAY_MS, most: 400 * DAY_MS },
  hour: { before: 7 * DAY_MS, after: DAY_MS, most: 15 * DAY_MS }
}
interface Span {
  before: number
  after: number
  most: number
}
/** Starts of which more is said than their number. */
const MOST_NAMED = 50
/** Years 1970 to 9999. */
const LAST_MS = 253_402_300_799_000

export function calendarRoutes(router: Router, engine: Engine, catalogue: SeenCatalogue): void {
  router.get('/calendar', async (ctx) => {
    const query = readQuery(ctx, OPERATIONS.getCalendar.query)
    const by: CellLength = query.by === 'hour' ? 'hour' : 'day'
    const { name, zone = engine.config.tz } = query
    const now = engine.now()
    const cells = cellsIn(periodOf(query, SPANS[by], now), by, zone)
    const [first, last] = [cells[0]?.from ?? 0, cells.at(-1)?.to ?? 0]
    const turn = turns()
    const sees = await seesRun(ctx)
    const past = cells.filter(({ from }) => from <= now)
    const { counts, first: counted } = await countRuns(
      engine,
      past,
      { ...(name === undefined ? {} : { name }), sees },
      turn
    )
    const planned = last > now ? await plannedIn(Math.max(now, first), last) : { starts: [], until: last }
    const perCell = plannedPerCell(cells, planned)
    const { tz } = engine.config
    const answer: Shape<typeof Calendar> = {
      zone,
      by,
      fromMs: first,
      toMs: last,
      cells: cells.flatMap(({ from, to, date, hour }, at) => {
        const [runs, starts] = [counts[at] ?? {}, perCell[at] ?? 0]
        if (starts === 0 && Object.keys(runs).length === 0) return []
        return [{ date, ...(hour === undefined ? {} : { hour }), fromMs: from, toMs: to, runs, planned: starts }]
      }),
      countedFromMs: counted === 0 ? null : (past[counted]?.from ?? last),
      plannedToMs: planned.until < last ? planned.until : null,
      planned: (await withExpressions(planned.starts.slice(0, MOST_NAMED), tz, turn)).map(
        ({ stored, at, zone, expression }) => ({
          name: dagNameOf(stored),
          fileName: stored.fileName,
          atMs: at,
          zone,
          expression
        })
      )
    }
    ctx.body = answer

    async function plannedIn(after: number, before: number): Promise<Planned> {
      const { entries } = await catalogue(ctx)
      const stored = entries.map((entry) => entry.stored).filter((one) => name === undefined || dagNameOf(one) === name)
      return plannedStarts(stored, { after, before, zone: engine.config.tz }, turn)
    }
  })
}

/** How many starts are in each cell. */
function plannedPerCell(cells: readonly Cell[], { starts }: Planned): number[] {
  const numbers = cells.map(() => 0)
  let at = 0
  for (const start of starts) {
    while (at < cells.length - 1 && (cells[at]?.to ?? 0) <= start.at) at++
    numbers[at] = (numbers[at] ?? 0) + 1
  }
  return numbers
}

/** @throws TroupeError bad_request */
export function periodOf(
  { fromDate, toDate }: { fromDate?: number | undefined; toDate?: number | undefined },
  { before, after, most }: Span,
  now: number
): { from: number; to: number } {
  const from = fromDate === undefined ? now - before : fromDate * 1_000
  const to = toDate === undefined ? Math.max(now + after, from + 1) : toDate * 1_000
  if (from < 0 || to > LAST_MS || to <= from)
    throw new TroupeError('bad_request', "query parameters 'fromDate', 'toDate': wanted a period after 1970")
  if (to - from > most)
    throw new TroupeError(
      'bad_request',
      `query parameters 'fromDate', 'toDate': wanted at most ${most / DAY_MS} days, found ${Math.ceil((to - from) / DAY_MS)}`
    )
  return { from, to }
}

/** @throws TroupeError bad_request */
function cellsIn({ from, to }: { from: number; to: number }, by: CellLength, zone: string): Cell[] {
  try {
    return cellsOf(from, to, by, zone)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new TroupeError(
      'bad_request',
      `query parameter 'zone': wanted a time zone such as Europe/Berlin, found ${zone}`
    )
  }
}
