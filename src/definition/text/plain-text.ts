/** Expansion of text without shell quoting: fields, and scripts of other interpreters. Source: execution-semantics 3.1. */
import { substituted } from '../shell/expand-shell.ts'
import { applyForm, closingBraces, formAt } from '../shell/shell-forms.ts'
import { type Lookup, secretInText } from './lookup.ts'
import { commandAt, isSingleQuoted, referenceAt } from './reference.ts'
import { type Resolve, resolver } from './resolve.ts'

/** Forms nested deeper than this stay as written. */
const MAX_DEPTH = 20

/** One pass over one text. */
interface Pass {
  text: string
  look: Lookup
  resolve: Resolve
  reader: 'field' | 'interpreter' | 'executor'
  /** Closing brackets of the whole text; read when the first form is met. */
  closing?: Map<number, number>
}

/** Output, and where the text continues. */
interface Put {
  text: string
  end: number
}

// D45: `\$` keeps its backslash in scripts for programs other than shells
/**
 * @param reader `field`: only Troupe, so undefined names become empty, escapes lose their backslash and shell forms
 * are computed; `interpreter`: a program that is not a sh-like shell; `executor`: one with its own language, for which
 * escapes lose their backslash
 */
export async function expandPlain(text: string, look: Lookup, reader: Pass['reader']): Promise<string> {
  if (!text.includes('$') && !text.includes('`')) return text
  return expandRange({ text, look, resolve: resolver(look), reader }, 0, text.length, 0)
}

const SPECIAL = /[\\$`]/g

async function expandRange(pass: Pass, from: number, to: number, depth: number): Promise<string> {
  const { text } = pass
  let out = ''
  let at = from
  while (at < to) {
    SPECIAL.lastIndex = at
    const next = Math.min(SPECIAL.exec(text)?.index ?? to, to)
    out += text.slice(at, next)
    at = next
    if (at === to) break
    const mark = text[at]
    const put =
      mark === '\\'
        ? escaped(pass, at, depth)
        : mark === '$'
          ? await reference(pass, at, depth)
          : await command(pass, at, to)
    const whole = put && put.end <= to ? put : { text: text.slice(at, at + 1), end: at + 1 }
    out += whole.text
    at = whole.end
  }
  return out
}

/**
 * A backslash and what it escapes. Choice: `\\` is a pair that stays and escapes nothing, so that the `$X` of `\\$X` is a
 * reference, as it is for a shell.
 */
function escaped({ text, look, reader }: Pass, at: number, depth: number): Put | undefined {
  const next = text[at + 1]
  if (next === '\\') return { text: '\\\\', end: at + 2 }
  const special = next === '$' || (next === '`' && look.substitute) || (next === '}' && depth > 0)
  return special ? { text: reader === 'interpreter' ? `\\${next}` : next, end: at + 2 } : undefined
}

async function command({ text, look, reader }: Pass, at: number, to: number): Promise<Put | undefined> {
  const found = look.substitute ? commandAt(text, at) : undefined
  if (!found || found.end > to) return undefined
  if (!found.command) return { text: '``', end: found.end }
  const value = await substituted(found.command, look)
  if (reader === 'interpreter' && look.isSecret?.(value)) throw secretInText(`\`${found.command}\``)
  return { text: value, end: found.end }
}

async function reference(pass: Pass, at: number, depth: number): Promise<Put | undefined> {
  const { text, resolve, reader } = pass
  const found = referenceAt(text, at)
  if (!found) return reader === 'field' && text[at + 1] === '{' ? shellForm(pass, at, depth) : undefined
  if (isSingleQuoted(text, at, found)) return { text: found.written, end: found.end }
  const { value, asWritten, end } = resolve(found)
  if (reader === 'interpreter' && value !== undefined && pass.look.isSecret?.(value)) throw secretInText(found.written)
  return { text: value ?? (asWritten || reader !== 'field' ? text.slice(at, end) : ''), end }
}

async function shellForm(pass: Pass, at: number, depth: number): Promise<Put | undefined> {
  const { text, look } = pass
  pass.closing ??= closingBraces(text)
  const close = pass.closing.get(at)
  const form = close === undefined ? undefined : formAt(text, at, close)
  if (close === undefined || !form) return undefined
  const written = { text: text.slice(at, close + 1), end: close + 1 }
  if (depth >= MAX_DEPTH || (text[at - 1] === "'" && text[close + 1] === "'")) return written
  const word = (from: number, to: number) => expandRange(pass, from, to, depth + 1)
  const value = await applyForm(form, text, look.variable(form.name), word)
  if (value !== undefined) return { text: value, end: close + 1 }
  look.warn?.(`${written.text} is left as written: wanted a number after the colon`)
  return written
}
