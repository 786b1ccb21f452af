/** `/audit`: who has changed what, and what was refused. Source: docs/http-api.md "The audit log". */
import { Readable } from 'node:stream'
import type Router from '@koa/router'
import type { AuditFilter } from '../../../audit/filter.ts'
import type { Engine } from '../../../engine/engine.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { readQuery, wantedNumber } from '../../input/query.ts'

const PART = 100
const MOST = 1_000
const SECOND_MS = 1_000

export function auditRoutes(router: Router, engine: Engine): void {
  const { audit: kept, config } = engine

  router.get('/audit', async (ctx) => {
    const { limit, cursor, ...query } = readQuery(ctx, OPERATIONS.listAudit.query)
    const { auditPart } = await import('../../../audit/read.ts')
    const most = Math.min(wantedNumber(limit) ?? PART, MOST)
    const { entries, next } = await auditPart(config.audit.dir, { filter: filterOf(query), limit: most, cursor })
    ctx.body = { enabled: kept !== undefined, entries, nextCursor: next ?? null, head: kept?.head() ?? null }
  })

  router.get('/audit/export', async (ctx) => {
    const filter = filterOf(readQuery(ctx, OPERATIONS.exportAudit.query))
    const { exported } = await import('../../../audit/read.ts')
    ctx.attachment('troupe-audit.jsonl')
    ctx.type = 'application/x-ndjson'
    ctx.set('Cache-Control', 'no-store')
    const lines = Readable.from(exported(config.audit.dir, filter), { objectMode: false })
    // An export that failed must not look complete.
    lines.once('error', () => ctx.res.destroy())
    ctx.body = lines
  })
}

/** Instants are seconds outside, milliseconds inside. */
function filterOf({ from, to, ...rest }: AuditFilter): AuditFilter {
  return {
    ...rest,
    ...(from === undefined ? {} : { from: from * SECOND_MS }),
    ...(to === undefined ? {} : { to: to * SECOND_MS })
  }
}
