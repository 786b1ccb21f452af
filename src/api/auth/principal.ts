/** Who sent a request, as far as it matters to what may be done. */
import { PERMISSIONS, type Permission } from '../../config.ts'

export interface Principal {
  /** Such as `the token ci`. */
  name: string
  permissions: readonly Permission[]
}

export interface AccessState {
  principal?: Principal
}

/** A caller without authentication, or behind the owner's socket. */
export const anyone: Principal = { name: 'anyone', permissions: PERMISSIONS }
