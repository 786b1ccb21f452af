/**
 * Checks a host key against a known_hosts file of OpenSSH, with hashed names, `[host]:port`, patterns and
 * `@revoked`. Source: execution-semantics 10.3.3; reliability R17.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { shellWord } from '../../platform/shell/shell-word.ts'

/** A line that matches the host. */
export interface KnownKey {
  type: string
  /** Base64. */
  key: string
  revoked: boolean
  /** From 1. */
  line: number
}

/** The names of a host in the file. */
const knownName = (host: string, port: number): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`

/** The keys of a host in a known_hosts text. Malformed lines and those of authorities are ignored. */
export function keysFor(text: string, host: string, port: number): KnownKey[] {
  const name = knownName(host, port)
  return text.split('\n').flatMap((written, index) => {
    const words = written.trim().split(/\s+/)
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined
    const [names = '', type = '', key = ''] = words
    if (names.startsWith('#') || !key || (marker !== undefined && marker !== '@revoked')) return []
    return isNamed(names, name) ? [{ type, key, revoked: marker === '@revoked', line: index + 1 }] : []
  })
}

function isNamed(names: string, name: string): boolean {
  const hashed = /^\|1\|([^|]+)\|([^|]+)$/.exec(names)
  if (hashed) {
    const [, salt = '', hash = ''] = hashed
    const wanted = Buffer.from(hash, 'base64')
    const found = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest()
    return wanted.length === found.length && timingSafeEqual(wanted, found)
  }
  let named = false
  for (const pattern of names.toLowerCase().split(',')) {
    const negated = pattern.startsWith('!')
    if (!matches(negated ? pattern.slice(1) : pattern, name)) continue
    if (negated) return false
    named = true
  }
  return named
}

/** `*` matches any text, `?` one character. Backtracks only to the last star. */
function matches(pattern: string, name: string): boolean {
  let [at, place, star, mark] = [0, 0, -1, 0]
  while (place < name.length) {
    if (pattern[at] === '*') {
      star = at++
      mark = place
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[place])) {
      at++
      place++
    } else if (star >= 0) {
      at = star + 1
      place = ++mark
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}

/** Type of a key as the server sends it: its first field. */
export const keyType = (key: Buffer): string => {
  const length = key.length >= 4 ? key.readUInt32BE(0) : 0
  return key.subarray(4, 4 + Math.min(length, 64)).toString('latin1')
}

/** `SHA256:...`, as `ssh-keygen -l` shows it. */
export const fingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** What is wrong with a host key and how to accept it; undefined: it is known. @param file path, for the message */
export function complaintAbout(
  key: Buffer,
  known: KnownKey[],
  machine: { host: string; port: number; file: string }
): string | undefined {
  const base64 = key.toString('base64')
  const type = keyType(key)
  const name = knownName(machine.host, machine.port)
  const same = known.filter((entry) => entry.key === base64)
  const revoked = same.find((entry) => entry.revoked)
  if (revoked) return `the host key of ${name} is revoked in line ${revoked.line} of ${machine.file}: it is not trusted`
  if (same.length > 0) return undefined
  const shown = `${type} ${fingerprint(key)}`
  const file = shellWord(machine.file)
  const line = `echo '${name} ${type} ${base64}' >> ${file}`
  const other = known.find((entry) => entry.type === type && !entry.revoked)
  if (other)
    return (
      `the host key of ${name} is not the known one: line ${other.line} of ${machine.file} has another ${type} key, found ${shown}. ` +
      `Someone may be intercepting the connection. If the machine has a new key, compare the fingerprint there (ssh-keygen -lf on its host key), ` +
      `then: ssh-keygen -R '${name}' -f ${file} && ${line}`
    )
  return (
    `the host key of ${name} is not known: ${machine.file} has no ${type} key of it, found ${shown}. ` +
    `Compare the fingerprint on the machine itself (ssh-keygen -lf on its host key), then accept it: ${line}`
  )
}
