/** Who sent a request, as far as it matters to what may be done. */
import { PERMISSIONS, type Permission } from '../../config.ts'
import { type ClientState, clientOf, networkOf } from '../client-address.ts'

export interface Principal {
  /** Such as `the token ci` or `the user ops`. */
  name: string
  /** What is counted as one caller; absent: its address is. */
  key?: string
  permissions: readonly Permission[]
  /** Calls `end` when the credentials count no longer. Returns the way to call it off. Absent: they count as long as the server runs. */
  whileGood?: (end: () => void) => () => void
}

export interface AccessState {
  principal?: Principal
}

/** Name of the caller of a request, as logs have it. */
export const callerOf = ({ state }: { state: AccessState }): string => (state.principal ?? anyone).name

/** Whose share of the server a request takes from: that of its principal, or, where nobody signs in, of its address. */
export const sharerOf = ({ state }: { state: AccessState & ClientState }): string =>
  state.principal?.key ?? `address ${networkOf(clientOf({ state }).address)}`

/** A caller without authentication, or behind the owner's socket. */
export const anyone: Principal = { name: 'anyone', permissions: PERMISSIONS }
