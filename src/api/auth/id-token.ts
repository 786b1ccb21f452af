/** Verifies an ID token of the provider for this server, and that its owner may sign in. Source: api-semantics 9.1 S6. */
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyResult } from 'jose'
import type { Clock } from '../../clock.ts'
import type { OidcAuth } from '../../config.ts'
import type { CredentialEnd } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { digestOf } from './compare.ts'
import type { Provider } from './provider.ts'
import { logoutTokenIn } from './sessions/logout-token.ts'
import { isMeant, type SessionFacts, type WantedSessions } from './sessions/session.ts'
import type { SessionList } from './sessions/session-list.ts'
import type { SignedOut } from './signed-out.ts'

/** `subject`: the owner's identifier at the provider. `who`: names for roles and rules. `refused`: valid, but its owner is not listed. */
export type TokenCheck = ({ type: 'welcome' | 'refused' } & KnownPerson) | { type: 'invalid' }

export interface KnownPerson {
  name: string
  session: SessionFacts
  expiresAt: number
  who: readonly string[]
}

export interface IdTokens {
  /** @param isNew it comes from a sign-in that ends now @throws TroupeError service_unavailable: the provider's keys cannot be fetched */
  check(token: string, isNew?: boolean): Promise<TokenCheck>
  /** Ends sessions at once; resolves when that also survives a restart. @param expiresAt of a single one */
  end(wanted: WantedSessions, expiresAt?: number): Promise<void>
  /** Takes a logout token of the provider. @returns a sentence about what is wrong with it @throws as `check` */
  logout(token: string): Promise<string | undefined>
  /** Calls `end` when a session expires or is ended. Returns a function that cancels it. */
  whileGood(session: SessionFacts, expiresAt: number, end: (why: CredentialEnd) => void): () => void
}

export interface IdTokenOptions {
  provider: () => Promise<Provider>
  clock: Clock
  signedOut: SignedOut
  /** The list of them. */
  sessions: Pick<SessionList, 'sinceOf' | 'drop'>
}

// D277: only an ID token for this client is a session
export function idTokens(oidc: OidcAuth, { provider, clock, signedOut, sessions }: IdTokenOptions): IdTokens {
  const { clientId } = oidc
  let remote: JWTVerifyGetKey | undefined
  const ends = new Map<(why: CredentialEnd) => void, SessionFacts>()
  // The id is that of the signed part: a signature has several valid spellings.
  const idOf = (token: string) => digestOf(token.slice(0, token.lastIndexOf('.'))).toString('base64')

  /** What `read` makes of a token with the provider's keys; undefined: the token is wrong. @throws TroupeError service_unavailable */
  async function verified<T>(read: (keys: JWTVerifyGetKey, issuer: string) => Promise<T>): Promise<T | undefined> {
    const [jose, { configuration }] = await Promise.all([import('jose'), provider()])
    const { issuer, jwks_uri } = configuration.serverMetadata()
    if (!jwks_uri) throw new TroupeError('service_unavailable', 'the sign-in provider names no keys')
    remote ??= jose.createRemoteJWKSet(new URL(jwks_uri))
    try {
      return await read(remote, issuer)
    } catch (cause) {
      if (cause instanceof jose.errors.JWKSNoMatchingKey || !isUnreachable(cause, jose.errors)) return undefined
      throw new TroupeError('service_unavailable', 'the sign-in provider does not answer', { cause })
    }
  }

  const claimsOf = (token: string): Promise<JWTPayload | undefined> =>
    verified(async (keys, issuer) => {
      const { jwtVerify } = await import('jose')
      const result = await jwtVerify(token, keys, {
        issuer,
        audience: clientId,
        requiredClaims: ['sub', 'exp', 'iat'],
        currentDate: new Date(clock.now())
      })
      return isIdToken(result, clientId) ? result.payload : undefined
    })

  function end(wanted: WantedSessions, expiresAt?: number): Promise<void> {
    const stored = signedOut.add(wanted, expiresAt)
    sessions.drop(wanted)
    for (const [tell, session] of ends) if (isMeant(session, wanted)) tell('revoked')
    return stored
  }

  return {
    async check(token, isNew = false) {
      if (!isInForm(token)) return { type: 'invalid' }
      const claims = await claimsOf(token)
      if (!claims) return { type: 'invalid' }
      const { sub: subject = '', exp = 0, iat = 0, sid } = claims
      const id = idOf(token)
      const since = isNew ? clock.now() : (sessions.sinceOf(id) ?? iat * 1_000)
      const session = { id, subject, since, ...(typeof sid === 'string' ? { sid } : {}) }
      if (signedOut.has(session)) return { type: 'invalid' }
      const { name, isListed, address } = personIn(claims, oidc)
      const who = [
        `subject:${subject}`,
        ...(address === '' ? [] : [`person:${address}`]),
        ...claimed(claims, oidc.roleClaim).map((value) => `claim:${value}`)
      ]
      return { type: isListed ? 'welcome' : 'refused', name, session, expiresAt: exp * 1_000, who }
    },
    end,
    async logout(token) {
      const read = (keys: JWTVerifyGetKey, issuer: string) => logoutTokenIn(token, { issuer, clientId, keys, clock })
      const found = (isInForm(token) ? await verified(read) : undefined) ?? 'wanted a logout token of the provider'
      if (typeof found === 'string') return found
      if (signedOut.isReplay(found.jti, found.until)) return 'jti: it was used before'
      await end(found.wanted)
      return undefined
    },
    whileGood(session, expiresAt, end) {
      const tell = (why: CredentialEnd) => end(why)
      ends.set(tell, session)
      const expires = clock.at(expiresAt, () => end('expired'))
      if (signedOut.has(session)) clock.soon(() => end('revoked')) // since it was checked
      return () => {
        expires()
        ends.delete(tell)
      }
    }
  }
}

/** A token has three parts; for anything else the provider is not asked. */
const isInForm = (token: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

/**
 * A provider also signs other tokens for this audience: access tokens (`at+jwt`), logout tokens (`events`), those with their kind in a
 * claim. Sources: OpenID Connect Core 3.1.3.7, Back-Channel Logout 2.4, RFC 9068, RFC 8725 3.11.
 */
function isIdToken({ protectedHeader, payload }: JWTVerifyResult, clientId: string): boolean {
  const { aud, azp, events, typ, token_use } = payload
  const isPlain = [undefined, 'jwt', 'application/jwt'].includes(protectedHeader.typ?.toLowerCase())
  const isOfKind = typ === undefined || /^(?:id|jwt)$/i.test(String(typ)) // Keycloak: ID, Bearer, Refresh, Logout
  const isForUse = token_use === undefined || token_use === 'id' // Amazon Cognito: id, access
  const isOurs = azp === undefined ? !(Array.isArray(aud) && aud.length > 1) : azp === clientId
  return isPlain && isOfKind && isForUse && isOurs && events === undefined
}

/** An unverified address may be anybody's: it grants nothing, and is not used as a name. */
function personIn(
  // D276: with a whitelist, `email_verified` must be the boolean `true`
  { sub = '', email, email_verified: verified }: JWTPayload,
  { whitelist, assumeEmailVerified }: OidcAuth
): { name: string; isListed: boolean; address: string } {
  const address = typeof email === 'string' ? email.toLowerCase() : ''
  const isVerified = verified === true || (verified === undefined && assumeEmailVerified)
  return {
    name: (verified === undefined || isVerified ? address : '') || sub,
    isListed: whitelist.length === 0 || (isVerified && whitelist.includes(address)),
    address: isVerified ? address : ''
  }
}

/** Claims of a token that say more than that are not read further: a caller is checked with each request. */
const MOST_VALUES = 200

// D1397: `auth.oidc.roleClaim` is the name of a claim, else a path; its value a text or a list of texts
/**
 * The texts of a claim: one, or a list of them.
 * @param name that of the claim, or a path with dots to one, such as `realm_access.roles`; empty: there is none
 */
function claimed(claims: JWTPayload, name: string): string[] {
  if (name === '') return []
  let value: unknown = claims
  if (Object.hasOwn(claims, name)) value = claims[name]
  else
    for (const part of name.split('.')) value = isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined
  const values = Array.isArray(value) ? value : [value]
  return values.slice(0, MOST_VALUES).filter((one) => typeof one === 'string' && one !== '')
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The keys could not be fetched: every failure that is not the token's. */
const isUnreachable = (cause: unknown, { JOSEError, JWKSTimeout }: typeof import('jose').errors) =>
  cause instanceof JWKSTimeout || !(cause instanceof JOSEError) || cause.code === 'ERR_JOSE_GENERIC'
