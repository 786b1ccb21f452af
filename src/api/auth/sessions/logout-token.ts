/**
 * Whether a text is a logout token of the provider for this server: the provider says that a session of its own, or all of a person, are
 * over. Source: OpenID Connect Back-Channel Logout 1.0, 2.4 and 2.6.
 */
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../../clock.ts'
import type { WantedSessions } from './session.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** A token that is older is refused, and one that was used is remembered so long. */
const MOST_AGE_S = 600
/** What the clocks of both sides may differ. */
const TOLERANCE_S = 60

export interface LogoutTokenOptions {
  issuer: string
  clientId: string
  keys: JWTVerifyGetKey
  clock: Clock
}

export interface LogoutToken {
  wanted: WantedSessions
  jti: string
  /** Epoch ms: from then on it is too old anyway. */
  until: number
}

// D1450: logout tokens may lack `exp`, but not `jti`, and are 10 minutes old at most
/** @returns a sentence about what is wrong @throws Error of `jose`: not one of its errors where keys cannot be fetched */
export async function logoutTokenIn(token: string, options: LogoutTokenOptions): Promise<LogoutToken | string> {
  const { issuer, clientId, keys, clock } = options
  const { jwtVerify } = await import('jose')
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    requiredClaims: ['iat', 'jti'],
    maxTokenAge: MOST_AGE_S,
    clockTolerance: TOLERANCE_S,
    currentDate: new Date(clock.now())
  })
  if (![undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'].includes(protectedHeader.typ?.toLowerCase()))
    return 'typ: wanted logout+jwt'
  return wantedIn(payload, clock.now())
}

function wantedIn({ sub, sid, events, nonce, jti }: JWTPayload, now: number): LogoutToken | string {
  const event: unknown = Object(events)[EVENT]
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return `events: wanted ${EVENT}`
  if (nonce !== undefined) return 'nonce: wanted none'
  if (typeof jti !== 'string' || jti === '' || jti.length > 1_000) return 'jti: wanted a text'
  const subject = typeof sub === 'string' && sub !== '' ? sub : undefined
  const until = now + (MOST_AGE_S + TOLERANCE_S) * 1_000
  if (typeof sid === 'string' && sid !== '')
    return { wanted: { sid, ...(subject === undefined ? {} : { subject }) }, jti, until }
  if (sid !== undefined) return 'sid: wanted a text'
  return subject === undefined ? 'wanted sub, sid or both, found none' : { wanted: { subject }, jti, until }
}
