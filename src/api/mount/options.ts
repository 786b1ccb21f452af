/** What a host application says when it mounts the API. Checked when that is done. Source: embedding 1, 2.10. */
import type { IncomingMessage } from 'node:http'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { isRole, PERMISSIONS, type Permission, type Role, urlPath } from '../../config.ts'
import { refuse } from '../rules/error-body.ts'

/** A caller, as the host application knows them. */
export interface Principal {
  /** For messages, and as who has started a run. */
  readonly name: string
  /** What limits per caller count by. Default: the name. */
  readonly key?: string
  /** `read`, `run` and `write`, as of a token. Required without a `role`; with one, default: what the role allows. */
  readonly permissions?: readonly Permission[]
  /** `none`, `viewer`, `runner`, `editor` or `admin`, on the whole server. Needed without `permissions`. Default: as in `access.roles`. */
  readonly role?: Role
  /** Calls `end` when the caller's credentials become invalid: their event streams end. Returns a function that cancels it. */
  whileGood?(end: () => void): () => void
}

/** The request as the host application's framework has it. */
export interface HostRequest {
  /** The request of Node, with whatever the framework has put on it, such as `user` or `session`. */
  readonly req?: IncomingMessage
  /** The context of Koa. */
  readonly ctx?: unknown
}

export interface HttpOptions {
  /** Path of the mount as browsers see it, such as `/flows`. Default: where Express has mounted the handler, else the root. */
  prefix?: string
  /** Serves the web page at `prefix`, too. Default: no, the API alone. */
  page?: boolean
  /** The sender of the request; null: somebody unknown, who is answered 401. The request is without its body. */
  authorize(request: Request, host: HostRequest): Principal | null | Promise<Principal | null>
  /** Other origins whose pages may call, such as `https://admin.example`. */
  origins?: readonly string[]
  /**
   * Asked before each operation, after the permissions of `who`. Default: all may.
   * @param what id of the operation, as in the OpenAPI document, such as `stopRun` @param run the run in its path
   */
  may?(who: Principal, what: string, run?: RunKey): boolean
}

/** Options after the checks. */
export interface Mount extends HttpOptions {
  /** Absent: it is where the request says. */
  prefix?: string
  origins: readonly string[]
}

const KNOWN = ['prefix', 'page', 'authorize', 'origins', 'may']
const ORIGIN = /^https?:\/\/[\w.:[\]-]+$/i

// D1090: there is no mount without `authorize`
/** @throws TroupeError bad_request (details.errors) with every problem */
export function mountOf(options: HttpOptions): Mount {
  // JavaScript passes anything.
  const given: Partial<Record<keyof HttpOptions, unknown>> = options ?? {}
  const { prefix, page, authorize, origins = [], may } = given
  const isList = Array.isArray(origins) && origins.every((origin) => typeof origin === 'string' && isOrigin(origin))
  refuse([
    ...Object.keys(given).map((name) => (KNOWN.includes(name) ? undefined : `unknown option ${name}`)),
    typeof authorize === 'function'
      ? undefined
      : 'authorize: wanted a function that says who sends a request: without one, anyone who reaches the host could run commands',
    prefix === undefined || urlPath.of(prefix) !== undefined ? undefined : `prefix: wanted ${urlPath.wanted}`,
    page === undefined || typeof page === 'boolean' ? undefined : 'page: wanted true or false',
    isList ? undefined : 'origins: wanted a list of origins such as https://admin.example',
    may === undefined || typeof may === 'function' ? undefined : 'may: wanted a function'
  ])
  const path = prefix === undefined ? undefined : urlPath.of(prefix)
  return {
    ...options,
    origins: options.origins ?? [],
    ...(path === undefined ? {} : { prefix: path })
  }
}

/** Exactly as a browser sends it. */
const isOrigin = (text: string): boolean => ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text

/** Whether `authorize` has answered with a caller: a host in JavaScript can answer with anything. */
export const isPrincipal = (answer: unknown): answer is Principal => {
  if (typeof answer !== 'object' || answer === null) return false
  const { name, key, permissions, role }: Partial<Record<keyof Principal, unknown>> = answer
  return (
    typeof name === 'string' &&
    (key === undefined || typeof key === 'string') &&
    (role === undefined ? permissions !== undefined : isRole(role)) &&
    (permissions === undefined || isPermissions(permissions))
  )
}

const isPermissions = (input: unknown): boolean =>
  Array.isArray(input) && input.every((permission) => PERMISSIONS.includes(permission))
