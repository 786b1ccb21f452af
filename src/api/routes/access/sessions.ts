/** `/access/sessions`: who is signed in, and the end of that. Source: docs/authentication.md "Sessions". */
import type Router from '@koa/router'
import type { Engine } from '../../../engine/engine.ts'
import { TroupeError } from '../../../errors.ts'
import type { Shape } from '../../../schema/schema.ts'
import type { AccessState } from '../../auth/principal.ts'
import type { WantedSessions } from '../../auth/sessions/session.ts'
import type { SessionList } from '../../auth/sign-in.ts'
import type { SignedIn } from '../../contract/access/session-shapes.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { readBody } from '../../input/body.ts'
import { refuse } from '../../rules/error-body.ts'
import { timeTextOf } from '../../shapes/time-text.ts'

/** @param list absent: nobody can sign in here */
export function sessionRoutes(router: Router, engine: Pick<Engine, 'config'>, list: SessionList | undefined): void {
  const time = timeTextOf(engine.config)

  router.get('/access/sessions', (ctx) => {
    const { principal }: AccessState = ctx.state
    ctx.set('Cache-Control', 'no-store')
    const sessions = (list?.all() ?? []).map(
      ({ id, name, subject, since, lastSeenAt, expiresAt, address, agent }): Shape<typeof SignedIn> => ({
        id,
        name,
        subject,
        address,
        agent,
        isOwn: id === principal?.session,
        since: time(since),
        lastSeenAt: time(lastSeenAt),
        expiresAt: time(expiresAt)
      })
    )
    ctx.body = { sessions }
  })

  router.post('/access/sessions/end', async (ctx) => {
    const { session, subject, all } = await readBody(ctx, OPERATIONS.endSessions.body)
    const wanted: WantedSessions[] = [
      ...(session === undefined ? [] : [{ session }]),
      ...(subject === undefined ? [] : [{ subject }]),
      ...(all ? (['all'] as const) : [])
    ]
    const [one] = wanted
    if (one === undefined || wanted.length > 1) return refuse(['wanted one of session, subject and all: true'])
    const ended = (await list?.end(one)) ?? 0
    if (ended === 0 && session !== undefined) throw new TroupeError('not_found', 'there is no such session')
    ctx.body = { ended }
  })
}
