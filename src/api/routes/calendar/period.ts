/** `/calendar/period`: runs and starts to come of a period, by what repeats. An addition: docs/http-api.md "Calendar". */
import type Router from '@koa/router'
import type { Engine } from '../../../engine/engine.ts'
import { runGroups } from '../../../engine/views/calendar/run-groups.ts'
import { startGroups } from '../../../engine/views/calendar/start-groups.ts'
import type { Shape } from '../../../schema/schema.ts'
import { seesRun } from '../../access/seen.ts'
import type { CalendarPeriod } from '../../contract/calendar/operations.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { readQuery } from '../../input/query.ts'
import { dagNameOf } from '../../shapes/dag-names.ts'
import type { SeenCatalogue } from '../../shapes/seen-catalogue.ts'
import { turns } from '../../turns.ts'
import { DAY_MS, periodOf } from './calendar.ts'

/** Members of one kind in an answer. */
const MOST = 200

export function periodRoutes(router: Router, engine: Engine, catalogue: SeenCatalogue): void {
  router.get('/calendar/period', async (ctx) => {
    const query = readQuery(ctx, OPERATIONS.getCalendarPeriod.query)
    const { name } = query
    const now = engine.now()
    const { from, to } = periodOf(query, { before: 0, after: DAY_MS, most: 15 * DAY_MS }, now)
    const turn = turns()
    const asked = { ...(name === undefined ? {} : { name }), sees: await seesRun(ctx) }
    const { groups: runs, since } = await runGroups(engine, { from, to }, asked, turn)
    const starts = to > now ? await startsOf(Math.max(from, now)) : []
    const answer: Shape<typeof CalendarPeriod> = {
      fromMs: from,
      toMs: to,
      runs: runs.slice(0, MOST).map(({ first, last, ...group }) => ({ ...group, firstMs: first, lastMs: last })),
      countedFromMs: since ?? null,
      starts: starts.slice(0, MOST).map(({ stored, first, last, ...group }) => ({
        name: dagNameOf(stored),
        fileName: stored.fileName,
        ...group,
        firstMs: first,
        lastMs: last
      })),
      left: { runs: Math.max(0, runs.length - MOST), starts: Math.max(0, starts.length - MOST) }
    }
    ctx.body = answer

    async function startsOf(after: number) {
      const { entries } = await catalogue(ctx)
      const stored = entries.map((entry) => entry.stored).filter((one) => name === undefined || dagNameOf(one) === name)
      return startGroups(stored, { from: after, to, zone: engine.config.tz }, turn)
    }
  })
}
