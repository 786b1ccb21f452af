/** A sign-in of a person, known by a digest of the signed part of their ID token. Source: docs/authentication.md "Sessions". */
import { number, object, optional, type Shape, text } from '../../../schema/schema.ts'

export const session = object({
  id: text,
  /** The provider's identifier of the person. */
  subject: text,
  /** The provider's identifier of its own session. Absent: it does not say. */
  sid: optional(text),
  /** When the session began, epoch ms: the sign-in here, or the issue of the token of one that was not seen here. */
  since: number,
  /** E-mail address or identifier of the person. */
  name: text,
  expiresAt: number,
  lastSeenAt: number,
  /** Network of the address of the latest request. */
  address: text,
  /** Browser and system, such as `Firefox 128, Linux`. */
  agent: text
})
export type Session = Shape<typeof session>
/** What an ID token says of itself. */
export type SessionFacts = Pick<Session, 'id' | 'subject' | 'sid' | 'since'>

/** Which sessions are meant. */
export type WantedSessions = { session: string } | { subject: string } | { sid: string; subject?: string } | 'all'

/** @param sid of the provider: a session that does not know its own may be that one, if the person is the same */
export function isMeant({ id, subject, sid }: SessionFacts, wanted: WantedSessions): boolean {
  if (wanted === 'all') return true
  if ('session' in wanted) return id === wanted.session
  if ('sid' in wanted) return sid === undefined ? subject === wanted.subject : sid === wanted.sid
  return subject === wanted.subject
}

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+).*Safari\//, 'Safari']
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/Windows/, 'Windows'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux']
]
const MOST_CHARACTERS = 40

/** Enough of a `User-Agent` to know one's own browser by. */
export function abridged(agent: string): string {
  const found = BROWSERS.flatMap(([pattern, name]) => {
    const [, version] = pattern.exec(agent) ?? []
    return version === undefined ? [] : [`${name} ${version}`]
  })[0]
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1]
  if (found !== undefined) return system === undefined ? found : `${found}, ${system}`
  const [product = ''] = agent.split(' ')
  return product.replace(/[^\x20-\x7e]/g, '').slice(0, MOST_CHARACTERS)
}
