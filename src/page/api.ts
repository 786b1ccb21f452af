/** Requests to the API of the server that this page came from, and to no other. */

/** What the API said when it refused. `status` 0: there was no answer. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** What the server told the page about itself, in a `meta` element of that name. */
const told = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="troupe-${name}"]`)?.content ?? ''

const API = told('api')
/** Where a session of a person begins and ends; empty: there are none. */
export const SIGN_IN = told('sign-in')
export const SIGN_OUT = told('sign-out')
/** Which of `basic`, `token` and `oidc` the server takes; none: it asks nobody who they are. */
export const METHODS: readonly string[] = told('methods').split(' ')

const TOKEN = 'troupe.token'

/** A token is kept for this tab only, and only when somebody gave one. */
export const keepToken = (token: string): void => sessionStorage.setItem(TOKEN, token)
export const forgetToken = (): void => sessionStorage.removeItem(TOKEN)
export const hasToken = (): boolean => sessionStorage.getItem(TOKEN) !== null

let onUnknown = () => {}
/** Asks the visitor who they are, as if the server had. */
export const askWho = (): void => onUnknown()
/** Calls `ask` when the server does not know who this is. */
export const whenUnknown = (ask: () => void): void => {
  onUnknown = ask
}

export interface Request {
  method?: string
  body?: object
  headers?: Record<string, string>
  signal?: AbortSignal
}

/**
 * Sends to a path below the API.
 * @throws Refusal with the server's own sentence; whatever `fetch` throws when `signal` aborts
 */
export const send = (path: string, request?: Request): Promise<Response> => sendTo(API + path, request)

/** The same, to an address of this server. */
export async function sendTo(
  address: string,
  { method = 'GET', body, headers = {}, signal }: Request = {}
): Promise<Response> {
  const token = sessionStorage.getItem(TOKEN)
  const all = {
    ...headers,
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(body ? { 'Content-Type': 'application/json' } : {})
  }
  let response: Response
  try {
    response = await fetch(address, {
      method,
      headers: all,
      cache: address.startsWith(API) ? 'no-store' : 'default',
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {})
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Refusal(0, 'the server does not answer')
  }
  if (response.ok) return response
  if (response.status === 401) onUnknown()
  const said = await response.json().catch(() => ({}))
  throw new Refusal(response.status, String(said.message ?? `the server answered with ${response.status}`))
}

/** The answer to a request as JSON; null for an empty one. The caller says what shape the API documents. */
export async function ask<T>(path: string, request?: Request): Promise<T> {
  const text = await (await send(path, request)).text()
  return JSON.parse(text === '' ? 'null' : text)
}

/** A path of parts that may hold any character. */
export const pathOf = (...parts: string[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('')
