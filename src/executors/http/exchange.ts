/** One exchange over HTTP: redirects, proxies, and whom credentials are told. Source: execution-semantics 10.4.6; reliability R18. */
import type { Dispatcher } from 'undici'

export interface Request {
  /** Upper case. */
  method: string
  url: URL
  /** The URL for messages. Default: as `url` says it. */
  shown?: string
  /** By canonical name. */
  headers: Map<string, string>
  body?: string
  skipTlsVerify: boolean
}

export interface Answer {
  status: number
  /** As the server wrote it. */
  reason: string
  /** By lower-case name. */
  headers: Record<string, string | string[] | undefined>
  body: AsyncIterable<Uint8Array>
}

export interface Exchange {
  /** @param trace told of each request and answer, without credentials. @throws Error of the transport, or after 10 redirects */
  send(request: Request, signal: AbortSignal, trace: (line: string) => Promise<void>): Promise<Answer>
  /** Ends its connections. */
  close(): void
}

const MAX_REDIRECTS = 10
const CONNECT_MS = 30_000
/** Only for the origin that they were given for. */
const CREDENTIALS = ['Authorization', 'Cookie', 'Proxy-Authorization']
const CONTENT = ['Content-Type', 'Content-Length', 'Content-Encoding', 'Content-Language', 'Transfer-Encoding']

export async function openExchange(skipTlsVerify: boolean): Promise<Exchange> {
  const { Agent, EnvHttpProxyAgent, request } = await import('undici')
  const tls = { rejectUnauthorized: !skipTlsVerify }
  // The step's own time limits count, not the client's.
  const limits = { headersTimeout: 0, bodyTimeout: 0, connect: { ...tls, timeout: CONNECT_MS } }
  const direct = new Agent(limits)
  let proxied: Dispatcher | undefined
  const dispatcherFor = ({ hostname }: URL): Dispatcher => {
    if (isLoopback(hostname)) return direct
    proxied ??= new EnvHttpProxyAgent({ ...limits, requestTls: tls, proxyTunnel: false }) // of the server's environment, if it names one
    return proxied
  }
  return {
    async send(first, signal, trace) {
      let next = withoutUserInfo(first)
      for (let redirects = 0; ; redirects++) {
        const { method, url, shown = urlText(url), headers, body } = next
        await trace(`> ${method} ${shown}`)
        for (const [name, value] of headers) await trace(`> ${name}: ${CREDENTIALS.includes(name) ? '*******' : value}`)
        const answer = await request(url, {
          method: method as Dispatcher.HttpMethod, // any token is one: the client refuses what is none
          headers: Object.fromEntries([...headers].map(([name, value]) => [name, asBytes(value)])),
          body: body ?? null,
          signal,
          dispatcher: dispatcherFor(url)
        })
        await trace(`< ${answer.statusCode} ${answer.statusText}`)
        const received = Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name, asTexts(value)])
        )
        const target = redirectOf(answer.statusCode, received.location, url)
        if (!target)
          return { status: answer.statusCode, reason: answer.statusText, headers: received, body: answer.body }
        if (redirects === MAX_REDIRECTS) throw new Error(`stopped after ${MAX_REDIRECTS} redirects`)
        await answer.body.dump()
        next = redirected(next, answer.statusCode, target)
      }
    },
    close() {
      for (const dispatcher of [direct, proxied]) void dispatcher?.destroy().catch(() => {}) // nothing is left to tell
    }
  }
}

/** A header's text in UTF-8, one character for each byte: so the client takes it, and gives it. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The other way round; what is no UTF-8 stays as it is. */
const asText = (bytes: string): string => {
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes
  }
}
const asTexts = (value: Answer['headers'][string]): Answer['headers'][string] =>
  Array.isArray(value) ? value.map(asText) : value === undefined ? value : asText(value)

function redirectOf(status: number, location: string | string[] | undefined, from: URL): URL | undefined {
  const address = Array.isArray(location) ? location[0] : location
  if (![301, 302, 303, 307, 308].includes(status) || !address) return undefined
  const target = URL.canParse(address, from.href) ? new URL(address, from) : undefined
  if (target && /^https?:$/.test(target.protocol)) return target
  throw new Error('redirected to an address that is no http:// or https:// URL')
}

/** What the next request is: after 301 to 303 one without a body; on another origin one without credentials. */
function redirected({ method, url, headers, body, skipTlsVerify }: Request, status: number, target: URL): Request {
  const kept = new Map(headers)
  kept.delete('Host')
  if (target.origin !== url.origin) for (const name of CREDENTIALS) kept.delete(name)
  if (status >= 307)
    return { method, url: target, headers: kept, ...(body === undefined ? {} : { body }), skipTlsVerify }
  for (const name of CONTENT) kept.delete(name)
  return withoutUserInfo({ method: method === 'HEAD' ? 'HEAD' : 'GET', url: target, headers: kept, skipTlsVerify })
}

/** `user:password@` in a URL as the header that it stands for. */
function withoutUserInfo(request: Request): Request {
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

/** `content-type` as `Content-Type`. */
export const canonicalName = (name: string): string =>
  name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase())

/** A URL for messages: without query and password, which may be secret. */
const urlText = ({ origin, pathname }: URL): string => `${origin}${pathname}`

/** The same of a text that is one, as it is written: what a URL makes of a secret in its path, no mask would find. */
export const shownUrl = (address: string): string => address.replace(/[?#].*$/s, '').replace(/^(\w+:\/*)[^/]*@/, '$1')

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
