/** Is this text an ID token of our provider, for us, still good, of somebody who may come in? Source: api-semantics 9.1 S6. */
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../clock.ts'
import type { OidcAuth } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { digestOf } from './compare.ts'
import type { Provider } from './provider.ts'

/** `refused`: it is good, but its owner is not listed. */
export type Verdict = { type: 'welcome' | 'refused'; name: string; expiresAt: number } | { type: 'invalid' }

export interface IdTokens {
  /** @throws TroupeError service_unavailable when the provider's keys cannot be had */
  check(token: string): Promise<Verdict>
  /** Makes a good token invalid for the rest of its time, as long as this process lives. */
  revoke(token: string, expiresAt: number): void
  /** Calls `end` when a good token has expired or is revoked. Returns the way to call it off. */
  whileGood(token: string, expiresAt: number, end: () => void): () => void
}

const MOST_REVOKED = 10_000

export function idTokens({ clientId, whitelist }: OidcAuth, provider: () => Promise<Provider>, clock: Clock): IdTokens {
  let keys: JWTVerifyGetKey | undefined
  const revoked = new Map<string, number>()
  /** By the id of a token: who wants to hear when it is revoked. */
  const ends = new Map<string, Set<() => void>>()
  const idOf = (token: string) => digestOf(token).toString('base64')

  async function claimsOf(token: string): Promise<JWTPayload | undefined> {
    const [jose, { configuration }] = await Promise.all([import('jose'), provider()])
    const { issuer, jwks_uri } = configuration.serverMetadata()
    if (!jwks_uri) throw new TroupeError('service_unavailable', 'the sign-in provider names no keys')
    keys ??= jose.createRemoteJWKSet(new URL(jwks_uri))
    try {
      const { payload } = await jose.jwtVerify(token, keys, {
        issuer,
        audience: clientId,
        requiredClaims: ['sub', 'exp', 'iat'],
        currentDate: new Date(clock.now())
      })
      const isForOthers = Array.isArray(payload.aud) && payload.aud.length > 1 && payload.azp !== clientId
      return isForOthers ? undefined : payload
    } catch (cause) {
      if (cause instanceof jose.errors.JWKSNoMatchingKey || !isUnreachable(cause, jose.errors)) return undefined
      throw new TroupeError('service_unavailable', 'the sign-in provider does not answer', { cause })
    }
  }

  return {
    async check(token) {
      // Three parts make a token; anything else is not worth a question.
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) || revoked.has(idOf(token))) return { type: 'invalid' }
      const claims = await claimsOf(token)
      if (!claims) return { type: 'invalid' }
      const { email, email_verified, sub = '', exp = 0 } = claims
      const address = typeof email === 'string' ? email.toLowerCase() : ''
      const isListed = whitelist.length === 0 || (email_verified !== false && whitelist.includes(address))
      return { type: isListed ? 'welcome' : 'refused', name: address || sub, expiresAt: exp * 1_000 }
    },
    revoke(token, expiresAt) {
      for (const [id, at] of revoked) if (at <= clock.now()) revoked.delete(id)
      const [oldest] = revoked.keys()
      if (revoked.size >= MOST_REVOKED && oldest !== undefined) revoked.delete(oldest)
      revoked.set(idOf(token), expiresAt)
      for (const end of ends.get(idOf(token)) ?? []) end()
    },
    whileGood(token, expiresAt, end) {
      const id = idOf(token)
      const all = ends.get(id) ?? new Set()
      ends.set(id, all.add(end))
      const expires = clock.at(expiresAt, end)
      if (revoked.has(id)) clock.soon(end) // since it was checked
      return () => {
        expires()
        all.delete(end)
        if (all.size === 0 && ends.get(id) === all) ends.delete(id)
      }
    }
  }
}

/** The keys could not be had: everything that is not the token's own fault. */
const isUnreachable = (cause: unknown, { JOSEError, JWKSTimeout }: typeof import('jose').errors) =>
  cause instanceof JWKSTimeout || !(cause instanceof JOSEError) || cause.code === 'ERR_JOSE_GENERIC'
