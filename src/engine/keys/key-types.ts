/** API keys as the engine shows them. Source: docs/authentication.md "API keys". */
import type { Role, RuleContent } from '../../config.ts'

/** What a key allows: the part that does not change while it counts. The same object as long as it does. */
export interface GoodKey {
  id: string
  /** Unique among the keys that count. */
  name: string
  /** On the whole server. */
  role: Role
  /** Roles for some definitions. */
  rules: readonly RuleContent[]
  /** Epoch ms; absent: it counts until it is revoked. */
  expiresAt?: number
}

export interface AccessKey extends GoodKey {
  createdAt: number
  /** Name of who made it. */
  createdBy: string
  revokedAt?: number
  revokedBy?: string
  /** Absent: never. */
  lastUsedAt?: number
  /** Whether the key lets in now, or why not. */
  status: 'active' | 'expired' | 'revoked'
}

export type NewKey = Pick<GoodKey, 'name' | 'role' | 'rules' | 'expiresAt'> & { by: string }

/** Why the credentials of a caller end. */
export type CredentialEnd = 'expired' | 'revoked'

/** Does a costly check in its turn. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export interface KeyRing {
  /** Every key that is kept: those that count first, then by time of creation, newest first. */
  all(): AccessKey[]
  /**
   * Resolves when it is on disk. The text is in this answer alone.
   * @throws TroupeError already_exists (the name), max_run_reached (too many), service_unavailable
   */
  make(wanted: NewKey): Promise<{ key: AccessKey; text: string }>
  /** The key lets nobody in from the call on; resolves when that is on disk. @throws TroupeError not_found, service_unavailable */
  revoke(name: string, by: string): Promise<AccessKey>
  /** The key with this text, if it counts, which is noted as its last use. A promise only where the text was not seen since the start. */
  keyOf(text: string, inTurn: InTurn): GoodKey | undefined | Promise<GoodKey | undefined>
  /** Calls `end` when the key counts no more, at once if it already does not. Returns a function that cancels it. */
  whileGood(key: GoodKey, end: (why: CredentialEnd) => void): () => void
}
