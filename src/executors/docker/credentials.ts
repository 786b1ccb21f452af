/** Credentials for the registry of an image. Source: execution-semantics 10.2.30-33. */
import type { RegistryAuths } from '../../../machines/vocabulary.ts'

export interface Credentials {
  username: string
  password: string
  serveraddress: string
}

type Entry = { username?: unknown; password?: unknown; auth?: unknown }

export function registryOf(image: string): string {
  const [first = '', ...rest] = image.split('/')
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : 'docker.io'
}

/**
 * The credentials for an image, of the definition before those of `DOCKER_AUTH_CONFIG`; undefined: none.
 * @param auths texts expanded
 * @throws Error for an invalid configuration, without any of its text
 */
export function credentialsFor(
  image: string,
  auths: RegistryAuths | undefined,
  environmentText: string | undefined
): Credentials | undefined {
  const host = registryOf(image)
  const own = typeof auths === 'string' ? fromText(host, auths, 'registryAuths') : fromMap(host, auths ?? {})
  return own ?? (environmentText ? fromText(host, environmentText, 'DOCKER_AUTH_CONFIG') : undefined)
}

function fromMap(host: string, auths: Exclude<RegistryAuths, string>): Credentials | undefined {
  for (const name of namesOf(host)) {
    const entry = Object.hasOwn(auths, name) ? auths[name] : undefined
    const found = entry && credentials(host, entry)
    if (found) return found
  }
  return undefined
}

/** A complete Docker configuration. Its hosts may begin with `https://` and lack a port. */
function fromText(host: string, text: string, where: string): Credentials | undefined {
  let auths: Record<string, Entry> | undefined
  try {
    auths = (JSON.parse(text) as { auths?: Record<string, Entry> } | null)?.auths
  } catch {
    throw new Error(`${where}: wanted JSON such as {"auths": {"ghcr.io": {"auth": "..."}}}`)
  }
  if (!auths || typeof auths !== 'object') return undefined
  const names = namesOf(host).flatMap((name) => [name, `https://${name}`, `http://${name}`])
  const portless = host.replace(/:\d+$/, '')
  if (portless !== host) names.push(portless, `https://${portless}`)
  for (const name of names) {
    const entry = Object.hasOwn(auths, name) ? auths[name] : undefined
    const found = entry && credentials(host, entry)
    if (found) return found
  }
  return undefined
}

const namesOf = (host: string): string[] =>
  host === 'docker.io' ? [host, 'index.docker.io', 'https://index.docker.io/v1/'] : [host]

/** User name and password win over `auth`, which is base64 of both, or JSON as text. */
function credentials(host: string, { username, password, auth }: Entry, nested = false): Credentials | undefined {
  if (typeof username === 'string' && username !== '' && typeof password === 'string')
    return { username, password, serveraddress: host }
  if (typeof auth !== 'string' || auth === '') return undefined
  if (auth.trimStart().startsWith('{') && !nested) {
    try {
      return credentials(host, JSON.parse(auth), true)
    } catch {
      throw new Error(`registryAuths: the text for ${host} is no JSON object`)
    }
  }
  const [name = '', ...rest] = Buffer.from(auth, 'base64').toString().split(':')
  if (name === '' || rest.length === 0)
    throw new Error(`the auth for ${host}: wanted base64 of <user>:<password>; write username and password instead`)
  return { username: name, password: rest.join(':'), serveraddress: host }
}
