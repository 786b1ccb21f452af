/** `/services/backup`: a copy of the home, as an archive. */
import type Router from '@koa/router'
import type { Engine } from '../../../engine/engine.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { readBody } from '../../input/body.ts'
import { ClientGone } from '../../rules/held-bytes.ts'

/** A reader that takes nothing for so long is gone, ms. */
const STALLED_MS = 120_000

/** @param closing ends it */
export function backupRoutes(router: Router, engine: Engine, closing: AbortSignal): void {
  // D1380: a backup over the API is a copy beside the store, sent as a tar archive by a process of its own
  router.post('/services/backup', async (ctx) => {
    const { res } = ctx
    const { logs = true } = await readBody(ctx, OPERATIONS.backUpHome.body)
    if (res.closed) throw new ClientGone()
    const gone = new AbortController()
    const over = new Promise<void>((resolve) => {
      res.once('close', () => {
        gone.abort()
        resolve()
      })
    })
    const [{ sendBackup }, { version }] = await Promise.all([import('../../../backup/sending.ts'), engine.health()])
    // Until the copy is complete there is nothing to be sent.
    res.setTimeout(0)
    const enough = AbortSignal.any([gone.signal, closing])
    const sending = await sendBackup(engine.config, { version, withLogs: logs }, enough).catch((error) => {
      throw gone.signal.aborted ? new ClientGone() : error
    })
    void over.then(sending.end)
    res.setTimeout(STALLED_MS, () => res.destroy())
    ctx.attachment('troupe-backup.tar')
    ctx.type = 'application/x-tar'
    ctx.set('Cache-Control', 'no-store')
    ctx.body = sending.bytes
    // A backup that failed must not look complete.
    sending.bytes.once('error', () => res.destroy())
  })
}
