/**
 * Keeps web pages of strangers out: a page may send requests to an address its visitor can reach (request forgery), also
 * under a host name of its own (DNS rebinding). Pages of listed origins are no strangers. Source: reliability 5.1, F39.
 */
import { hostname } from 'node:os'
import type { Middleware, ParameterizedContext } from 'koa'
import { TroupeError } from '../errors.ts'
import { isLoopback } from './loopback.ts'

/** Content types a page may send without asking first. */
const SIMPLE_TYPES = /^(?:text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/i
const READING = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Changes something with a GET, too: with one that a page sends for an image, browsers tell no origin. */
const CHANGING = /\/dequeue$/

export interface OriginOptions {
  /** Address the server was told to listen on: a name it may be called by. */
  host: string
  /** Other names of it. */
  names: readonly string[]
  /** Paths below which there is the API, not pages. */
  apis: readonly string[]
  /** Other origins whose pages may call. */
  origins: ReadonlySet<string>
}

export function originRules({ host, names: others, apis, origins }: OriginOptions): Middleware {
  const given = [host, ...others, ...(isLoopback(host) ? [] : [hostname()])]
  const names = new Set(given.map((name) => name.toLowerCase()))
  const isApi = (path: string) => apis.some((base) => path === base || path.startsWith(`${base}/`))
  return async (ctx, next) => {
    const own = authority(`http://${ctx.get('Host')}`)
    if (!own || !isOwnName(own.hostname.replace(/^\[|\]$/g, ''), names, ctx)) {
      throw new TroupeError('forbidden', 'Host: wanted the address or the name of this server')
    }
    const origin = ctx.get('Origin')
    const isListed = origins.has(origin)
    if (origin !== '') {
      if (!isListed && authority(origin)?.host !== own.host)
        throw new TroupeError('forbidden', 'Origin: wanted this server, found another')
      if (!READING.has(ctx.method) && SIMPLE_TYPES.test(ctx.get('Content-Type'))) {
        throw new TroupeError('forbidden', 'Content-Type: wanted application/json from a web page')
      }
    }
    // A link elsewhere may lead to a page, and a sign-in comes back from its provider that way.
    const isVisit = ctx.method === 'GET' && ctx.get('Sec-Fetch-Dest') === 'document' && !isApi(ctx.path)
    const site = ctx.get('Sec-Fetch-Site')
    // Another port of this host is the same site, and so is a neighbour in its domain.
    const isStrange = site === 'cross-site' || (site === 'same-site' && CHANGING.test(ctx.path))
    if (isStrange && !isVisit && !isListed) {
      throw new TroupeError('forbidden', `Sec-Fetch-Site: wanted same-origin or none, found ${site}`)
    }
    await next()
  }
}

function isOwnName(name: string, names: ReadonlySet<string>, ctx: ParameterizedContext): boolean {
  // An address is no danger when it is the very one the client connected to: rebinding needs a name.
  const address = ctx.req.socket.localAddress?.replace(/^::ffff:/, '')
  return isLoopback(name) || names.has(name) || name === address
}

/** Parses `scheme://host:port` and nothing more; undefined: it is something else. */
function authority(text: string): URL | undefined {
  if (!/^https?:\/\/[\w.:[\]-]+$/i.test(text)) return undefined
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
