/** The whole API for the user who owns the home: behind the owner's socket, and for a command in the engine's process. */
import type { RequestListener } from 'node:http'
import type { Engine } from '../../engine/engine.ts'

/** Most owners never get a request: the API is loaded with the first. */
export function trustedApi(engine: Engine): RequestListener {
  let api: Promise<RequestListener> | undefined
  return (request, response) => {
    api ??= import('../app.ts').then(({ createApp }) => createApp(engine, { trusted: true }).callback())
    api.then(
      (listener) => listener(request, response),
      (cause) => response.destroy(cause)
    )
  }
}
