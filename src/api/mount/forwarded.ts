/**
 * Requests for a mount in a process that is connected to the engine of another: the process says who sends them, and its owner answers, over
 * the socket of the home. Source: docs/embedding/several-processes.md.
 */
import { type IncomingMessage, request as nodeRequest, type RequestListener, type ServerResponse } from 'node:http'
import type { Engine } from '../../engine/engine.ts'
import { ERRORS, isA, messageOf, TroupeError } from '../../errors.ts'
import type { ConnectedHome } from '../../store/disk/connected-home.ts'
import { bytesReadBefore, wasReadBefore } from '../input/read-before.ts'
import { MOUNT_HEADER } from '../owner/mount-header.ts'
import { socketPath } from '../owner/socket-path.ts'
import { refuse } from '../rules/error-body.ts'
import { OF_CONNECTION } from './in-memory.ts'
import { type Arrival, mounted, prefixOf } from './mounted.ts'
import { type HttpOptions, type Mount, mountOf, type Principal } from './options.ts'

/** Not of one connection, and nothing that only this side says. */
const isPassedOn = (name: string) => !OF_CONNECTION.has(name) && name !== MOUNT_HEADER

interface Told {
  mount: Pick<Mount, 'page' | 'origins'> & { prefix: string }
  /** Null: somebody unknown. */
  caller?: Omit<Principal, 'whileGood'> | null
  /** What `authorize` has thrown. */
  failed?: string
}

// D1767: a mount in a process without the engine passes requests on, with the caller that its `authorize` has found
/** @throws TroupeError bad_request (the options) */
export function forwarding({ dataDir, ready }: ConnectedHome, options: HttpOptions): (arrival: Arrival) => void {
  const mount = mountOf(options)
  refuse([mount.may ? 'may: wanted none with connectEngine, whose owner is asked for each operation' : undefined])
  return (arrival) => {
    const { req, res, url, body, next } = arrival
    const prefix = prefixOf(mount, arrival)
    if (prefix === undefined) {
      next?.()
      return
    }
    wasReadBefore(req, body)
    const { page = false, origins } = mount
    forward({ mount: { prefix, page, origins } }).catch((error) => answer(res, error))

    async function forward(told: Told): Promise<void> {
      let end: Principal['whileGood']
      try {
        const caller = (await mount.authorize(arrival.request ?? requestOf(req, url), arrival.host)) ?? null
        if (caller) {
          const { whileGood, ...known } = caller
          end = whileGood
          told.caller = known
        } else told.caller = null
      } catch (error) {
        told.failed = messageOf(error) // for the log of the owner
      }
      await ready()
      await passOn(arrival, await socketPath(dataDir), told, end)
    }
  }
}

function passOn(
  { req, res, url }: Arrival,
  path: string,
  told: Told,
  whileGood: Principal['whileGood']
): Promise<void> {
  const bytes = bytesReadBefore(req)
  const { method, headers } = req
  const length = bytes ? bytes.length : headers['content-length']
  return new Promise((resolve, reject) => {
    const sent = nodeRequest({
      socketPath: path,
      path: url,
      method,
      agent: false,
      headers: {
        ...Object.fromEntries(Object.entries(headers).filter(([name]) => isPassedOn(name))),
        ...(length === undefined ? {} : { 'content-length': length }),
        [MOUNT_HEADER]: encodeURIComponent(JSON.stringify(told))
      }
    })
    res.once('close', () => sent.destroy())
    sent.once('error', (cause) =>
      reject(new TroupeError('service_unavailable', 'the engine has just ended', { cause }))
    )
    sent.once('response', (response) => {
      const { statusCode = 502, rawHeaders } = response
      for (let at = 0; at < rawHeaders.length; at += 2) {
        const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
        if (isPassedOn(name.toLowerCase()) || name.toLowerCase() === 'content-length') res.appendHeader(name, value)
      }
      res.writeHead(statusCode)
      response.once('error', () => res.destroy())
      if (response.headers['content-type']?.startsWith('text/event-stream'))
        res.once('close', whileGood?.(() => res.destroy()) ?? (() => {}))
      response.pipe(res)
      resolve()
    })
    if (bytes) sent.end(bytes)
    else req.pipe(sent)
  })
}

/** The request without its body. @throws TypeError: it has no method or host that one can have */
function requestOf({ method = '', rawHeaders, headers, socket }: IncomingMessage, url: string): Request {
  const all = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) all.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  const scheme = 'encrypted' in socket ? 'https' : 'http'
  return new Request(new URL(url, `${scheme}://${headers.host ?? 'localhost'}`), { method, headers: all })
}

function answer(res: ServerResponse, error: unknown): void {
  if (res.headersSent) {
    res.destroy()
    return
  }
  const { code, message } = isA(error, TroupeError) ? error : new TroupeError('internal_error', 'internal error')
  res.writeHead(ERRORS[code].status, { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '1' })
  res.end(JSON.stringify({ code, message }))
}

/** The other side: an application for each mount that is told of. */
export function forwardedMounts(engine: Engine): RequestListener {
  const mounts = new Map<string, (arrival: Arrival) => void>()
  const toldIn = ({ headers }: IncomingMessage): Told => JSON.parse(decodeURIComponent(String(headers[MOUNT_HEADER])))
  const authorize: HttpOptions['authorize'] = (_request, { req }) => {
    const { caller = null, failed } = req ? toldIn(req) : {}
    if (failed !== undefined) throw new Error(failed)
    return caller
  }
  return (req, res) => {
    const { mount } = toldIn(req)
    const key = JSON.stringify(mount)
    const take = mounts.get(key) ?? mounted(engine, { ...mount, authorize })
    mounts.set(key, take)
    take({ req, res, url: req.url ?? '', host: { req } })
  }
}
