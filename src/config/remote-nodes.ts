/** Other servers that are reachable through this one: each entry of `remoteNodes`, checked as a whole. Source: api-semantics 8. */
import { resolve } from 'node:path'
import { nearest } from '../nearest.ts'
import { isLoopbackName } from './access.ts'
import { addressIn } from './addresses.ts'
import type { Members, Types } from './members.ts'
import { Secret } from './secret.ts'
import { boolean, duration, isBearer, isMap, map, text } from './types.ts'
import { userHome } from './user-home.ts'

export interface RemoteNode {
  name: string
  /** Base URL of its API, without a trailing slash. */
  url: string
  /** Credentials for it; absent: none. */
  credentials?: { username: string; password: Secret } | { token: Secret }
  /** Limit until its response begins, and for every silence within it. */
  timeoutMs: number
  tls: {
    /** False: any certificate is accepted. */
    verify: boolean
    certFile?: string
    keyFile?: string
    caFile?: string
  }
}

const MEMBERS = {
  name: text,
  apiBaseURL: text,
  isBasicAuth: boolean,
  basicAuthUsername: text,
  basicAuthPassword: text,
  isAuthToken: boolean,
  authToken: text,
  skipTLSVerify: boolean,
  timeout: duration,
  tlsConfig: map
}
const TLS_MEMBERS = { certFile: text, keyFile: text, caFile: text }
const SECRETS = new Set(['basicAuthPassword', 'authToken', 'apiBaseURL'])
const NAME = /^[A-Za-z0-9_.-]{1,40}$/
const TIMEOUT_MS = 30_000
/** A connection of this server is closed after two minutes of silence. */
const LONGEST_TIMEOUT_MS = 60_000

/** Receives a sentence for each problem, and for each ignored or unsafe setting. */
interface Said {
  problems: string[]
  warnings: string[]
}

// D313: settings of remote nodes are lenient
/** @param where prefix of sentences @param folder base of relative paths */
export function remoteNodesOf(
  configured: readonly Record<string, unknown>[],
  { where, folder, ...said }: Said & { where: string; folder: string }
): RemoteNode[] {
  const nodes = configured.map((entry, at) => nodeOf(entry, `${where}[${at}]`, folder, said))
  const names = nodes.map((node) => node?.name)
  for (const name of new Set(names.filter((name, at) => name !== undefined && names.indexOf(name) < at)))
    said.problems.push(`${where}: wanted different names, found ${JSON.stringify(name)} twice`)
  return nodes.filter((node) => node !== undefined)
}

/** Undefined: invalid. */
function nodeOf(entry: Record<string, unknown>, where: string, folder: string, said: Said): RemoteNode | undefined {
  const before = said.problems.length
  const wrong = (member: string, wanted: string) => void said.problems.push(`${where}.${member}: wanted ${wanted}`)
  const node = membersOf(MEMBERS, entry, where, said)
  const { name = '', apiBaseURL = '', skipTLSVerify = false, timeout = TIMEOUT_MS } = node
  if (!NAME.test(name) || name === 'local' || /^\.+$/.test(name))
    wrong('name', `1 to 40 of the characters A-Z a-z 0-9 _ . - and not local, found ${JSON.stringify(name)}`)
  const url = apiBaseURL.includes('?') ? undefined : addressIn(apiBaseURL)
  if (!url)
    wrong('apiBaseURL', 'an http or https address such as https://host/api/v2, without user, query and fragment')
  if (timeout <= 0 || timeout > LONGEST_TIMEOUT_MS) wrong('timeout', `more than 0 and at most ${LONGEST_TIMEOUT_MS} ms`)
  const files = membersOf(TLS_MEMBERS, node.tlsConfig ?? {}, `${where}.tlsConfig`, said)
  if (Boolean(files.certFile) !== Boolean(files.keyFile)) wrong('tlsConfig', 'certFile and keyFile, found one of them')
  const credentials = credentialsOf(node, wrong)
  if (!url || said.problems.length > before) return undefined
  if (credentials && url.protocol === 'http:' && !isLoopbackName(url.hostname))
    said.warnings.push(`${where}: the credentials of ${name} travel in clear text: use https`)
  if (skipTLSVerify) said.warnings.push(`${where}: skipTLSVerify trusts any server that answers for ${name}`)
  const paths = Object.entries(files).filter(([, file]) => file !== '')
  return {
    name,
    url: url.href.replace(/\/+$/, ''),
    ...(credentials ? { credentials } : {}),
    timeoutMs: timeout,
    tls: {
      verify: !skipTLSVerify,
      ...Object.fromEntries(paths.map(([key, file]) => [key, resolve(folder, file.replace(/^~(?=\/|$)/, userHome))]))
    }
  }
}

/** An absent flag follows from the other members; basic takes precedence over the token. */
function credentialsOf(node: Members<typeof MEMBERS>, wrong: (member: string, wanted: string) => void) {
  const { basicAuthUsername: username = '', basicAuthPassword: password = '', authToken: token = '' } = node
  const { isBasicAuth = username !== '' || password !== '', isAuthToken = token !== '' } = node
  if (isBasicAuth) {
    if (username === '' || username.includes(':')) wrong('basicAuthUsername', 'a name without a colon')
    if (password === '') wrong('basicAuthPassword', 'a password, found none')
    return { username, password: new Secret(password) }
  }
  if (!isAuthToken) return undefined
  if (!isBearer(token)) wrong('authToken', 'visible ASCII characters without blanks, found something else')
  return { token: new Secret(token) }
}

/** The members in their types; keys are case-insensitive, an empty value counts as absent. */
function membersOf<T extends Types>(
  types: T,
  configured: Record<string, unknown>,
  where: string,
  said: Said
): Members<T> {
  const members: Record<string, unknown> = {}
  for (const [spelling, value] of Object.entries(configured)) {
    const key = Object.keys(types).find((known) => known.toLowerCase() === spelling.toLowerCase())
    const type = types[key ?? '']
    if (key === undefined || !type) {
      const near = nearest(spelling, Object.keys(types))
      said.warnings.push(`${where}: unknown setting ${spelling}${near ? `; did you mean ${near}?` : ''}`)
    } else if (value !== null && value !== undefined) {
      const read = type.of(value)
      const found = SECRETS.has(key) || isMap(value) ? 'something else' : JSON.stringify(value)
      if (read === undefined) said.problems.push(`${where}.${key}: wanted ${type.wanted}, found ${found}`)
      else members[key] = read
    }
  }
  // Each value was parsed by the type of its key in T.
  return members as Members<T>
}
