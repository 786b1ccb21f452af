/** Authentication, permissions and TLS: the settings of api-semantics 9 that depend on each other, checked as a whole. */
import { PERMISSIONS, type Permission } from './roles/roles.ts'
import { Secret } from './secret.ts'
import type { Values } from './table.ts'

/** Basic authentication with one user. */
export interface BasicAuth {
  username: string
  /** Either this or `passwordHash`. */
  password?: Secret
  /** In the format of `scryptHash` in types.ts. */
  passwordHash?: Secret
}

export interface BearerToken {
  name: string
  value: Secret
  permissions: readonly Permission[]
}

export interface OidcAuth {
  clientId: string
  clientSecret: Secret
  /** Without a trailing slash. */
  clientUrl: string
  issuer: string
  scopes: readonly string[]
  /** Lower case; empty: everyone. */
  whitelist: readonly string[]
  /** An address without that claim counts as verified. */
  assumeEmailVerified: boolean
  /** Name of a claim, or a path with dots to one; empty: claims say nothing about roles. */
  roleClaim: string
}

/** The enabled methods; all absent and empty: no authentication. */
export interface Auth {
  basic?: BasicAuth
  tokens: readonly BearerToken[]
  oidc?: OidcAuth
  /** API keys are asked for, even if nothing else is configured. They count with each other method, too. */
  keys?: true
}

// D1446: `auth.keys` asks for keys where nothing else is configured
export const isAuthenticated = ({ basic, tokens, oidc, keys }: Auth): boolean =>
  basic !== undefined || tokens.length > 0 || oidc !== undefined || keys === true

export interface Tls {
  certFile: string
  keyFile: string
  /** Clients must show a certificate of this authority. */
  caFile?: string
}

// D312: `auth.oidc.clientUrl` and `issuer` are https, or http on loopback
/** @param problems receives a sentence for each incomplete group of settings */
export function authOf(values: Values, problems: string[]): Auth {
  const single = values['auth.token.value']
  const tokens = (values['auth.tokens'] ?? []).map((token) => ({ ...token, value: new Secret(token.value) }))
  checkDistinct(values, problems)
  const basic = basicOf(values, problems)
  const oidc = oidcOf(values, problems)
  return {
    ...(basic ? { basic } : {}),
    tokens: [...(single ? [{ name: 'token', value: new Secret(single), permissions: PERMISSIONS }] : []), ...tokens],
    ...(oidc ? { oidc } : {}),
    ...(values['auth.keys'] ? { keys: true } : {})
  }
}

/** The permissions of the first of two equal tokens would apply to both. */
function checkDistinct(values: Values, problems: string[]): void {
  const single = values['auth.token.value']
  const holders = new Map<string, string[]>(single ? [[single, ['auth.token.value']]] : [])
  for (const { name, value } of values['auth.tokens'] ?? [])
    holders.set(value, [...(holders.get(value) ?? []), JSON.stringify(name)])
  for (const names of holders.values())
    if (names.length > 1)
      problems.push(`auth.tokens: wanted a different value for each token, found the same for ${names.join(', ')}`)
}

function basicOf(values: Values, problems: string[]): BasicAuth | undefined {
  const username = values['auth.basic.username']
  const password = values['auth.basic.password']
  const hash = values['auth.basic.passwordHash']
  if (!username && !password && !hash) return undefined
  if (!username || (!password && !hash))
    problems.push('auth.basic: wanted a username and a password, found one of them')
  else if (password && hash) problems.push('auth.basic: wanted password or passwordHash, found both')
  else if (username.includes(':')) problems.push('auth.basic.username: wanted a name without a colon')
  else return { username, ...(hash ? { passwordHash: new Secret(hash) } : { password: new Secret(password ?? '') }) }
  return undefined
}

function oidcOf(values: Values, problems: string[]): OidcAuth | undefined {
  const names = ['clientId', 'clientSecret', 'clientUrl', 'issuer'] as const
  const [clientId, secret, clientUrl, issuer] = names.map((name) => values[`auth.oidc.${name}`] ?? '')
  if (!clientId && !secret && !clientUrl && !issuer) {
    if (values['auth.oidc.roleClaim']) problems.push(`auth.oidc.roleClaim: wanted ${names.join(', ')} too, found none`)
    return undefined
  }
  if (!clientId || !secret || !clientUrl || !issuer) {
    const missing = names.filter((name) => !values[`auth.oidc.${name}`])
    problems.push(`auth.oidc: wanted ${names.join(', ')}, found no ${missing.join(', ')}`)
    return undefined
  }
  for (const [name, address] of [
    ['clientUrl', clientUrl],
    ['issuer', issuer]
  ] as const)
    if (!isSafeAddress(address))
      problems.push(
        `auth.oidc.${name}: wanted an https address (http on loopback only), found ${JSON.stringify(address)}`
      )
  const scopes = values['auth.oidc.scopes'] ?? []
  const whitelist = (values['auth.oidc.whitelist'] ?? []).map((email) => email.toLowerCase())
  return {
    clientId,
    clientSecret: new Secret(secret),
    clientUrl: clientUrl.replace(/\/+$/, ''),
    issuer,
    scopes: scopes.includes('openid') ? scopes : ['openid', ...scopes],
    whitelist,
    assumeEmailVerified: values['auth.oidc.assumeEmailVerified'] ?? false,
    roleClaim: values['auth.oidc.roleClaim'] ?? ''
  }
}

/** A secret must not leave this machine unencrypted. */
function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname))
}

/** @param hostname as in a URL */
export const isLoopbackName = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** @param problems receives a sentence when the pair is incomplete */
export function tlsOf(values: Values, problems: string[]): Tls | undefined {
  const [certFile, keyFile, caFile] = [values['tls.certFile'], values['tls.keyFile'], values['tls.caFile']]
  if (certFile && keyFile) return { certFile, keyFile, ...(caFile ? { caFile } : {}) }
  if (certFile || keyFile || caFile) problems.push('tls: wanted certFile and keyFile, found not both')
  return undefined
}
