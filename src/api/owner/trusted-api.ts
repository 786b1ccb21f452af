/** The whole API for the user who owns the home: behind the owner's socket, and for a command in the engine's process. */
import type { RequestListener } from 'node:http'
import type { Engine } from '../../engine/engine.ts'
import type { Transport } from '../contract/transport.ts'

/** Most owners never get a request: the API is loaded with the first. */
export const trustedApi = (engine: Engine): RequestListener =>
  lateListener(async () => (await import('../app.ts')).createApp(engine, { trusted: true }).callback())

/** One that is loaded with its first request. */
export function lateListener(load: () => Promise<RequestListener>): RequestListener {
  let loaded: Promise<RequestListener> | undefined
  return (request, response) => {
    loaded ??= load()
    loaded.then(
      (listener) => listener(request, response),
      (cause) => response.destroy(cause)
    )
  }
}

/** The same as a function, likewise. */
export function trustedCalls(engine: Engine): Transport {
  let calls: Promise<Transport> | undefined
  return async (url, request) => {
    calls ??= import('./in-process.ts').then(({ callsOf }) => callsOf(engine))
    return (await calls)(url, request)
  }
}
