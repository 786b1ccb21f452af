/** `/events` and `/dag-runs/{name}/{dagRunId}/events`: transitions as they happen. Source: api-semantics 12. */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { seesRun } from '../access/seen.ts'
import { sightOf } from '../access/sight.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { eventStreams } from '../event-stream.ts'
import { readQuery } from '../input/query.ts'
import type { Places } from '../places.ts'
import { eventShape } from '../shapes/shapes.ts'
import { timeTextOf } from '../shapes/time-text.ts'

/** @param closing ends every stream @param places one for each of them */
export function eventRoutes(router: Router, engine: Engine, closing: AbortSignal, places: Places): void {
  const time = timeTextOf(engine.config)
  const stream = eventStreams(closing, places)

  router.get('/events', async (ctx) => {
    const sees = await seesRun(ctx)
    const source = {
      read(after: number, limit: number) {
        const { records, end, missed } = engine.feed(after, limit)
        if (sees) sightOf(ctx).look()
        const shown = sees ? records.filter(({ record: { run } }) => run && sees(run)) : records
        return {
          events: shown.map(({ number, record }) => ({ id: number, data: eventShape(record, time) })),
          end,
          missed
        }
      },
      latest: engine.fed,
      watch: (notify: () => void) => engine.subscribe(notify)
    }
    stream(ctx, source, wanted(ctx))
  })

  router.get('/dag-runs/:name/:dagRunId/events', (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const run = engine.record({ name, dagRunId })
    if (!run) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    const key = { name, dagRunId: run.dagRunId }
    const source = {
      read(after: number, limit: number) {
        const records = engine.journal(key, after, limit)
        const events = records.map((record) => ({ id: record.seq, data: eventShape(record, time) }))
        return { events, end: records.at(-1)?.seq ?? after, missed: 0 }
      },
      latest: () => engine.latestSeq(key),
      watch: (notify: () => void) => engine.subscribe(notify, key)
    }
    stream(ctx, source, wanted(ctx))
  })
}

/** A browser that reconnects sends its latest event in a header; on a first request it may be in the query. */
function wanted(ctx: ParameterizedContext): { after: number | 'now'; follow: boolean } {
  const { after: asked = '0', follow = true } = readQuery(ctx, OPERATIONS.streamEvents.query)
  const after = ctx.get('Last-Event-ID') || asked
  if (after === 'now') return { after, follow }
  if (/^\d{1,15}$/.test(after)) return { after: Number(after), follow }
  throw new TroupeError(
    'bad_request',
    "Last-Event-ID, query parameter 'after': wanted an id that this API gave out, or now"
  )
}
