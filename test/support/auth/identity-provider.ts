/** A real OpenID Connect provider on loopback, and a browser that signs in there. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** A server on a free port of loopback, whose answers are chosen once its address is known. */
export async function openServer(): Promise<{
  server: Server
  address: string
  answerWith(listener: RequestListener): void
}> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return { server, address: `http://127.0.0.1:${port}`, answerWith: (listener) => void server.on('request', listener) }
}

export interface Client {
  clientId: string
  clientSecret: string
  clientUrl: string
  /** Ask the provider to take the secret in the body only. */
  posts?: boolean
  /** The provider tells the server when somebody signs out there. */
  backChannel?: boolean
}

const ACCOUNTS: Record<string, object> = { eve: { email: 'eve@elsewhere.example', email_verified: true } }

/** Anybody can sign in, as `<login>@example.org` unless ACCOUNTS says otherwise. Tokens live for an hour. */
export async function identityProvider({
  clientId,
  clientSecret,
  clientUrl,
  posts = false,
  backChannel = false
}: Client) {
  const { server, address, answerWith } = await openServer()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const method = posts ? 'client_secret_post' : 'client_secret_basic'
  const provider = new Provider(address, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${clientUrl}/oidc-callback`],
        token_endpoint_auth_method: method,
        ...(backChannel
          ? {
              backchannel_logout_uri: `${clientUrl}/oidc-backchannel-logout`,
              backchannel_logout_session_required: true
            }
          : {})
      }
    ],
    ...(backChannel ? { features: { backchannelLogout: { enabled: true } } } : {}),
    // Its own refuses loopback.
    fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) => fetch(url, options),
    clientAuthMethods: [method],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['test'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] },
    pkce: { required: () => true },
    ttl: { IdToken: 3_600, AccessToken: 3_600, Session: 3_600, Interaction: 600, Grant: 3_600, AuthorizationCode: 60 },
    findAccount: (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.org`, email_verified: true, ...ACCOUNTS[sub] })
    })
  })
  answerWith(provider.callback())
  return {
    issuer: address,
    /** Whatever else such a provider might sign: with its key, for the client, good for an hour. */
    signed(claims: object = {}, header: object = {}): string {
      const now = Math.floor(Date.now() / 1_000)
      const standard = { iss: address, aud: clientId, sub: 'ann', iat: now, exp: now + 3_600 }
      const parts = [
        { alg: 'RS256', kid: 'one', ...header },
        { ...standard, ...claims }
      ]
      const content = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
      return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

export interface Page {
  url: string
  status: number
  headers: Headers
  text: string
}

export interface Cookie {
  origin: string
  path: string
  name: string
  value: string
}

/** Keeps cookies and follows redirects as a browser does; sends what a browser says about where a visit comes from. */
export function browser() {
  const jar: Cookie[] = []
  const cookiesFor = ({ origin, pathname }: URL) =>
    jar.filter((cookie) => cookie.origin === origin && pathname.startsWith(cookie.path))

  function keep(line: string, { origin, pathname }: URL): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
    const of = (key: string) => attributes.find((it) => it.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1)
    const path = of('path') ?? pathname.slice(0, pathname.lastIndexOf('/') + 1)
    const at = jar.findIndex((cookie) => cookie.origin === origin && cookie.name === name && cookie.path === path)
    if (at >= 0) jar.splice(at, 1)
    const isGone = of('max-age') === '0' || Date.parse(of('expires') ?? '') <= Date.parse('1971-01-01')
    if (!isGone) jar.push({ origin, path, name, value })
  }

  async function send(url: URL, init: RequestInit = {}): Promise<Page> {
    const cookie = cookiesFor(url).map(({ name, value }) => `${name}=${value}`)
    const headers = { Accept: 'text/html', Cookie: cookie.join('; '), ...init.headers }
    const answer = await fetch(url, { redirect: 'manual', ...init, headers })
    for (const line of answer.headers.getSetCookie()) keep(line, url)
    return { url: url.href, status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  const self = {
    jar,
    /** One request, no redirect followed. */
    send: (url: string, init?: RequestInit) => send(new URL(url), init),
    /** Follows redirects until `stop` says that the next address is far enough. */
    async visit(url: string, stop: (next: string) => boolean = () => false, init: RequestInit = {}): Promise<Page> {
      let page = await send(new URL(url), init)
      for (let hops = 0; page.headers.has('location') && hops < 12; hops++) {
        const next = new URL(page.headers.get('location') ?? '', page.url)
        if (stop(next.href)) return { ...page, url: next.href }
        // The whole chain counts as cross-site once it has been elsewhere.
        page = await send(next, {
          headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
        })
      }
      return page
    },
    /** Fills in the pages of the provider until it sends the visitor back, or to where `stop` says. */
    async signIn(url: string, login: string, stop?: (next: string) => boolean): Promise<Page> {
      let page = await self.visit(url, stop)
      for (let pages = 0; page.text.includes('name="prompt"') && pages < 4; pages++) {
        const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? []
        const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(page.text) ?? []
        const body = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login, password: 'any' } : {}) })
        page = await self.visit(new URL(action, page.url).href, stop, { method: 'POST', body })
      }
      return page
    }
  }
  return self
}
