/** The HTTP API of a server elsewhere, with the errors of the command line. */
import { ApiError, type Client, createClient, UnexpectedAnswer } from '../../client/index.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import type { Remote } from '../context.ts'

/** All functions throw TroupeError: what the server refuses, or service_unavailable when none answers. */
export function apiOf({ url, baseUrl, token, basic }: Remote): Client {
  const client = createClient({ baseUrl, ...(token === undefined ? {} : { token }), ...(basic ? { basic } : {}) })
  return new Proxy(client, {
    get(target, name, receiver) {
      const call: unknown = Reflect.get(target, name, receiver)
      if (typeof call !== 'function' || name === 'events' || name === 'runEvents') return call
      return (...input: unknown[]) =>
        Promise.resolve(call(...input)).catch((cause: unknown) => {
          throw errorOf(cause, url)
        })
    }
  })
}

/** @param url of the server, as it is shown */
export function errorOf(cause: unknown, url: string): unknown {
  if (cause instanceof ApiError) {
    const hint = cause.code === 'unauthorized' ? ` (${url}; ENGINE_AUTH_TOKEN or --token-file has the token)` : ''
    return new TroupeError(cause.code, `${cause.message}${hint}`, {
      cause,
      ...(Object.keys(cause.details ?? {}).length > 0 ? { details: { ...cause.details } } : {})
    })
  }
  if (cause instanceof UnexpectedAnswer)
    return new TroupeError(
      'bad_gateway',
      `${url} is no server of Troupe, or a proxy answers for it: ${cause.message}`,
      {
        cause
      }
    )
  if (cause instanceof TypeError && cause.cause !== undefined)
    return new TroupeError('service_unavailable', `no server answers at ${url}: ${messageOf(cause.cause)}`, { cause })
  return cause
}

/** The name of a definition there: files of this machine are not sent. @throws TroupeError bad_request */
export function fileNameOf(input: string): string {
  const name = input.replace(/\.ya?ml$/, '')
  if (!name.includes('/')) return name
  throw new TroupeError(
    'bad_request',
    `with --url: wanted the name of a definition of that server, found the path ${JSON.stringify(input)}`
  )
}
