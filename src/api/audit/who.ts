/** The sender of a request, and the door that it came through, in the words of the audit log. */
import type { ParameterizedContext } from 'koa'
import type { Door, Who } from '../../engine/engine.ts'
import { userName } from '../../platform/user-name.ts'
import { type AccessState, passerBy } from '../auth/principal.ts'
import type { CommandState } from '../owner/calling-step.ts'
import { FORWARDED } from '../remote/request.ts'

/** How an application is reached. */
export interface Entrance {
  /** Behind the owner's socket. */
  trusted: boolean
  /** Below a path of a host application. */
  mounted: boolean
  /** The server asks nobody who they are. */
  open: boolean
  /** Where version 1 of the API begins. */
  baseV1: string
}

/** The name that says most to people, of those that the access settings write (`token:ci`). Undefined: there is none. */
export function whoIs(names: readonly string[]): Who | undefined {
  const name = names.find((one) => one.startsWith('person:')) ?? names[0]
  const [, kind = '', rest = ''] = /^([^:]*):?(.*)$/s.exec(name ?? '') ?? []
  return name === undefined ? undefined : { kind, name: rest }
}

export function callerIn({ state }: ParameterizedContext<AccessState>, { trusted, open }: Entrance): Who {
  if (trusted) return { kind: 'owner', name: userName() ?? '' }
  const { principal } = state
  if (!principal) return { kind: open ? 'anyone' : 'stranger', name: '' }
  if (principal === passerBy) return { kind: 'stranger', name: '' }
  return whoIs(principal.who ?? []) ?? { kind: 'caller', name: principal.name }
}

export function doorOf(ctx: ParameterizedContext<CommandState>, { trusted, mounted, baseV1 }: Entrance): Door {
  if (trusted) return ctx.state.command ? 'cli' : 'socket'
  if (ctx.get(FORWARDED) !== '') return 'node'
  if (mounted) return 'mount'
  if (ctx.path.startsWith(`${baseV1}/`)) return 'v1'
  // Browsers set it, and no script can; any other client may.
  return ctx.get('Sec-Fetch-Site') === 'same-origin' ? 'page' : 'api'
}
