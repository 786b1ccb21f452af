/** `/services/settings`, `/services/doctor`, `/workers/{workerId}/enroll`, `/revoke`: commands for a home, done to that of this server. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type Router from '@koa/router'
import { type Clock, systemClock } from '../../../clock.ts'
import { shownSettings } from '../../../config.ts'
import type { Engine } from '../../../engine/engine.ts'
import { messageOf, TroupeError } from '../../../errors.ts'
import type { Shape } from '../../../schema/schema.ts'
import type { GivenWorkerKey, RevokedWorker, SettingsAnswer } from '../../contract/home/shapes.ts'
import { noFault, refuse } from '../../rules/error-body.ts'
import { type Examined, examinationShape } from '../../shapes/home/home-shapes.ts'
import { timeTextOf } from '../../shapes/time-text.ts'

/** @param closing ends an examination */
export function homeRoutes(router: Router, engine: Engine, closing: AbortSignal, clock: Clock = systemClock): void {
  const { config } = engine
  const time = timeTextOf(config)
  let examining: Promise<Examined> | undefined

  router.get('/services/settings', (ctx) => {
    const { file = '', warnings, unsupported } = config
    const settings: Shape<typeof SettingsAnswer>['settings'] = shownSettings(config)
    ctx.body = { file, settings, warnings, unsupported }
  })

  router.get('/services/doctor', async (ctx) => {
    // D1377: a server examines its home once at a time
    examining ??= examined().finally(() => {
      examining = undefined
    })
    ctx.body = examinationShape(config.home, await examining)
  })

  async function examined(): Promise<Examined> {
    const [{ diagnosed }, { busFindings }] = await Promise.all([
      import('../../../doctor/aside.ts'),
      import('../../../doctor/message-bus.ts')
    ])
    const { findings, ...found } = await diagnosed('examine', config, clock, closing)
    return { ...found, findings: [...findings, ...(await busFindings(config, true, clock))] }
  }

  // D1378: the key of a worker is in one answer
  router.post('/workers/:workerId/enroll', async (ctx) => {
    const { workerId = '' } = ctx.params
    const { giveKey, idProblem, takenUp } = await import('../../../bus/keys/keys.ts')
    refuseId(idProblem(workerId))
    const { coordination } = config
    refuseGone(coordination.enrolmentFile)
    const { one, revision, keyFile, natsUser } = await giveKey(coordination, workerId, clock)
    ctx.set('Cache-Control', 'no-store')
    // The key is in this answer alone, so nothing that comes after it may be an error.
    const outcome = await takenUp(coordination, revision, clock).then(
      (isTakenUp) => ({ isTakenUp }),
      (error) => ({ isTakenUp: false, problem: messageOf(error) })
    )
    const { id, home, publicKey } = one
    const given: Shape<typeof GivenWorkerKey> = { id, home, publicKey, keyFile, ...outcome }
    ctx.body = natsUser === undefined ? given : { ...given, natsUser }
  })

  router.post('/workers/:workerId/revoke', async (ctx) => {
    const { workerId = '' } = ctx.params
    const { idProblem, takeKey, takenUp } = await import('../../../bus/keys/keys.ts')
    refuseId(idProblem(workerId))
    noFault(ctx)
    const { coordination } = config
    const { one, revision } = takeKey(coordination, workerId, clock)
    const isTakenUp = await takenUp(coordination, revision, clock)
    const { id, home, publicKey, revokedAt } = one
    const isForeign = coordination.nats.length > 0
    const revoked: Shape<typeof RevokedWorker> = {
      id,
      home,
      publicKey,
      revokedAt: time(revokedAt),
      isForeign,
      isTakenUp
    }
    ctx.body = revoked
  })
}

/** A home that was removed under its engine is not made again. @throws TroupeError service_unavailable */
function refuseGone(file: string): void {
  if (!existsSync(dirname(file)))
    throw new TroupeError('service_unavailable', 'the home of this server is gone: look at its log')
}

const refuseId = (problem: string | undefined) => refuse([problem && `workerId: ${problem}`])
