/** The request to a remote node: the caller's, without anything that identifies the caller. Source: api-semantics 8 R2, R9. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { RemoteNode } from '../../config.ts'
import { isCredentialName } from '../../masking/credential-names.ts'

/** Marks a forwarded request, so that it is never forwarded again. */
export const FORWARDED = 'Engine-Forwarded'

const KEPT_BACK = new Set([
  'host',
  'content-length',
  'expect',
  'accept-encoding',
  'forwarded',
  'via',
  'x-real-ip',
  // Headers of this connection only (RFC 9110 7.6.1).
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  // About pages of this server, which are foreign to the other.
  'origin',
  'referer',
  'priority',
  'dnt'
])
const KEPT_BACK_FAMILIES = /^(?:sec-|proxy-|x-forwarded-|access-control-|if-|engine-)/

/** A key of the request, and of nobody who sends it. */
const OF_REQUEST = 'idempotency-key'

// D220: few headers of the caller go to a remote node
/** Headers for `node`, with this server's credentials for it. */
export function forwardedHeaders(headers: IncomingHttpHeaders, { credentials }: RemoteNode): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/))
  const sent = Object.entries(headers).filter(
    ([name]) =>
      !KEPT_BACK.has(name) &&
      !named.has(name) &&
      !KEPT_BACK_FAMILIES.test(name) &&
      (name === OF_REQUEST || !isCredentialName(name))
  )
  return {
    ...Object.fromEntries(sent),
    // A compressed answer cannot be examined.
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

/** Texts that no answer may contain. */
export function secretTexts({ credentials }: RemoteNode): string[] {
  if (!credentials) return []
  if ('token' in credentials) return [credentials.token.reveal()]
  return [credentials.password.reveal(), basicText(credentials)]
}

/**
 * Path and query below the API of the other server, written again from its parts: two servers may read
 * an unusual spelling in different ways.
 * @param path well-formed, below the API of this server
 */
export function forwardedPath(path: string, querystring: string): string {
  const segments = path.split('/').map((segment) => encodeURIComponent(decodeURIComponent(segment)))
  const query = new URLSearchParams(querystring)
  query.delete('remoteNode')
  return segments.join('/') + (query.size > 0 ? `?${query}` : '')
}
