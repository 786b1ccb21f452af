/** What a remote node is told: the caller's request without anything that says who the caller is. Source: api-semantics 8 R2, R9. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { RemoteNode } from '../../config.ts'
import { isCredentialName } from '../../masking/credential-names.ts'

/** Says that a request has come through another server, so that it is never sent on again. */
export const FORWARDED = 'Engine-Forwarded'

const KEPT_BACK = new Set([
  ...['host', 'content-length', 'expect', 'accept-encoding', 'forwarded', 'via', 'x-real-ip'],
  // Of this connection only (RFC 9110 7.6.1).
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
  // Of pages of this server: there they would be foreign ones.
  ...['origin', 'referer', 'priority', 'dnt']
])
const KEPT_BACK_FAMILIES = /^(?:sec-|proxy-|x-forwarded-|access-control-|if-|engine-)/

// D220
/** Headers for `node`, with what this server shows it. */
export function forwardedHeaders(headers: IncomingHttpHeaders, { credentials }: RemoteNode): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/))
  const sent = Object.entries(headers).filter(
    ([name]) => !KEPT_BACK.has(name) && !named.has(name) && !KEPT_BACK_FAMILIES.test(name) && !isCredentialName(name)
  )
  return {
    ...Object.fromEntries(sent),
    // What is packed cannot be looked at.
    'Accept-Encoding': 'identity',
    [FORWARDED]: '1',
    ...(credentials ? { Authorization: authorization(credentials) } : {})
  }
}

function authorization(credentials: NonNullable<RemoteNode['credentials']>): string {
  if ('token' in credentials) return `Bearer ${credentials.token.reveal()}`
  return `Basic ${basicText(credentials)}`
}

const basicText = ({ username, password }: { username: string; password: RemoteSecret }) =>
  Buffer.from(`${username}:${password.reveal()}`).toString('base64')
type RemoteSecret = { reveal(): string }

/** Texts that no answer may show. */
export function secretTexts({ credentials }: RemoteNode): string[] {
  if (!credentials) return []
  if ('token' in credentials) return [credentials.token.reveal()]
  return [credentials.password.reveal(), basicText(credentials)]
}

/**
 * Path and query below the API of the other server, written anew: two servers that read an odd spelling in two ways would
 * not be asked the same thing.
 * @param path well-formed, below the API of this server
 */
export function forwardedPath(path: string, querystring: string): string {
  const segments = path.split('/').map((segment) => encodeURIComponent(decodeURIComponent(segment)))
  const query = new URLSearchParams(querystring)
  query.delete('remoteNode')
  return segments.join('/') + (query.size > 0 ? `?${query}` : '')
}
