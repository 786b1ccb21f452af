/** The API of an engine below a path of a host application: the same application that the program serves. Nothing listens. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { urlPath } from '../../config.ts'
import type { Engine } from '../../engine/engine.ts'
import { logOf } from '../../engine/engine-log.ts'
import { TroupeError } from '../../errors.ts'
import { causesOf } from '../../log.ts'
import { createApp } from '../app.ts'
import { wasReadBefore } from '../input/read-before.ts'
import { hostAccess, type Origination } from './host-access.ts'
import { type HttpOptions, type Mount, mountOf } from './options.ts'

/** One request for a mounted API. */
export interface Arrival extends Origination {
  req: IncomingMessage
  res: ServerResponse
  /** The whole path with its query, as the browser sees it. */
  url: string
  /** Where the framework has mounted the handler; the prefix, unless the options have one. */
  mountedAt?: string
  /** What the framework has made of the body. */
  body?: unknown
  /** Takes a request for another path. Default: it is answered with 404. */
  next?: (() => unknown) | undefined
}

/** A path with a parameter, as in `app.use('/:tenant/flows')`, has many values: so many are kept ready. */
const MOST_PLACES = 8

// D1093: without `prefix`, a mount is where Express says
/** @throws TroupeError bad_request (the options) */
export function mounted(engine: Engine, options: HttpOptions): (arrival: Arrival) => void {
  const mount = mountOf(options)
  const arrivals = new WeakMap<IncomingMessage, Origination>()
  const places = new Map<string, { listener: RequestListener; end: AbortController }>()

  function placeAt(prefix: string): RequestListener {
    const place = places.get(prefix) ?? openPlace(prefix)
    places.delete(prefix)
    places.set(prefix, place) // the latest one is the last
    const [oldest] = places
    if (oldest && places.size > MOST_PLACES) {
      places.delete(oldest[0])
      oldest[1].end.abort() // its clients connect again, and continue where they were
    }
    return place.listener
  }

  function openPlace(prefix: string) {
    const config = { ...engine.config, auth: { tokens: [] }, basePath: prefix, headless: mount.page !== true }
    const from = (req: IncomingMessage) => arrivals.get(req) ?? { host: { req } }
    const log = logOf(engine)
    const end = new AbortController()
    const app = createApp(
      { ...engine, config },
      {
        hostAccess: hostAccess(engine, mount, { api: prefix + config.apiBasePath, from }),
        origins: mount.origins,
        closing: end.signal,
        log: (message, cause, fields) => log.error(message, { ...fields, cause: causesOf(cause) }),
        ...(engine.config.debug ? { answered: (request) => log.debug('request answered', { ...request }) } : {})
      }
    )
    return { listener: app.callback(), end }
  }

  return (arrival) => {
    const { req, res, url, mountedAt: _at, body, next, ...origination } = arrival
    const prefix = prefixOf(mount, arrival)
    if (prefix === undefined) {
      next?.()
      return
    }
    arrivals.set(req, origination)
    wasReadBefore(req, body)
    req.url = url
    placeAt(prefix)(req, res)
  }
}

/** Where a request finds the mount; undefined: it is for `next`. @throws TroupeError bad_request */
export function prefixOf(mount: Mount, { url, mountedAt = '', next }: Arrival): string | undefined {
  const prefix = mount.prefix ?? urlPath.of(mountedAt)
  if (prefix === undefined) throw new TroupeError('bad_request', `mounted at ${mountedAt}: wanted ${urlPath.wanted}`)
  return next && !isBelow(url.split('?', 1)[0] ?? '', prefix) ? undefined : prefix
}

const isBelow = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`)
