/** The permissions of a caller: for the page, and for routes that do more for some. Source: docs/authentication.md "Roles". */
import type { ParameterizedContext } from 'koa'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { type Config, isEnough, type Judgement, type Permission, type Role } from '../../config.ts'
import { permittedTo } from '../auth/permissions.ts'
import { type AccessState, anyone } from '../auth/principal.ts'
import { sightOf } from './sight.ts'

/** The weakest role that has each permission. */
export const TAKES: Record<Permission, Role> = { read: 'viewer', run: 'runner', write: 'editor' }

export interface Allowed {
  role: Role
  permissions: Permission[]
  /** Perhaps with a definition; absent: they have the same role with all of them. */
  somewhere?: Permission[]
}

/** @param about DAG name of a definition, or a run; absent: the server */
export async function allowedTo(
  ctx: ParameterizedContext,
  { permissions: switches }: Config,
  about?: string | RunKey
): Promise<Allowed> {
  const sight = sightOf(ctx)
  const state: AccessState = ctx.state
  if (about !== undefined) await sight.ready()
  const { role } = judged()

  function judged(): Pick<Judgement, 'role'> {
    if (about === undefined) return sight.rights.server
    if (typeof about !== 'string') return sight.run(about)
    // What is not there is answered like what is hidden.
    return sight.rights.asksTexts && !sight.isThere(about) ? { role: 'none' } : sight.named(about)
  }

  const permitted = permittedTo(state.principal ?? anyone, switches)
  const { hasRules, somewhere } = sight.rights
  return {
    role,
    permissions: permitted.filter((permission) => isEnough(role, TAKES[permission])),
    ...(hasRules ? { somewhere: permitted.filter((permission) => somewhere(TAKES[permission])) } : {})
  }
}
