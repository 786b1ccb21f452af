/** A caller's permissions for the rows of a list, where rules make them differ from row to row. Source: docs/authentication.md "Roles". */
import type { ParameterizedContext } from 'koa'
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { type Config, isEnough, type Permission, type Role } from '../../config.ts'
import { permittedTo } from '../auth/permissions.ts'
import { type AccessState, anyone } from '../auth/principal.ts'
import { TAKES } from './allowed.ts'
import { sightOf } from './sight.ts'

interface Said {
  permissions?: Permission[]
}

export interface RowPermissions {
  /** With a run; empty: as on the server. */
  run(run: RunKey | RunRecord): Said
  /** With the definition of a DAG name. */
  named(name: string): Said
}

const AS_ON_THE_SERVER: RowPermissions = { run: () => ({}), named: () => ({}) }

// D1428: lists say what the caller may do with each row, and only where rules are for them
export async function rowPermissions(
  ctx: ParameterizedContext,
  { permissions: switches }: Config
): Promise<RowPermissions> {
  const sight = sightOf(ctx)
  if (!sight.rights.hasRules) return AS_ON_THE_SERVER
  await sight.ready()
  const state: AccessState = ctx.state
  const permitted = permittedTo(state.principal ?? anyone, switches)
  const said = ({ role }: { role: Role }): Said => ({
    permissions: permitted.filter((permission) => isEnough(role, TAKES[permission]))
  })
  return { run: (run) => said(sight.run(run)), named: (name) => said(sight.named(name)) }
}
