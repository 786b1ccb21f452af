/** Who sends a request, and through which door, in the words of the audit log. */
import type { ParameterizedContext } from 'koa'
import type { Door, Who } from '../../engine/engine.ts'
import { userName } from '../../platform/user-name.ts'
import { type AccessState, passerBy } from '../auth/principal.ts'
import { FORWARDED } from '../remote/request.ts'

/** How an application is reached. */
export interface Entrance {
  /** Behind the owner's socket. */
  trusted: boolean
  /** Below a path of a host application. */
  mounted: boolean
  /** It asks nobody who they are. */
  open: boolean
  /** Where version 1 of the API begins. */
  baseV1: string
}

/** `token:ci` as the access settings write it is `{kind: 'token', name: 'ci'}`. */
export const whoIs = (name: string): Who => {
  const [, kind = '', rest = ''] = /^([^:]*):?(.*)$/s.exec(name) ?? []
  return { kind, name: rest }
}

export function callerIn({ state }: ParameterizedContext<AccessState>, { trusted, open }: Entrance): Who {
  if (trusted) return { kind: 'owner', name: userName() ?? '' }
  const { principal } = state
  if (!principal) return { kind: open ? 'anyone' : 'stranger', name: '' }
  if (principal === passerBy) return { kind: 'stranger', name: '' }
  const [first] = principal.who ?? []
  return first === undefined ? { kind: 'caller', name: principal.name } : whoIs(first)
}

export function doorOf(ctx: ParameterizedContext, { trusted, mounted, baseV1 }: Entrance): Door {
  if (trusted) return 'socket'
  if (ctx.get(FORWARDED) !== '') return 'node'
  if (mounted) return 'mount'
  if (ctx.path.startsWith(`${baseV1}/`)) return 'v1'
  // Browsers set it, and no script can; any other client may.
  return ctx.get('Sec-Fetch-Site') === 'same-origin' ? 'page' : 'api'
}
