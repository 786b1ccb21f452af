/** A request and its answer without a connection: as much of Koa's context as the routes and the rules around them read and write. */
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import type { RouterContext } from '@koa/router'

export interface Asked {
  method: string
  /** Below the base path, and what comes after the question mark. */
  path: string
  query: string
  /** Decoded, by their names in the path. */
  params: Record<string, string>
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body?: string | undefined
}

/** @param app by which what is held for requests is counted */
export function exchangeOf({ method, path, query, params, headers, body: sent }: Asked, app: EventEmitter) {
  const answered = new Map<string, string>()
  let [status, isChosen] = [404, false]
  let body: unknown
  const context = {
    method,
    path,
    querystring: query,
    query: Object.fromEntries(new URLSearchParams(query)),
    params,
    headers,
    app,
    state: {},
    req: Object.assign(Readable.from(sent === undefined ? [] : [Buffer.from(sent)]), { method, headers, url: path }),
    res: Object.assign(new EventEmitter(), { closed: false, destroy() {} }),
    answered,
    get: (name: string) => headers[name.toLowerCase()] ?? '',
    set: (name: string, value: string) => void answered.set(name.toLowerCase(), value),
    vary() {},
    attachment() {},
    acceptsEncodings: () => 'identity',
    set type(value: string) {
      answered.set('content-type', value)
    },
    set length(_bytes: number) {},
    get status() {
      return status
    },
    set status(value: number) {
      status = value
      isChosen = true
    },
    get body() {
      return body
    },
    set body(value: unknown) {
      body = value
      if (value === null || value === undefined) status = 204
      else if (!isChosen) status = 200
    }
  }
  // D1670: a command loads no Koa, whose context has far more. That no route reads more than this, but the backup and the metrics, is found out by a test that asks all operations in both ways
  return context as typeof context & RouterContext
}
