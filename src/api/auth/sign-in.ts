/**
 * Sign-in of people through an OpenID Connect provider: authorization code flow with PKCE, state and nonce. The session is the
 * ID token itself, in a cookie that no script can read. Source: api-semantics 9.1 S6.
 *
 *     GET  <basePath>/oidc-login?returnTo=   to the provider
 *     GET  <basePath>/oidc-callback          back from it: sets the session, redirects to where the visitor wanted to go
 *     POST <basePath>/oidc-logout            ends the session
 *     POST <basePath>/oidc-backchannel-logout   the provider ends sessions
 */
import type { Middleware, ParameterizedContext } from 'koa'
import type { Clock } from '../../clock.ts'
import { type Config, type OidcAuth, PERMISSIONS } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { tellAudit } from '../audit/state.ts'
import { whoIs } from '../audit/who.ts'
import { clientOf, networkOf } from '../client-address.ts'
import { cookiesOf } from './cookies.ts'
import { idTokens, type KnownPerson } from './id-token.ts'
import type { Principal } from './principal.ts'
import { providerOf } from './provider.ts'
import { refusalPage } from './refusal-page.ts'
import { backChannelLogout } from './sessions/back-channel.ts'
import { abridged, isMeant, type Session, type WantedSessions } from './sessions/session.ts'
import { sessionsIn } from './sessions/session-list.ts'
import { signedOutIn } from './signed-out.ts'

export interface SessionList {
  /** The latest seen first. */
  all(): Session[]
  /** Ends sessions at once; resolves when that also survives a restart. @returns how many of the list there were */
  end(wanted: WantedSessions): Promise<number>
}

export interface SignIn {
  /** The owner of an ID token that a request shows. */
  principal(token: string, ctx: ParameterizedContext): Promise<Principal | undefined>
  /** The list of those who are signed in. */
  sessions: SessionList
  /** The owner of the session of this request. */
  visitor(ctx: ParameterizedContext): Promise<Principal | undefined>
  /** Paths that must be open to everyone. */
  isOwnPath(path: string): boolean
  /** Redirects a browser that requests a page to the provider. False: it is another request. */
  invites(ctx: ParameterizedContext): boolean
  /** Serves its paths. */
  routes: Middleware
}

/** Time to sign in at the provider. */
const SIGNING_IN_S = 120
/** A session is never longer, whatever the token says. */
const SESSION_S = 24 * 3_600 - 60
/** Browsers drop longer cookies. */
const MOST_COOKIE_BYTES = 3_900
const SESSION = 'oidcToken'
const REMEMBERED = ['state', 'nonce', 'codeVerifier', 'originalURL'] as const
const MOST_USED_STATES = 10_000

export interface SignInOptions {
  clock: Clock
  /** Paths without pages below. */
  api: string[]
  /** Logs what the operator has to know: a sentence, and the cause. */
  report: (sentence: string, cause: unknown) => void
}

export function signInOf(config: Config, oidc: OidcAuth, { clock, api, report }: SignInOptions): SignIn {
  const { basePath } = config
  const home = new URL(`${oidc.clientUrl}/`)
  const paths = {
    login: `${basePath}/oidc-login`,
    callback: `${basePath}/oidc-callback`,
    logout: `${basePath}/oidc-logout`,
    backChannel: `${basePath}/oidc-backchannel-logout`
  }
  const provider = providerOf(oidc)
  const sessions = sessionsIn(config.dataDir, clock, report)
  const signedOut = signedOutIn(config.dataDir, clock, report)
  const tokens = idTokens(oidc, { provider, clock, signedOut, sessions })
  const cookies = cookiesOf({ secure: home.protocol === 'https:' || config.tls !== undefined })
  const usedStates = new Set<string>()

  /** An address on this server, as a full URL: a path could begin with two slashes. Anything else becomes the home page. */
  function placeOf(input: string): string {
    const url = URL.canParse(input, home.href) ? new URL(input, home) : home
    const isHere = url.origin === home.origin && url.pathname.startsWith(`${basePath}/`)
    return isHere ? url.href : home.href
  }

  async function login(ctx: ParameterizedContext): Promise<void> {
    const { client, configuration } = await provider()
    const [state, nonce, codeVerifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
    const returnTo = new URLSearchParams(ctx.querystring).get('returnTo') ?? ''
    const originalURL = encodeURIComponent(placeOf(returnTo || home.pathname).slice(0, 2_000))
    for (const [name, value] of Object.entries({ state, nonce, codeVerifier, originalURL }))
      cookies.set(ctx, name, value, { path: paths.callback, seconds: SIGNING_IN_S })
    const target = client.buildAuthorizationUrl(configuration, {
      redirect_uri: `${oidc.clientUrl}/oidc-callback`,
      scope: oidc.scopes.join(' '),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256'
    })
    redirect(ctx, target.href)
  }

  async function callback(ctx: ParameterizedContext): Promise<void> {
    const [state = '', nonce = '', codeVerifier = '', originalURL = ''] = REMEMBERED.map((name) =>
      cookies.get(ctx, name)
    )
    for (const name of REMEMBERED) cookies.clear(ctx, name, paths.callback)
    const isKnown =
      state !== '' && new URLSearchParams(ctx.querystring).get('state') === state && !usedStates.has(state)
    if (!isKnown) return refusalPage(ctx, 400, 'This sign-in did not start here, took too long, or was already used.')
    remember(state)
    const token = await tokenFor(ctx, { state, nonce, codeVerifier })
    const result = token === undefined ? undefined : await tokens.check(token, true)
    if (token === undefined || !result || result.type === 'invalid')
      return refusalPage(ctx, 401, 'The provider did not confirm this sign-in.')
    tellAudit(ctx, 'signIn', ownerIn(result))
    if (result.type === 'refused') return refusalPage(ctx, 403, `${result.name} may not sign in here.`)
    if (token.length > MOST_COOKIE_BYTES)
      return refusalPage(ctx, 502, 'The ID token is too long for a cookie: the provider must put less into it.')
    const seconds = Math.min(SESSION_S, Math.floor((result.expiresAt - clock.now()) / 1_000))
    await sessions.began({ ...result.session, ...seenIn(ctx, result), lastSeenAt: clock.now() })
    cookies.set(ctx, SESSION, token, { path: `${basePath}/`, seconds })
    redirect(ctx, placeOf(decoded(originalURL)))
  }

  /** Exchanges the provider's code for the ID token; undefined: the provider refused. */
  async function tokenFor(
    ctx: ParameterizedContext,
    { state, nonce, codeVerifier }: { state: string; nonce: string; codeVerifier: string }
  ): Promise<string | undefined> {
    const { client, configuration } = await provider()
    try {
      // The address as the provider knows it: a proxy may have changed that of the request.
      const url = new URL(`${oidc.clientUrl}/oidc-callback${ctx.search}`)
      const checks = {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true
      }
      return (await client.authorizationCodeGrant(configuration, url, checks)).id_token
    } catch (cause) {
      ctx.app.emit('error', cause, ctx)
      return undefined
    }
  }

  function remember(state: string): void {
    const [oldest] = usedStates
    if (usedStates.size >= MOST_USED_STATES && oldest !== undefined) usedStates.delete(oldest)
    usedStates.add(state)
  }

  async function logout(ctx: ParameterizedContext): Promise<void> {
    const token = cookies.get(ctx, SESSION)
    const result = token ? await tokens.check(token) : undefined
    if (result && result.type !== 'invalid') {
      tellAudit(ctx, 'signOut', ownerIn(result))
      await tokens.end({ session: result.session.id }, result.expiresAt)
    }
    cookies.clear(ctx, SESSION, `${basePath}/`)
    ctx.status = 204
  }

  const list: SessionList = {
    all: () => sessions.all(),
    async end(wanted) {
      const meant = sessions.all().filter((session) => isMeant(session, wanted))
      const [one] = meant
      if (one || wanted === 'all' || !('session' in wanted)) await tokens.end(wanted, one?.expiresAt)
      return meant.length
    }
  }

  const routes: Record<string, (ctx: ParameterizedContext) => Promise<void>> = {
    [`GET ${paths.login}`]: login,
    [`GET ${paths.callback}`]: callback,
    [`POST ${paths.logout}`]: logout,
    [`POST ${paths.backChannel}`]: (ctx) => backChannelLogout(ctx, tokens)
  }

  async function principal(token: string, ctx: ParameterizedContext): Promise<Principal | undefined> {
    const result = await tokens.check(token)
    if (result.type === 'welcome') {
      const { name, session, expiresAt, who } = result
      sessions.saw(session, seenIn(ctx, result))
      return {
        name,
        key: `person ${session.subject}`,
        permissions: PERMISSIONS,
        who,
        session: session.id,
        whileGood: (end) => tokens.whileGood(session, expiresAt, end)
      }
    }
    if (result.type === 'refused') throw new TroupeError('forbidden', `${result.name} may not sign in here`)
    return undefined
  }

  return {
    principal,
    sessions: list,
    async visitor(ctx) {
      const token = cookies.get(ctx, SESSION)
      return token ? principal(token, ctx) : undefined
    },
    isOwnPath: (path) => Object.values(paths).includes(path),
    invites(ctx) {
      if (config.headless) return false // there is no page to come back to
      const isPage = ctx.method === 'GET' && !api.some((base) => ctx.path === base || ctx.path.startsWith(`${base}/`))
      if (!isPage || !/\btext\/html\b/.test(ctx.get('Accept'))) return false
      redirect(ctx, `${paths.login}?returnTo=${encodeURIComponent(ctx.url)}`)
      return true
    },
    routes: async (ctx, next) => {
      const route = routes[`${ctx.method} ${ctx.path}`]
      if (!route) return next()
      ctx.set('Cache-Control', 'no-store')
      await route(ctx)
    }
  }
}

/** Where a session is seen. */
const seenIn = (ctx: ParameterizedContext, { name, expiresAt }: KnownPerson) => ({
  name,
  expiresAt,
  address: networkOf(clientOf(ctx).address),
  agent: abridged(ctx.get('User-Agent'))
})

/** Owner of a session, for the audit log. */
const ownerIn = ({ who, name }: { who: readonly string[]; name: string }) => whoIs(who) ?? { kind: 'person', name }

function redirect(ctx: ParameterizedContext, target: string): void {
  ctx.redirect(target)
  ctx.body = null
  ctx.status = 302
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
