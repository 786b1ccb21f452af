/**
 * Authenticates requests: the only entry of the API. Every path that is not listed as public needs credentials, also where there is
 * nothing. Source: api-semantics 9.1; reliability 5.3 R8.
 */
import { Readable } from 'node:stream'
import type { Middleware, ParameterizedContext } from 'koa'
import type { Clock } from '../../clock.ts'
import { type AccessRule, type Config, isAuthenticated, PERMISSIONS, type Permission } from '../../config.ts'
import type { GoodKey, KeyRing } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { clientOf, networkOf } from '../client-address.ts'
import { PUBLIC_PATHS } from '../contract/operations.ts'
import { answerWith, TOO_MANY } from '../rules/error-body.ts'
import { isSame, passwordCheck, turns } from './compare.ts'
import { type AccessState, type Principal, passerBy } from './principal.ts'
import type { SignIn } from './sign-in.ts'
import { slowDown } from './slow-down.ts'

export interface AccessOptions {
  clock: Clock
  /** Where the API begins. */
  api: string
  keys: Pick<KeyRing, 'keyOf' | 'whileGood'>
  /** Sign-in of web pages, when it is on. */
  signIn: SignIn | undefined
}

// D271: credentials are compared before anything is limited
export function access(config: Config, { clock, api, keys, signIn }: AccessOptions): Middleware {
  if (!isAuthenticated(config.auth)) return (_ctx, next) => next()
  const { basic, tokens } = config.auth
  const inTurn = turns()
  const isPassword = basic && passwordCheck(basic, inTurn)
  const limit = slowDown(clock)
  const open = new Set([
    ...PUBLIC_PATHS.map((path) => api + path),
    ...(config.metrics === 'public' ? [`${api}/metrics`] : [])
  ])
  const isPublic = ({ method, path }: ParameterizedContext) =>
    method === 'OPTIONS' ||
    ((method === 'GET' || method === 'HEAD') && (open.has(path) || (path.endsWith('/') && open.has(path.slice(0, -1)))))

  async function byHeader(ctx: ParameterizedContext, header: string, address: string): Promise<Principal | undefined> {
    const [, scheme = '', credentials = ''] = /^(\S+) +(\S+) *$/.exec(header) ?? []
    if (scheme.toLowerCase() === 'bearer') {
      // All tokens are compared, so that the time reveals nothing.
      const token = tokens.filter(({ value }) => isSame(credentials, value.reveal()))[0]
      if (token) return callerBy('token', token.name, token.permissions)
      const key = await keys.keyOf(credentials, (work) => inTurn(networkOf(address), work))
      if (key) return principalOfKey(key, keys)
      return signIn?.principal(credentials, ctx)
    }
    if (scheme.toLowerCase() !== 'basic' || !isPassword) return undefined
    const text = Buffer.from(credentials, 'base64').toString()
    const colon = text.indexOf(':')
    const user = text.slice(0, Math.max(0, colon))
    const isRight = await isPassword(user, text.slice(colon + 1), networkOf(address))
    return isRight && colon >= 0 ? callerBy('user', user, PERMISSIONS) : undefined
  }

  /** Good credentials let in, whatever others have tried from the same address: only failures are limited. */
  async function principalOf(ctx: ParameterizedContext): Promise<Principal | undefined> {
    const header = ctx.get('Authorization')
    const { address } = clientOf(ctx)
    const principal = (header === '' ? undefined : await byHeader(ctx, header, address)) ?? (await signIn?.visitor(ctx))
    if (principal || header === '') return principal
    const wait = limit.failed(address)
    if (wait === 0) return undefined
    ctx.set('Retry-After', String(wait))
    answerWith(ctx, 'unauthorized', TOO_MANY)
    throw new TroupeError(
      'unauthorized',
      `the credentials are wrong, and there were too many wrong ones from this address: try again in ${wait} s`
    )
  }

  function refusal(ctx: ParameterizedContext, message: string): TroupeError {
    ctx.set('WWW-Authenticate', `${basic ? 'Basic' : 'Bearer'} realm="restricted"`)
    return new TroupeError('unauthorized', message)
  }

  return async (ctx, next) => {
    const state: AccessState = ctx.state
    if (isPublic(ctx) || signIn?.isOwnPath(ctx.path)) {
      state.principal = passerBy
      return next()
    }
    const principal = await principalOf(ctx)
    if (principal) {
      state.principal = principal
      await next()
      if (principal.whileGood) endStream(ctx, principal.whileGood)
      return
    }
    if (signIn?.invites(ctx)) return
    const wanted = ctx.get('Authorization') === '' ? 'wanted credentials, found none' : 'the credentials are wrong'
    throw refusal(ctx, wanted)
  }
}

const callerBy = (kind: 'token' | 'user', name: string, permissions: readonly Permission[]): Principal => ({
  name: `the ${kind} ${name}`,
  key: `${kind} ${name}`,
  permissions,
  who: [`${kind}:${name}`]
})

// D1445: what a revoked key has opened ends at once
/**
 * A stream of events ends when a new request for it would be refused. Any other answer is completed, unless the credentials were taken
 * away: then it breaks off, so that it does not look complete.
 */
export function endStream(
  { body, type, res }: ParameterizedContext,
  whileGood: NonNullable<Principal['whileGood']>
): void {
  if (!(body instanceof Readable)) return
  const callOff = whileGood((why) => {
    if (type === 'text/event-stream') res.end()
    else if (why === 'revoked') res.destroy()
    else return
    body.destroy()
  })
  res.setMaxListeners(res.getMaxListeners() + 1) // parts of an answer listen for its end, each for itself
  res.once('close', callOff)
}

const known = new WeakMap<GoodKey, Principal>()

// D1444: a key is a caller like a token: `the key NAME`, `key:NAME`
/** The caller who shows an API key: as long as the key counts, the same object. Source: docs/authentication.md "API keys". */
function principalOfKey(key: GoodKey, keys: Pick<KeyRing, 'whileGood'>): Principal {
  const found = known.get(key)
  if (found) return found
  const { name, role, expiresAt } = key
  const who = [`key:${name}`]
  const principal: Principal = {
    name: `the key ${name}`,
    key: `key ${name}`,
    permissions: PERMISSIONS,
    who,
    role,
    roleFrom: `the key ${name}`,
    rules: key.rules.map((rule, at): AccessRule => ({ ...rule, who, where: `rules[${at}] of the key ${name}` })),
    ...(expiresAt === undefined ? {} : { goodUntil: expiresAt }),
    whileGood: (end) => keys.whileGood(key, end)
  }
  known.set(key, principal)
  return principal
}
