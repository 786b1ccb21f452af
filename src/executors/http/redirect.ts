/** Redirects: the next URL, and which parts of the request go there. Source: execution-semantics 10.4.6. */
import type { Answer, Request } from './messages.ts'

/** Headers of a body; dropped when a redirect turns the request into a GET. */
const CONTENT = ['Content-Type', 'Content-Length', 'Content-Encoding', 'Content-Language', 'Transfer-Encoding']

/**
 * Headers that may go to another origin than the one they were written for: content negotiation. Any other header may be a key,
 * whatever its name.
 */
const FOR_EVERYBODY = new Set([
  'Accept',
  'Accept-Charset',
  'Accept-Encoding',
  'Accept-Language',
  'User-Agent',
  'Cache-Control',
  'Pragma',
  'Content-Type',
  'Content-Encoding',
  'Content-Language',
  'Range',
  'If-Modified-Since',
  'If-Unmodified-Since'
])

// D654: http: a redirect to another origin takes few headers along
/** @returns undefined for a response that is no redirect @throws Error for an invalid location */
export function redirectOf({ status, headers }: Pick<Answer, 'status' | 'headers'>, from: URL): URL | undefined {
  const { location } = headers
  const address = Array.isArray(location) ? location[0] : location
  if (![301, 302, 303, 307, 308].includes(status) || !address) return undefined
  const target = URL.canParse(address, from.href) ? new URL(address, from) : undefined
  if (target && /^https?:$/.test(target.protocol)) return target
  throw new Error('redirected to an address that is no http:// or https:// URL')
}

/**
 * The next request: after 301 to 303 one without a body. Another scheme, host or port is another origin: it receives no header
 * that the step wrote for the first one, and nothing that contains a secret.
 * @throws Error for a body with a secret that would go there
 */
export function redirected(request: Request, status: number, target: URL): Request {
  const { method, url, body, skipTlsVerify, isSecret } = request
  const isElsewhere = target.origin !== url.origin
  const keepsBody = status >= 307
  if (isElsewhere && keepsBody && body !== undefined && isSecret(body))
    throw new Error(
      `redirected (${status}) to ${target.origin}, and the body holds a secret: it is not sent to another origin`
    )
  const headers = new Map(
    [...request.headers].filter(
      ([name, value]) =>
        name !== 'Host' &&
        (keepsBody || !CONTENT.includes(name)) &&
        (!isElsewhere || (FOR_EVERYBODY.has(name) && !isSecret(value)))
    )
  )
  return withoutUserInfo({
    method: keepsBody || method === 'HEAD' ? method : 'GET',
    url: target,
    headers,
    ...(keepsBody && body !== undefined ? { body } : {}),
    skipTlsVerify,
    isSecret
  })
}

/** `user:password@` of a URL as an Authorization header. */
export function withoutUserInfo(request: Request): Request {
  const { username, password } = request.url
  if (!username && !password) return request
  const url = new URL(request.url)
  url.username = ''
  url.password = ''
  const headers = new Map(request.headers)
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  if (!headers.has('Authorization')) headers.set('Authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  return { ...request, url, headers }
}
