/** Verifies that a text is a valid ID token of the provider for this server, and that its owner may sign in. Source: api-semantics 9.1 S6. */
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyResult } from 'jose'
import type { Clock } from '../../clock.ts'
import type { OidcAuth } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { digestOf } from './compare.ts'
import type { Provider } from './provider.ts'
import type { SignedOut } from './signed-out.ts'

/** `subject`: the provider's identifier of the owner. `who`: names that roles and rules know them by. `refused`: it is valid, but its owner is not listed. */
export type TokenCheck =
  | { type: 'welcome' | 'refused'; name: string; subject: string; expiresAt: number; who: readonly string[] }
  | { type: 'invalid' }

export interface IdTokens {
  /** @throws TroupeError service_unavailable when the provider's keys cannot be fetched */
  check(token: string): Promise<TokenCheck>
  /** Revokes a valid token at once; resolves when the revocation also survives a restart. */
  revoke(token: string, expiresAt: number): Promise<void>
  /** Calls `end` when a valid token expires or is revoked. Returns a function that cancels it. */
  whileGood(token: string, expiresAt: number, end: () => void): () => void
}

export interface IdTokenOptions {
  provider: () => Promise<Provider>
  clock: Clock
  signedOut: SignedOut
}

// D277
export function idTokens(oidc: OidcAuth, { provider, clock, signedOut }: IdTokenOptions): IdTokens {
  const { clientId } = oidc
  let keys: JWTVerifyGetKey | undefined
  /** Listeners for revocation, by token id. */
  const ends = new Map<string, Set<() => void>>()
  // Of the signed part: a signature has several valid spellings.
  const idOf = (token: string) => digestOf(token.slice(0, token.lastIndexOf('.'))).toString('base64')

  async function claimsOf(token: string): Promise<JWTPayload | undefined> {
    const [jose, { configuration }] = await Promise.all([import('jose'), provider()])
    const { issuer, jwks_uri } = configuration.serverMetadata()
    if (!jwks_uri) throw new TroupeError('service_unavailable', 'the sign-in provider names no keys')
    keys ??= jose.createRemoteJWKSet(new URL(jwks_uri))
    try {
      const verified = await jose.jwtVerify(token, keys, {
        issuer,
        audience: clientId,
        requiredClaims: ['sub', 'exp', 'iat'],
        currentDate: new Date(clock.now())
      })
      return isIdToken(verified, clientId) ? verified.payload : undefined
    } catch (cause) {
      if (cause instanceof jose.errors.JWKSNoMatchingKey || !isUnreachable(cause, jose.errors)) return undefined
      throw new TroupeError('service_unavailable', 'the sign-in provider does not answer', { cause })
    }
  }

  return {
    async check(token) {
      // A token has three parts; for anything else the provider is not asked.
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return { type: 'invalid' }
      const claims = await claimsOf(token)
      const { sub = '', exp = 0, iat = 0 } = claims ?? {}
      if (!claims || signedOut.has(idOf(token), iat * 1_000)) return { type: 'invalid' }
      const { name, isListed, address } = personIn(claims, oidc)
      const who = [
        `subject:${sub}`,
        ...(address === '' ? [] : [`person:${address}`]),
        ...claimed(claims, oidc.roleClaim).map((value) => `claim:${value}`)
      ]
      return { type: isListed ? 'welcome' : 'refused', name, subject: sub, expiresAt: exp * 1_000, who }
    },
    revoke(token, expiresAt) {
      const stored = signedOut.add(idOf(token), expiresAt)
      for (const end of ends.get(idOf(token)) ?? []) end()
      return stored
    },
    whileGood(token, expiresAt, end) {
      const id = idOf(token)
      const all = ends.get(id) ?? new Set()
      ends.set(id, all.add(end))
      const expires = clock.at(expiresAt, end)
      if (signedOut.has(id, Number.POSITIVE_INFINITY)) clock.soon(end) // since it was checked
      return () => {
        expires()
        all.delete(end)
        if (all.size === 0 && ends.get(id) === all) ends.delete(id)
      }
    }
  }
}

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
  // D276
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

// D1397
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
