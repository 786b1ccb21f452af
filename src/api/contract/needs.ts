/** The needs of operations, said beside each: the one table that every door asks. Source: docs/authentication.md "Roles", "Permissions". */
import type { Permission, Role } from '../../config/roles/roles.ts'

export interface Need {
  /** For what the operation is about: the definition or run in its path, else the server. `none`: it is open to all callers. */
  role: Role
  /** Permissions that a limited caller must have, all of them. The first is also a switch of the whole server. */
  permissions: readonly Permission[]
  /**
   * `part`: the answer has only what the caller may see, which the route sees to; so everybody may ask. `body`: the body says which
   * definition it is about, and the route asks again. Absent: the path says it.
   */
  of?: 'part' | 'body'
  /** On a server without authentication, callers on this machine alone may do it. */
  isForKnown?: true
}

export const NOTHING = { role: 'none', permissions: [] } as const satisfies Need
export const VIEW = { role: 'viewer', permissions: ['read'] } as const satisfies Need
/** Answers with a part of what there is. */
export const VIEW_PART = { ...VIEW, of: 'part' } as const satisfies Need
export const RUN = { role: 'runner', permissions: ['run'] } as const satisfies Need
export const EDIT = { role: 'editor', permissions: ['write'] } as const satisfies Need
/** A new definition. */
export const CREATE = { ...EDIT, of: 'body' } as const satisfies Need
// D306: inline runs need `runDAGs`, and tokens need `run` and `write`
/** A run of a text that comes with the request: the text is a definition. */
export const RUN_TEXT = { role: 'editor', permissions: ['run', 'write'], of: 'body' } as const satisfies Need
/** Looks at what the server does for all definitions alike. */
export const OVERSEE = { role: 'admin', permissions: ['read'] } as const satisfies Need
/** Changes what serves runs, not what they do. */
export const OPERATE = { role: 'admin', permissions: ['run'] } as const satisfies Need
// D1375: Settings, examination, backup and keys of workers need every permission
/** Copies the home, or gives keys. */
export const ADMINISTER = { role: 'admin', permissions: ['write', 'run'], isForKnown: true } as const satisfies Need
/** Looks at the home as a whole. */
export const EXAMINE = {
  role: 'admin',
  permissions: ['read', 'run', 'write'],
  isForKnown: true
} as const satisfies Need
// D1440: API keys and sessions are for admins with every permission
/** Says who else gets in. */
export const ADMIT = {
  role: 'admin',
  permissions: ['write', 'run', 'read'],
  isForKnown: true
} as const satisfies Need
