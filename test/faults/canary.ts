/** A value that must not be seen, and how it would be recognised. Source: reliability P23. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../support/random.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const word = (random: Random) => Array.from({ length: 18 }, () => random.pick([...LETTERS])).join('')

export interface Canary {
  value: string
  /** The forms that bytes hold it in, by their names. */
  seenIn(bytes: Buffer): string[]
}

/** @param odd with characters that JSON, URLs, shells and YAML write differently */
export function newCanary(random: Random, odd: boolean): Canary {
  const words = [word(random), word(random)]
  const value = odd ? words.join(`"$&/'<`) : words.join('-')
  // Letters and digits are the same raw, in JSON, in XML and in a URL: the words cover all of these.
  const forms = words.flatMap((word) => {
    const hex = Buffer.from(word).toString('hex')
    return [
      ['text', Buffer.from(word)],
      ['UTF-16', Buffer.from(word, 'utf16le')],
      ['hex', Buffer.from(hex)],
      ['HEX', Buffer.from(hex.toUpperCase())],
      ...[0, 1, 2].map((offset) => ['base64', Buffer.from(inner(word, offset))] as const)
    ] as const
  })
  return {
    value,
    seenIn: (bytes) => [...new Set(forms.filter(([, form]) => bytes.includes(form)).map(([name]) => name))]
  }
}

/** What base64 makes of a text that begins `offset` bytes into a group of three: the characters that depend on it alone. */
function inner(text: string, offset: number): string {
  const whole = Buffer.from('x'.repeat(offset) + text).toString('base64')
  return whole.slice(offset === 0 ? 0 : 4, -4)
}

/** Files below a folder whose name or content holds a canary: path and form. */
export function seenBelow(folder: string, canary: Canary): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name)
    const inName = canary.seenIn(Buffer.from(name)).map((form) => `the name of a file has it as ${form}`)
    try {
      if (!statSync(path).isFile()) return inName
      return [...inName, ...canary.seenIn(readFileSync(path)).map((form) => `${name} holds it as ${form}`)]
    } catch {
      return inName // It has gone meanwhile.
    }
  })
}
