/** The authenticated caller of a request. */
import { type AccessRule, PERMISSIONS, type Permission, type Rights, type Role } from '../../config.ts'
import type { CredentialEnd, Requested } from '../../engine/engine.ts'
import { type ClientState, clientOf, networkOf } from '../client-address.ts'

export interface Principal {
  /** A clause, such as `the token ci` or `the user ops`. */
  name: string
  /** The unit of counting; absent: the address. */
  key?: string
  permissions: readonly Permission[]
  /** Names that `access.roles` and `access.rules` know the caller by, such as `token:ci`. */
  who?: readonly string[]
  /** The role on the server, where the host application or an API key says it. */
  role?: Role
  /** As messages name what says the role. Default: `authorize`. */
  roleFrom?: string
  /** Rules of an API key, beside those of the settings. The same list as long as they are the same. */
  rules?: readonly AccessRule[]
  /** Id of the session of a person who signed in. */
  session?: string
  /** Epoch ms: what the caller gives to others counts no longer than this. Absent: as long as they like. */
  goodUntil?: number
  /** Calls `end` when the credentials become invalid. Returns a function that cancels it. Absent: they never do. */
  whileGood?: (end: (why?: CredentialEnd) => void) => () => void
}

export interface AccessState {
  principal?: Principal
}

/** Name of the caller of a request, as logs have it. */
export const callerOf = ({ state }: { state: AccessState }): string => (state.principal ?? anyone).name

interface AskedState extends AccessState {
  /** As `commandOf` has it, likewise. */
  host?: { by?: string }
  /** As `commandOf` has it. */
  command?: { by: string | undefined }
  requestId?: string
  /** The sight that `sightOf` has made. */
  sight?: { rights: Pick<Rights, 'limited'> }
}

/** What a run's `trigger` says of a request. */
export const requestedBy = ({ state }: { state: AskedState }): Requested =>
  state.host ??
  (state.command
    ? { via: 'cli', by: state.command.by }
    : {
        via: 'api',
        ...(state.sight?.rights.limited ? { starter: state.sight.rights.limited } : {}),
        ...(state.requestId === undefined ? {} : { requestId: state.requestId }),
        ...(state.principal && state.principal !== anyone ? { by: state.principal.name } : {})
      })

/** The owner of the share that a request counts against: its principal, or without authentication its address. */
export const sharerOf = ({ state }: { state: AccessState & ClientState }): string =>
  state.principal?.key ?? `address ${networkOf(clientOf({ state }).address)}`

/** A caller without authentication, or behind the owner's socket. */
export const anyone: Principal = { name: 'anyone', permissions: PERMISSIONS, who: ['anyone'] }

/** A caller who asks for what is open to everybody, where all others must show credentials. */
export const passerBy: Principal = { name: 'anyone', permissions: PERMISSIONS, role: 'viewer' }
