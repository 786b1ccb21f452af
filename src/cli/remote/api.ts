/** The HTTP API of an engine, here or elsewhere, with the errors of the command line. It is loaded with the first question. */
import { ApiError, UnexpectedAnswer } from '../../client/api-error.ts'
import type { Client, ClientOptions } from '../../client/index.ts'
import { messageOf, TroupeError } from '../../errors.ts'

/**
 * All functions throw TroupeError: what the server refuses, or service_unavailable when none answers.
 * @param options with its address as it is shown
 */
export const apiOf = ({ url, ...options }: ClientOptions & { url: string }): Client =>
  loaded(url, async () =>
    (await import('../../client/index.ts')).createClient({ ...options, resumes: options.fetch === undefined })
  )

/** The functions that `load` resolves with, likewise. */
export function loaded<C extends object>(url: string, load: () => Promise<C>): C {
  let loading: Promise<C> | undefined
  async function call(name: PropertyKey, input: unknown[]): Promise<unknown> {
    loading ??= load()
    const found: unknown = Reflect.get(await loading, name)
    try {
      return typeof found === 'function' ? await found(...input) : found
    } catch (cause) {
      throw errorOf(cause, url)
    }
  }
  async function* stream(name: 'events' | 'runEvents', input: unknown[]): AsyncGenerator<unknown> {
    try {
      yield* (await call(name, input)) as AsyncGenerator<unknown> // as `Client` has it
    } catch (cause) {
      throw errorOf(cause, url)
    }
  }
  const members: ProxyHandler<C> = {
    get: (_none, name) =>
      name === 'then' // it is no promise
        ? undefined
        : name === 'events' || name === 'runEvents'
          ? (...input: unknown[]) => stream(name, input)
          : (...input: unknown[]) => call(name, input)
  }
  return new Proxy({} as C, members) // each member is asked for by its name
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
  const broken = cause instanceof TypeError ? cause.cause : cause
  // An answer that breaks off has the error of the connection itself.
  if (cause instanceof TypeError ? broken !== undefined : isOfConnection(cause))
    return new TroupeError('service_unavailable', `no server answers at ${url}: ${messageOf(broken)}`, { cause })
  return cause
}

const isOfConnection = (cause: unknown): boolean => {
  const { syscall }: NodeJS.ErrnoException = Object(cause)
  return syscall === 'read' || syscall === 'write' || syscall === 'connect'
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
