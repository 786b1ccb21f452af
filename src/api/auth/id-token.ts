/** Is this text an ID token of our provider, for us, still good, of somebody who may come in? Source: api-semantics 9.1 S6. */
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyResult } from 'jose'
import type { Clock } from '../../clock.ts'
import type { OidcAuth } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { digestOf } from './compare.ts'
import type { Provider } from './provider.ts'
import type { SignedOut } from './signed-out.ts'

/** `subject`: who that is to the provider, whatever the name. `refused`: it is good, but its owner is not listed. */
export type TokenCheck =
  | { type: 'welcome' | 'refused'; name: string; subject: string; expiresAt: number }
  | { type: 'invalid' }

export interface IdTokens {
  /** @throws TroupeError service_unavailable when the provider's keys cannot be had */
  check(token: string): Promise<TokenCheck>
  /** Makes a good token invalid for the rest of its time, at once; resolves when a restart changes nothing about that. */
  revoke(token: string, expiresAt: number): Promise<void>
  /** Calls `end` when a good token has expired or is revoked. Returns the way to call it off. */
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
  /** By the id of a token: who wants to hear when it is revoked. */
  const ends = new Map<string, Set<() => void>>()
  // Of what is signed: the signature has several spellings that are the same to who verifies it.
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
      // Three parts make a token; anything else is not worth a question.
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return { type: 'invalid' }
      const claims = await claimsOf(token)
      const { sub = '', exp = 0, iat = 0 } = claims ?? {}
      if (!claims || signedOut.has(idOf(token), iat * 1_000)) return { type: 'invalid' }
      const { name, isListed } = personIn(claims, oidc)
      return { type: isListed ? 'welcome' : 'refused', name, subject: sub, expiresAt: exp * 1_000 }
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
 * A provider signs more than ID tokens with its keys, and much of it is for us: access tokens (`at+jwt`), logout tokens (`events`), those
 * that say their kind in a claim. Sources: OpenID Connect Core 3.1.3.7, Back-Channel Logout 2.4, RFC 9068, RFC 8725 3.11.
 */
function isIdToken({ protectedHeader, payload }: JWTVerifyResult, clientId: string): boolean {
  const { aud, azp, events, typ, token_use } = payload
  const isPlain = [undefined, 'jwt', 'application/jwt'].includes(protectedHeader.typ?.toLowerCase())
  const isOfKind = typ === undefined || /^(?:id|jwt)$/i.test(String(typ)) // Keycloak: ID, Bearer, Refresh, Logout
  const isForUse = token_use === undefined || token_use === 'id' // Amazon Cognito: id, access
  const isOurs = azp === undefined ? !(Array.isArray(aud) && aud.length > 1) : azp === clientId
  return isPlain && isOfKind && isForUse && isOurs && events === undefined
}

/** An address that is not verified may be anybody's: it opens nothing, and is nobody's name. */
function personIn(
  // D276
  { sub = '', email, email_verified: verified }: JWTPayload,
  { whitelist, assumeEmailVerified }: OidcAuth
): { name: string; isListed: boolean } {
  const address = typeof email === 'string' ? email.toLowerCase() : ''
  const isVerified = verified === true || (verified === undefined && assumeEmailVerified)
  return {
    name: (verified === undefined || isVerified ? address : '') || sub,
    isListed: whitelist.length === 0 || (isVerified && whitelist.includes(address))
  }
}

/** The keys could not be had: everything that is not the token's own fault. */
const isUnreachable = (cause: unknown, { JOSEError, JWKSTimeout }: typeof import('jose').errors) =>
  cause instanceof JWKSTimeout || !(cause instanceof JOSEError) || cause.code === 'ERR_JOSE_GENERIC'
