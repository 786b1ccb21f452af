/**
 * Keeps foreign web pages out: a page may send requests to an address that its visitor can reach (request forgery), also under its
 * own host name (DNS rebinding). Pages of listed origins are not foreign. A trusted proxy says under which name it was requested; for
 * any other, the error names the setting to fix. Source: reliability 5.1, F39.
 */
import { hostname } from 'node:os'
import type { Middleware, ParameterizedContext } from 'koa'
import { ERRORS, TroupeError } from '../../errors.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { shown } from '../../schema/fit.ts'
import { isPageWanted, refusalPage } from '../auth/refusal-page.ts'
import { clientOf } from '../client-address.ts'

/** Content types that a page may send without a preflight. */
const SIMPLE_TYPES = /^(?:text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/i
const READING = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A GET that changes something: browsers send no Origin with the request for an image. */
const CHANGING = /\/dequeue$/

export interface OriginOptions {
  /** The configured address to listen on: one of the server's names. */
  host: string
  /** Other names of it. */
  names: readonly string[]
  /** Paths below which is the API, not pages. */
  apis: readonly string[]
  /** Other origins whose pages may call. */
  origins: ReadonlySet<string>
  /** Part of a host application: it is for that to know its names, and any Host is taken. */
  isMounted?: boolean
}

// D206, D274: requests of foreign web pages are refused
export function originRules({ host, names: others, apis, origins, isMounted = false }: OriginOptions): Middleware {
  const help = isMounted ? remedyInHost : remedy
  const hosts = [host, ...others, ...(isLoopback(host) ? [] : [hostname()])]
  const names = new Set(hosts.map((name) => name.toLowerCase()))
  const isApi = (path: string) => apis.some((base) => path === base || path.startsWith(`${base}/`))
  /** @throws TroupeError bad_request, forbidden */
  function check(ctx: ParameterizedContext): void {
    for (const name of SINGLE) {
      const count = countOf(ctx, name)
      if (count > 1) {
        ctx.set('Connection', 'close') // two programs on the way may have read two requests out of it
        throw new TroupeError('bad_request', `${name}: wanted one, found ${count}`)
      }
    }
    const { host: forwardedHost, scheme = 'http' } = clientOf(ctx)
    const header = forwardedHost === undefined ? 'Host' : 'X-Forwarded-Host'
    const asked = forwardedHost ?? ctx.get('Host')
    const own = authority(`${scheme}://${asked}`)
    // A trusted proxy has checked the name, and so has a host application.
    const isOwn =
      own && (isMounted || forwardedHost !== undefined || isOwnName(own.hostname.replace(/^\[|\]$/g, ''), names, ctx))
    if (!isOwn) {
      const found = asked === '' ? 'none' : shown(asked)
      throw new TroupeError(
        'forbidden',
        sentences(
          `${header}: wanted the address or the name of this server, found ${found}`,
          own && help(`https://${own.host}`)
        )
      )
    }
    const origin = ctx.get('Origin')
    const isListed = origins.has(origin)
    if (origin !== '') {
      const sender = authority(origin)
      if (!isListed && sender?.host !== own.host) {
        const what = `Origin: wanted that of this server, which was asked as ${shown(own.host)}, found ${shown(origin)}`
        throw new TroupeError('forbidden', sentences(what, sender && help(sender.origin)))
      }
      if (!READING.has(ctx.method) && SIMPLE_TYPES.test(ctx.get('Content-Type'))) {
        throw new TroupeError('forbidden', 'Content-Type: wanted application/json from a web page')
      }
    }
    // D310: Cross-site navigation to a whole page is allowed
    // Another site may link to a page, and a sign-in returns from its provider that way.
    const isVisit = ctx.method === 'GET' && ctx.get('Sec-Fetch-Dest') === 'document' && !isApi(ctx.path)
    const site = ctx.get('Sec-Fetch-Site')
    // Another port of this host is the same site, and so is another host of its domain.
    const isStrange = site === 'cross-site' || (site === 'same-site' && CHANGING.test(ctx.path))
    if (isStrange && !isVisit && !isListed) {
      throw new TroupeError('forbidden', `Sec-Fetch-Site: wanted same-origin or none, found ${site}`)
    }
  }

  return (ctx, next) => {
    try {
      check(ctx)
    } catch (refusal) {
      if (!(refusal instanceof TroupeError) || isApi(ctx.path) || !isPageWanted(ctx)) throw refusal
      // The page cannot be shown under this name: a person would see nothing, or JSON.
      ctx.vary('Accept')
      ctx.set('Cache-Control', 'no-store')
      refusalPage(ctx, ERRORS[refusal.code].status, refusal.message, 'Troupe does not answer this request')
      return
    }
    return next()
  }
}

/** A header that a request must have once. */
const SINGLE = ['Host', 'Authorization'] as const

function countOf({ req }: ParameterizedContext, name: string): number {
  let count = 0
  const { rawHeaders } = req
  const wanted = name.toLowerCase()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const found = rawHeaders[at]
    if (found?.length === wanted.length && found.toLowerCase() === wanted) count++
  }
  return count
}

/** What to set for a proxy in front of the server. */
const remedy = (origin: string) =>
  `If you operate a proxy in front of this server: list ${origin} in cors.allowedOrigins, or the address of the proxy in server.trustedProxies when it sends X-Forwarded-Host`

const remedyInHost = (origin: string) =>
  `List ${origin} in the option \`origins\` where Troupe is mounted, if its pages may call`

const sentences = (...parts: (string | undefined)[]) => parts.filter((part) => part !== undefined).join('. ')

function isOwnName(name: string, names: ReadonlySet<string>, ctx: ParameterizedContext): boolean {
  // The address that the client connected to is safe: rebinding needs a name.
  const address = ctx.req.socket.localAddress?.replace(/^::ffff:/, '')
  return isLoopback(name) || names.has(name) || name === address
}

/** Parses exactly `scheme://host:port`; undefined: it is something else. */
function authority(text: string): URL | undefined {
  if (!/^https?:\/\/[\w.:[\]-]+$/i.test(text)) return undefined
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
