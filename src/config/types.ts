/** Types of settings: what each accepts, as a YAML value or as text, and how messages describe it. Source: api-semantics 10.2. */
import { isIP } from 'node:net'
import { PERMISSIONS, type Permission } from './roles/roles.ts'

export interface Type<T> {
  /** The values of the type, such as `true or false`. */
  wanted: string
  /** Parses the value; undefined: it is not of this type. Text comes from the environment, flags and quoted YAML. */
  of(input: unknown): T | undefined
  /** A relative path is resolved from where it was written. */
  isPath?: true
}

export const text: Type<string> = {
  wanted: 'text (in quotes when it looks like something else)',
  of: (input) => (typeof input === 'string' && !/[\0\r\n]/.test(input) ? input : undefined)
}

/** Characters that `Authorization: Bearer ...` can carry: a token with others could never be sent. */
export const isBearer = (input: string): boolean => /^[\x21-\x7e]+$/.test(input)

/** A bearer token, or empty for none. */
export const bearer: Type<string> = {
  wanted: 'text of visible ASCII characters without blanks (in quotes when it looks like something else)',
  of: (input) => (typeof input === 'string' && (input === '' || isBearer(input)) ? input : undefined)
}

export const path: Type<string> = { ...text, wanted: 'a path', isPath: true }

export const boolean: Type<boolean> = {
  wanted: 'true or false',
  of(input) {
    const word = typeof input === 'string' ? input.toLowerCase() : input
    if (word === true || word === 'true' || word === '1') return true
    return word === false || word === 'false' || word === '0' ? false : undefined
  }
}

export const integer = (min: number, max: number): Type<number> => ({
  wanted: `an integer from ${min} to ${max}`,
  of(input) {
    const isDigits = typeof input === 'string' && /^-?\d+$/.test(input)
    const value = typeof input === 'number' || isDigits ? Number(input) : Number.NaN
    return Number.isInteger(value) && value >= min && value <= max ? value : undefined
  }
})
export const port = integer(0, 65_535)

export const word = <const W extends string>(...words: W[]): Type<W> => ({
  wanted: words.join(' or '),
  of: (input) => words.find((word) => word === input)
})

/** A switch that may also be left to circumstances. */
export const switched: Type<'auto' | 'true' | 'false'> = {
  wanted: 'auto, true or false',
  of: (given) =>
    given === 'auto' ? given : boolean.of(given) === undefined ? undefined : boolean.of(given) ? 'true' : 'false'
}

/** Part of the name of a message: it may contain no character with a meaning there. */
export const subjectWord: Type<string> = {
  wanted: 'a word of at most 64 letters, digits, - and _',
  of: (given) => (typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : undefined)
}

export const zone: Type<string> = {
  wanted: 'an IANA time zone such as Europe/Berlin',
  of(input) {
    if (typeof input !== 'string') return undefined
    try {
      return new Intl.DateTimeFormat('en', { timeZone: input }).resolvedOptions().timeZone
    } catch {
      return undefined
    }
  }
}

/** Path part of a URL: empty, or with one leading and no trailing slash. */
export const urlPath: Type<string> = {
  wanted: 'a path such as /eng',
  of(input) {
    if (typeof input !== 'string') return undefined
    const parts = input.replace(/^\/|\/$/g, '').split('/')
    if (parts.length === 1 && parts[0] === '') return ''
    return parts.every((part) => /^[\w.~-]+$/.test(part) && !/^\.+$/.test(part)) ? `/${parts.join('/')}` : undefined
  }
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds. */
export const duration: Type<number> = {
  wanted: 'a duration such as 30s, 5m or 1h30m, or 0',
  of(input) {
    if (input === 0 || input === '0') return 0
    if (typeof input !== 'string' || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(input)) return undefined
    const parts = input.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)
    return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0)
  }
}

/** A duration, or empty for none. */
export const window: Type<number> = {
  wanted: 'a duration such as 24h, or empty',
  of: (input) => (input === '' ? 0 : duration.of(input))
}

const UNIT_BYTES: Record<string, number> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 }

/** Bytes. */
export const size: Type<number> = {
  wanted: 'a size such as 500MiB or 10GiB, or a number of bytes',
  of(input) {
    const [, count, unit = ''] = /^(\d{1,15})(KiB|MiB|GiB|TiB)?$/.exec(String(input)) ?? []
    const bytes = Number(count) * (UNIT_BYTES[unit] ?? Number.NaN)
    return Number.isSafeInteger(bytes) && ['string', 'number'].includes(typeof input) ? bytes : undefined
  }
}

/** Standard names of character sets whose line breaks are single bytes. */
export const charset: Type<string> = {
  wanted: 'a character set such as utf-8, iso-8859-1 or shift_jis, and not utf-16',
  of(input) {
    try {
      const { encoding } = new TextDecoder(typeof input === 'string' ? input : 'none')
      return encoding.startsWith('utf-16') ? undefined : encoding
    } catch {
      return undefined
    }
  }
}

/** The words of a list, or of a comma-separated text. */
export const list: Type<string[]> = {
  wanted: 'a list of texts, or one text with commas',
  of(input) {
    const words = typeof input === 'string' ? input.split(',') : input
    if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined
    return words.map((word) => word.trim()).filter((word) => word !== '')
  }
}

/** Origins of pages. `*` would let any page that a visitor has open send commands. */
export const originList: Type<string[]> = {
  wanted: 'a list of origins such as https://app.example.org, without *',
  of: (input) => (list.of(input)?.every(isOrigin) ? list.of(input) : undefined)
}

// Origins are compared literally: one with a * would match no page, although it is a valid URL.
const isOrigin = (text: string) => /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text

/** A network: addresses of one family, IPv4 or IPv6, with the same prefix. */
export interface Network {
  address: string
  version: 4 | 6
  /** Length of the prefix, bits. */
  prefix: number
}

/** Parses a text such as `10.0.0.0/8`, `192.0.2.7` or `fd00::/8`; undefined: invalid, or all addresses. */
export function networkIn(text: string): Network | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if ((version !== 4 && version !== 6) || address.includes('%')) return undefined
  const bits = version === 4 ? 32 : 128
  const prefix = length === undefined ? bits : Number(length)
  return prefix >= 1 && prefix <= bits ? { address, version, prefix } : undefined
}

export const networkList: Type<string[]> = {
  wanted: 'a list of addresses or networks such as 192.0.2.7 or 10.0.0.0/8, not all of them (/0)',
  of: (input) => (list.of(input)?.every(networkIn) ? list.of(input) : undefined)
}

export const labels: Type<Record<string, string>> = {
  wanted: 'a map of texts, or one text such as gpu=true,region=eu, each label once and with a value',
  of(input) {
    const pairs: [string, unknown][] = isMap(input)
      ? Object.entries(input)
      : (list.of(input) ?? ['']).map((pair) => [
          pair.split('=', 1)[0] ?? '',
          pair.slice(pair.indexOf('=') + 1 || Infinity)
        ])
    const isGood = pairs.every(([key, value]) => key !== '' && typeof value === 'string' && value !== '')
    const areUnlike = new Set(pairs.map(([key]) => key)).size === pairs.length
    return isGood && areUnlike ? Object.fromEntries(pairs.map(([key, value]) => [key, String(value)])) : undefined
  }
}

export interface QueueSetting {
  name: string
  maxConcurrency: number
}

/** Values below 1 count as 1. Source: execution-semantics 12.3. */
const width = integer(-1_000_000, 1_000_000)

export const queueList: Type<QueueSetting[]> = {
  wanted: 'a list such as [{name: etl, maxConcurrency: 2}] with different names',
  of: (input) =>
    named(input, ({ name, maxConcurrency, maxActiveRuns, ...rest }) => {
      const most = width.of(maxActiveRuns ?? maxConcurrency) // the alias takes precedence (1.6)
      if (!isName(name) || most === undefined || Object.keys(rest).length > 0) return undefined
      return { name, maxConcurrency: Math.max(1, most) }
    })
}

export interface TokenSetting {
  name: string
  value: string
  /** Default: all. */
  permissions: Permission[]
}

export const tokenList: Type<TokenSetting[]> = {
  wanted:
    'a list such as [{name: ci, value: ..., permissions: [read, run, write]}] with different names and values of visible ASCII characters without blanks',
  of: (input) =>
    named(input, ({ name, value, permissions = PERMISSIONS, ...rest }) => {
      const words = Array.isArray(permissions)
        ? permissions.map((one) => PERMISSIONS.find((known) => known === one))
        : []
      const known = words.filter((one) => one !== undefined)
      const isGood = isName(name) && typeof value === 'string' && isBearer(value) && known.length > 0
      if (!isGood || known.length < words.length || Object.keys(rest).length > 0) return undefined
      return { name, value, permissions: known }
    })
}

/** Maps whose members are checked by others, who say what is wrong with which one. */
export const maps = (wanted: string): Type<Record<string, unknown>[]> => ({
  wanted,
  of: (input) => (Array.isArray(input) && input.every(isMap) ? input : undefined)
})

export const map: Type<Record<string, unknown>> = {
  wanted: 'a map',
  of: (input) => (isMap(input) ? input : undefined)
}

export const isMap = (input: unknown): input is Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input)

const isName = (name: unknown): name is string => typeof name === 'string' && name.trim() !== ''

/** Items of a list, each parsed by `of`, with distinct names. */
function named<T extends { name: string }>(
  input: unknown,
  of: (item: Record<string, unknown>) => T | undefined
): T[] | undefined {
  if (!Array.isArray(input) || !input.every(isMap)) return undefined
  const items = input.map(of).filter((item) => item !== undefined)
  const isGood = items.length === input.length && new Set(items.map(({ name }) => name)).size === items.length
  return isGood ? items : undefined
}

const HASH =
  /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,2}),p=(?<p>\d{1,2})\$(?<salt>[A-Za-z0-9+/]{11,}={0,2})\$(?<hash>[A-Za-z0-9+/]{22,}={0,2})$/

export interface ScryptHash {
  N: number
  r: number
  p: number
  salt: Buffer
  hash: Buffer
}

/** Parts of a text such as `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`; undefined: invalid, or it would need more than 256 MiB. */
export function scryptHash(text: string): ScryptHash | undefined {
  const { ln, r, p, salt = '', hash = '' } = HASH.exec(text)?.groups ?? {}
  const parts = { N: 2 ** Number(ln), r: Number(r), p: Number(p) }
  if (!(parts.N >= 2 && parts.r >= 1 && parts.p >= 1 && parts.p <= 16 && parts.N * parts.r <= 2 ** 21)) return undefined
  return { ...parts, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

export const passwordHash: Type<string> = {
  wanted: 'a hash such as $scrypt$ln=15,r=8,p=1$<salt>$<hash>',
  of: (input) => (typeof input === 'string' && (input === '' || scryptHash(input)) ? input : undefined)
}
