/** The secrets of one run, in memory only: masks texts, and removes masks. Source: execution-semantics 14.4. */
import type { SecretMark } from '../../machines/vocabulary.ts'
import { MASK, maskBytes } from './masker.ts'
import { type Patterns, patternsOf, type SecretValues } from './patterns.ts'

export interface Secrets {
  values: SecretValues
  patterns: Patterns
  /** There are no secrets. */
  none: boolean
  mask(text: string): string
  /** Masks a text, with a record for `uncover`. */
  cover(text: string): { text: string; marks: SecretMark[] }
  /** Removes the masks of known secrets; unknown ones, and those whose value is now too short, stay. */
  uncover(text: string, marks: SecretMark[] | undefined): string
  /** Whether every one of these masks stands for a known value. */
  knows(marks: SecretMark[]): boolean
  /** Whether a text contains a value, or a line of one, that is too long for a coincidence. */
  hidesIn(text: string): boolean
}

/** Least length of a value that counts as the secret in a text, bytes. */
const MIN_BYTES = 4

export function secretsOf(values: SecretValues): Secrets {
  const patterns = patternsOf(values)
  const unmistakable = patternsOf(
    Object.fromEntries(Object.entries(values).filter(([, value]) => Buffer.byteLength(value) >= MIN_BYTES))
  )
  const none = patterns.pieces.length === 0
  return {
    values,
    patterns,
    none,
    mask: (text) => (none || text === '' ? text : maskBytes(Buffer.from(text), patterns).toString()),
    cover(text) {
      const marks: SecretMark[] = []
      if (none) return { text, marks }
      const masked = maskBytes(Buffer.from(text), patterns, (mark) => marks.push(mark)).toString()
      return { text: masked, marks }
    },
    uncover: (text, marks) => (marks?.length ? uncoverBytes(Buffer.from(text), marks, values).toString() : text),
    knows: (marks) => marks.every((mark) => pieceOf(mark, values) !== undefined),
    hidesIn(text) {
      let found = false
      if (unmistakable.pieces.length > 0)
        maskBytes(Buffer.from(text), unmistakable, () => {
          found = true
        })
      return found
    }
  }
}

export const noSecrets: Secrets = secretsOf({})

const STARS = Buffer.from(MASK)

/** Removes the masks at the positions of the marks. */
export function uncoverBytes(masked: Buffer, marks: SecretMark[], values: SecretValues): Buffer {
  const out: Buffer[] = []
  let at = 0
  for (let index = 0; index < marks.length; ) {
    const place = marks[index]?.at ?? 0
    const pieces: (Buffer | undefined)[] = []
    for (let mark = marks[index]; mark?.at === place; mark = marks[++index]) pieces.push(pieceOf(mark, values))
    const known = pieces.filter((piece) => piece !== undefined)
    if (place < at || known.length < pieces.length) continue
    if (!masked.subarray(place, place + STARS.length).equals(STARS)) continue
    out.push(masked.subarray(at, place), ...known)
    at = place + STARS.length
  }
  return Buffer.concat([...out, masked.subarray(at)])
}

function pieceOf({ secret, from = 0, length }: SecretMark, values: SecretValues): Buffer | undefined {
  const value = Object.hasOwn(values, secret) ? values[secret] : undefined
  if (value === undefined) return undefined
  const bytes = Buffer.from(value)
  if (length === undefined) return bytes
  return from + length <= bytes.length ? bytes.subarray(from, from + length) : undefined
}
