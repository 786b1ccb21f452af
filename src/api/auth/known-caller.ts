/** Whether a caller is known: a server without authentication asks nobody who they are. */
import type { ParameterizedContext } from 'koa'
import { TroupeError } from '../../errors.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { type ClientState, clientOf } from '../client-address.ts'
import { type AccessState, anyone } from './principal.ts'

/** With one of them a request may come from anywhere, no matter who has passed it on. */
const PASSED_ON = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'Via']

// D1376
/**
 * Without authentication the caller has to be on this machine, and the server must be for this machine alone.
 * @param host address that the server listens on @throws TroupeError forbidden
 */
export function refuseUnknown(ctx: ParameterizedContext<AccessState & ClientState>, host: string): void {
  const { principal = anyone } = ctx.state
  if (principal !== anyone) return
  const isHere = isLoopback(clientOf(ctx).address) && PASSED_ON.every((name) => ctx.get(name) === '')
  if (isLoopback(host) && isHere) return
  throw new TroupeError(
    'forbidden',
    'this server knows nobody, so it shows its home and gives keys only to callers on its own machine: set up authentication (auth.token.value)'
  )
}
