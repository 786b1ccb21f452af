/** `/access/keys`: API keys are listed, made and revoked. Source: docs/authentication.md "API keys". */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { AccessKey, Engine } from '../../../engine/engine.ts'
import { TroupeError } from '../../../errors.ts'
import type { Shape } from '../../../schema/schema.ts'
import { sightOf } from '../../access/sight.ts'
import { type AccessState, callerOf } from '../../auth/principal.ts'
import type { ApiKey, GivenApiKey } from '../../contract/access/key-shapes.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { readBody } from '../../input/body.ts'
import { type CommandState, refuseInStep } from '../../owner/calling-step.ts'
import { noFault } from '../../rules/error-body.ts'
import { type TimeText, timeTextOf } from '../../shapes/time-text.ts'
import { newKeyOf } from './new-key.ts'

export function keyRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)

  router.get('/access/keys', (ctx) => {
    ctx.set('Cache-Control', 'no-store')
    ctx.body = { keys: engine.keys.all().map((key) => keyShape(key, time)) }
  })

  router.post('/access/keys', async (ctx) => {
    mayChange(ctx, 'key create')
    const wanted = await readBody(ctx, OPERATIONS.createKey.body)
    mayGive(ctx)
    const { principal }: AccessState = ctx.state
    const made = newKeyOf(wanted, { by: makerOf(ctx), now: engine.now(), goodUntil: principal?.goodUntil })
    const { key, text } = await engine.keys.make(made)
    const given: Shape<typeof GivenApiKey> = { ...keyShape(key, time), key: text }
    ctx.set('Cache-Control', 'no-store')
    ctx.body = given
    ctx.status = 201
  })

  router.delete('/access/keys/:keyName', async (ctx) => {
    const { keyName = '' } = ctx.params
    mayChange(ctx, 'key revoke')
    noFault(ctx)
    ctx.body = keyShape(await engine.keys.revoke(keyName, makerOf(ctx)), time)
  })

  function mayChange({ state }: { state: CommandState }, command: string): void {
    if (state.command?.step && !engine.config.stepsMayGiveKeys) refuseInStep(command)
  }
}

const makerOf = ({ state }: { state: AccessState & CommandState }): string =>
  state.command ? `${state.command.by ?? 'somebody'} on the command line` : callerOf({ state })

// D1447: nobody gives more than they have
/** Rules are about one caller, and a key is another: it would be free of them. @throws TroupeError forbidden */
function mayGive(ctx: ParameterizedContext): void {
  if (sightOf(ctx).rights.isWhole) return
  throw new TroupeError(
    'forbidden',
    `${callerOf(ctx)} may not make keys: rules of access.rules are for them, and a key would not have these`
  )
}

/** An API key as JSON. Source: docs/http-api.md "Access". */
function keyShape(key: AccessKey, time: TimeText): Shape<typeof ApiKey> {
  const { id, name, role, rules, status, createdAt, createdBy, expiresAt, revokedAt, revokedBy = '', lastUsedAt } = key
  return {
    id,
    name,
    role,
    status,
    createdBy,
    revokedBy,
    rules: rules.map(({ may, dags, groups, tags }) => ({
      may,
      ...(dags ? { dags: [...dags] } : {}),
      ...(groups ? { groups: [...groups] } : {}),
      ...(tags ? { tags: [...tags] } : {})
    })),
    createdAt: time(createdAt),
    expiresAt: time(expiresAt),
    revokedAt: time(revokedAt),
    lastUsedAt: time(lastUsedAt)
  }
}
