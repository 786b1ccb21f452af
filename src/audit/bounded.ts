/** The part of a request and of its changes that an entry has: masked, and bounded, whatever was sent. */
import { createHash } from 'node:crypto'
import { isCredentialName } from '../masking/credential-names.ts'
import { secretsOf } from '../masking/secrets.ts'

export const MASKED = '***'

/** Longest text of a value, characters; members of an object, items of a list; depth. */
const MOST_TEXT = 512
const MOST_MEMBERS = 50
const MOST_DEPTH = 6
/** Characters of all facts of an entry, as JSON. */
const MOST_JSON = 8 * 1024

export type Mask = (text: string) => string

/** Length of a value that counts as a secret wherever it appears, characters. */
const LEAST_SECRET = 8
const NAMES_OF_SECRETS = /token|secret|passw|credential|key/i

// D1460: texts are masked by the names in them, and bounded
/** Masks the values of the variables that are named like a secret, of which the engine knows, and what texts themselves name so. */
export function maskOf(environment: Readonly<Record<string, string>>, secrets: readonly string[] = []): Mask {
  const named = Object.entries(environment).filter(
    ([name, value]) => NAMES_OF_SECRETS.test(name) && value.length >= LEAST_SECRET
  )
  const known = secretsOf(
    Object.fromEntries([...named, ...secrets.map((value, index) => [`${index}`, value] as const)])
  )
  return (text) => known.mask(maskNamed(text))
}

/**
 * `NAME=value`, `"NAME": "value"`, `NAME: value`, the user part of a URL, and credentials of headers. A name is looked for where a word
 * begins only: from each of its characters on it would take a time with the square of its length.
 */
function maskNamed(text: string): string {
  return text
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, MASKED)
    .replace(/(?<![\w.-])([\w.-]+)=("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|[^\s,;&]+)/g, (all, name: string) =>
      isCredentialName(name) ? `${name}=${MASKED}` : all
    )
    .replace(/"([\w.-]+)"(\s*:\s*)("(?:[^"\\]|\\.)*"|[\w.+-]+)/g, (all, name: string, colon: string) =>
      isCredentialName(name) ? `"${name}"${colon}"${MASKED}"` : all
    )
    .replace(
      /(?<![\w.-])([\w.-]+)(:\s+)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,{}[\]]+)/g,
      (all, name: string, colon: string) => (isCredentialName(name) ? `${name}${colon}${MASKED}` : all)
    )
    .replace(/:\/\/[^\s/@:]*:[^\s/@]*@/g, `://${MASKED}@`)
}

const VALUES = new Set(['value', 'default', 'const', 'enum', 'examples'])

/** The text of a definition; of a block below a name like `password`, every line. */
export function maskLines(text: string, mask: Mask): string {
  let hidden = -1
  /** The last `name:` was that of a secret: its value stands beside it. */
  let isNamed = false
  return text
    .split('\n')
    .map((line) => {
      const indent = line.search(/\S/)
      if (indent > hidden && hidden >= 0) return `${' '.repeat(indent)}${MASKED}`
      if (indent >= 0) hidden = -1
      const [, start = '', name = '', value = ''] = /^(\s*(?:-\s+)?["']?([\w.-]+)["']?\s*:)\s*(\S.*)?$/.exec(line) ?? []
      if (name === 'name') isNamed = isCredentialName(value)
      const isSecret = isCredentialName(name) || (isNamed && VALUES.has(name))
      if (name === '' || !isSecret) return mask(line)
      if (value === '' || value.startsWith('#')) return line // a map or a list, whose members have names
      if (/^[|>]/.test(value)) hidden = indent
      return `${start} ${MASKED}`
    })
    .join('\n')
}

/** A copy in which what is too long, too deep or too much is cut, and says so. */
export function shownValue(value: unknown, mask: Mask, depth = 0): unknown {
  if (typeof value === 'string') return cutText(mask(value))
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MOST_DEPTH) return '…'
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST_MEMBERS).map((item) => shownValue(item, mask, depth + 1))
    return value.length > MOST_MEMBERS ? [...items, `… ${value.length - MOST_MEMBERS} more`] : items
  }
  const members = Object.entries(value)
  const shown = members
    .slice(0, MOST_MEMBERS)
    .map(([name, member]) => [
      cutText(name),
      isCredentialName(name) && member !== '' && typeof member !== 'boolean'
        ? MASKED
        : shownValue(member, mask, depth + 1)
    ])
  const more = members.length > MOST_MEMBERS ? { '…': `${members.length - MOST_MEMBERS} more` } : {}
  return { ...Object.fromEntries(shown), ...more }
}

export const cutText = (text: string, most = MOST_TEXT): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`

/** Facts as an entry takes them; more than that is named by its hash. */
export function bounded(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(facts)
  if (text.length <= MOST_JSON) return facts
  return { cut: true, ...digestOf(text) }
}

/** Names a text without showing it. */
export const digestOf = (text: string): { bytes: number; sha256: string } => ({
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex')
})
