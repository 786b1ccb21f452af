/** Requests to the API of the server that this page came from, and to no other. */
import { heardTime, localNow } from './clock.ts'

/** A refusal of the API. `status` 0: there was no answer. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(0, error instanceof Error ? error.message : String(error))

/** What the server put into the page about itself, in a `meta` element of that name. */
const meta = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="troupe-${name}"]`)?.content ?? ''

const API = meta('api')
/** Where a visitor signs in and out; empty: there are no sessions. */
export const SIGN_IN = meta('sign-in')
export const SIGN_OUT = meta('sign-out')
/** Whether the configuration has targets of `notify`. */
export const NOTIFIES = meta('notify') !== ''
/** Where the documentation is; empty: this server has none. */
export const DOCS = meta('docs')
/** Which of `basic`, `token` and `oidc` the server accepts; none: nobody has to sign in. */
export const METHODS: readonly string[] = meta('methods').split(' ')

const TOKEN = 'troupe.token'

/** A token is kept for this tab only. */
export const keepToken = (token: string): void => sessionStorage.setItem(TOKEN, token)
export const forgetToken = (): void => sessionStorage.removeItem(TOKEN)
export const hasToken = (): boolean => sessionStorage.getItem(TOKEN) !== null

let onUnknown = () => {}
let onLeft = () => {}
/** Asks the visitor to sign in, as at first. */
export const askWho = (): void => onLeft()
/** @param ask called when the server answers 401 @param left called when the visitor has signed out */
export const whenUnknown = (ask: () => void, left: () => void): void => {
  onUnknown = ask
  onLeft = left
}

/** Requests that wait until the visitor has signed in again; undefined: none has to. */
let waiting: { isOver: Promise<boolean>; end: (isSame: boolean) => void } | undefined
// D1330: requests of a session that has ended wait for the next sign-in of the same visitor
/** Nothing is asked from now on: a token that is wrong, asked again and again, would lock the visitor out. */
function holdRequests(): Promise<boolean> {
  if (!waiting) {
    let end = (_isSame: boolean) => {}
    const isOver = new Promise<boolean>((resolve) => {
      end = resolve
    })
    waiting = { isOver, end }
  }
  return waiting.isOver
}
/** @param isSame it is the visitor who was there before: their requests are sent. Those of another one are dropped. */
export function releaseRequests(isSame: boolean): void {
  waiting?.end(isSame)
  waiting = undefined
}

/** To the other tabs of this browser: some changes have no event. */
const changes = new BroadcastChannel('troupe')
/** Calls `act` when another tab has changed something. Returns a function that ends it. */
export function whenChanged(act: () => void): () => void {
  const heard = new AbortController()
  changes.addEventListener('message', act, { signal: heard.signal })
  return () => heard.abort()
}

export interface Request {
  method?: string
  /** A text is JSON already. */
  body?: object | string
  headers?: Record<string, string>
  signal?: AbortSignal
  /** The request is about who the visitor is: it is sent, and refused, also while nobody is signed in. */
  isOfSession?: boolean
}

/**
 * Sends to a path below the API.
 * @throws Refusal with the server's message; what `fetch` throws when `signal` aborts
 */
export const send = (path: string, request?: Request): Promise<Response> => sendTo(API + path, request)

/** The address of a path below the API, for a link. */
export const urlOf = (path: string): string => API + path

/** Sends a request to any address of this server. */
export async function sendTo(address: string, request: Request = {}): Promise<Response> {
  const { method = 'GET', body, headers = {}, signal, isOfSession = false } = request
  if (waiting && !isOfSession) await allowed(signal)
  const token = sessionStorage.getItem(TOKEN)
  const all = {
    ...headers,
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(body ? { 'Content-Type': 'application/json' } : {})
  }
  const isFile = FILE.test(address)
  const sentAt = localNow()
  let response: Response
  try {
    response = await fetch(address, {
      method,
      headers: all,
      cache: isFile ? 'default' : 'no-store',
      ...(body ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {})
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Refusal(0, 'The server does not answer.')
  }
  // A file may come from the browser's cache, with an old Date.
  if (!isFile) heardTime(response.headers.get('Date'), sentAt)
  if (response.ok) {
    if (method !== 'GET') changes.postMessage('changed')
    return response
  }
  if (response.status === 401) {
    if (!isOfSession) void holdRequests()
    onUnknown()
    // A refused request has done nothing: it is sent once more.
    if (!isOfSession) return sendTo(address, request)
  }
  if (isFile && response.status === 404)
    throw new Refusal(404, 'The server was updated after this page was opened. Reload the page.')
  throw new Refusal(response.status, (await messageIn(response)) ?? withoutMessage(response))
}

/** Resolves once the visitor has signed in again. */
async function allowed(signal: AbortSignal | undefined): Promise<void> {
  const ended = new Promise<boolean>((resolve) =>
    signal?.addEventListener('abort', () => resolve(false), { once: true })
  )
  if (await Promise.race([holdRequests(), ended])) return
  signal?.throwIfAborted()
  throw new Refusal(401, 'Somebody else has signed in: nothing was done.')
}

/** Names of the page's files contain a hash of their content. */
const FILE = /^page\/.+\.\w+$/

/** The message of an Error object of the API; undefined: another service has answered. */
const messageIn = (response: Response): Promise<string | undefined> =>
  response.json().then(
    (body: { message?: unknown } | null) => (typeof body?.message === 'string' ? body.message : undefined),
    () => undefined
  )

const withoutMessage = ({ status, statusText }: Response): string =>
  `The answer was ${`${status} ${statusText}`.trim()}, but not from Troupe: it may come from a proxy in front of the server.`

/** The answer to a request as JSON; null for an empty one. The caller names the documented shape. */
export const ask = async <T>(path: string, request?: Request): Promise<T> => read(await send(path, request))

/** Asks any address of this server. */
export const askAt = async <T>(address: string, request?: Request): Promise<T> => read(await sendTo(address, request))

/** @throws Refusal when it is no JSON, as when a proxy answers with a page of its own */
async function read<T>(response: Response): Promise<T> {
  const text = await response.text()
  try {
    return JSON.parse(text === '' ? 'null' : text)
  } catch {
    throw new Refusal(0, notOfTroupe(response, 'JSON'))
  }
}

/** @param wanted such as `JSON` */
export function notOfTroupe({ headers, redirected }: Response, wanted: string): string {
  const found = headers.get('Content-Type')?.split(';')[0] || 'something else'
  const how = redirected ? 'The request was redirected, and the answer was' : 'The answer was'
  return `${how} ${found} instead of ${wanted}: it may come from a proxy or a sign-in page in front of the server. Reload the page.`
}

/** A path of parts that may hold any character. */
export const pathOf = (...parts: string[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('')
