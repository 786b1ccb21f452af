/** What is masked: the values of secrets, and the single lines of multi-line ones. Source: execution-semantics 14.4.6, 14.4.7. */
import { type Automaton, automatonOf } from './automaton.ts'

export type SecretValues = Readonly<Record<string, string>>

/** A part of a value, in bytes of its UTF-8 form. */
export interface Piece {
  secret: string
  from: number
  length: number
  /** The value is complete. */
  whole: boolean
}

export interface Patterns {
  /** The pieces by index. */
  pieces: Piece[]
  automaton: Automaton
}

/** Least length of a line that is masked by itself, characters. */
const LINE_LENGTH = 4

/** Choice: a value with blanks around it is masked without them too, because an unquoted `$NAME` of a shell loses them. */
export function patternsOf(values: SecretValues): Patterns {
  const found: { piece: Piece; bytes: Buffer }[] = []
  for (const [secret, value] of Object.entries(values)) {
    const length = Buffer.byteLength(value)
    const add = (text: string, at: number) => {
      const from = Buffer.byteLength(value.slice(0, at))
      const bytes = Buffer.from(text)
      found.push({ piece: { secret, from, length: bytes.length, whole: bytes.length === length }, bytes })
    }
    if (value !== '') add(value, 0)
    const trimmed = value.trim()
    if (trimmed !== value && longEnough(trimmed)) add(trimmed, value.indexOf(trimmed))
    if (!value.includes('\n')) continue
    let at = 0
    for (const line of value.split('\n')) {
      const text = line.replace(/\r$/, '')
      if (longEnough(text)) add(text, at)
      at += line.length + 1
    }
  }
  return { pieces: found.map(({ piece }) => piece), automaton: automatonOf(found.map(({ bytes }) => bytes)) }
}

const longEnough = (text: string) => [...text.slice(0, 2 * LINE_LENGTH)].length >= LINE_LENGTH
