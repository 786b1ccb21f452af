/** Expands several texts: the values of a config, and a command line without a shell. Source: execution-semantics 3.3, 10 "Common". */
import type { Json } from '../../../machines/vocabulary.ts'
import type { Lookup } from './lookup.ts'
import { expandField } from './variables.ts'

// D510, D602: `args` are expanded like a field
/** A map with every text in it expanded like a field, at any depth. Keys stay as they are. */
export async function expandDeep(config: { [key: string]: Json }, look: Lookup): Promise<{ [key: string]: Json }> {
  const expanded: { [key: string]: Json } = Object.create(null)
  for (const [key, value] of Object.entries(config)) expanded[key] = await deep(value, look)
  return expanded
}

async function deep(value: Json, look: Lookup): Promise<Json> {
  if (typeof value === 'string') return expandField(value, look)
  if (Array.isArray(value)) return Promise.all(value.map((item) => deep(item, look)))
  return value !== null && typeof value === 'object' ? expandDeep(value, look) : value
}

/** Blanks, a backslash pair, quotes (an unclosed one runs to the end), a backtick command, a pipe, a reference in braces, plain text. */
const TOKEN =
  /(\s+)|\\([\s\S]?)|('[^']*'?)|"([^"\\]*(?:\\[\s\S]?[^"\\]*)*)"?|(`[^`\\]*(?:\\[\s\S]?[^`\\]*)*`?)|(\|+)|(\$\{(?:[^{}]|\{[^{}]*\})*\}|[^\s\\'"`|$]+|\$)/g

/**
 * Splits a command line into words and expands them like fields: quotes are removed, a pipe is a word. A value stays in
 * its word, whatever spaces or quotes it contains.
 * @throws Error of a failing backtick command or of `${X:?message}`
 */
export async function expandWords(text: string, look: Lookup): Promise<string[]> {
  const words: string[] = []
  let word: string | undefined
  let plain = ''
  /** Neighbouring plain stretches are one text: `$X.path` is a reference. */
  const settle = async () => {
    if (plain) word = (word ?? '') + (await expandField(plain, look))
    plain = ''
  }
  const add = async (part: string) => {
    await settle()
    word = (word ?? '') + part
  }
  const finish = async () => {
    await settle()
    if (word !== undefined) words.push(word)
    word = undefined
  }
  for (const [, blank, escaped, single, double, command, pipe, stretch] of text.matchAll(TOKEN)) {
    if (blank !== undefined) await finish()
    else if (escaped !== undefined) await add(escaped)
    else if (single !== undefined) await add((await expandField(single, look)).replace(/^'|'$/g, ''))
    else if (double !== undefined) await add(await expandField(double.replace(/\\(["\\])/g, '$1'), look))
    else if (pipe !== undefined) {
      await finish()
      words.push(pipe)
    } else plain += command ?? stretch ?? ''
  }
  await finish()
  return words
}
