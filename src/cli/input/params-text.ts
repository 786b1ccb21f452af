/** The words of a command line as one params text, so that each word stays one value. Source: execution-semantics 2.1.1, 2.2. */
import { TroupeError } from '../../errors.ts'
import type { Arguments } from './command.ts'

// D404: a single bare parameter that needs quotes is sent as `1="two words"`
/** The params of `--params` or of the words after `--`; empty: none. @throws TroupeError bad_request for both */
export function paramsOf(command: string, { text: { params = '' }, words }: Arguments): string {
  if (params && words.length > 0)
    throw new TroupeError('bad_request', `${command}: wanted parameters with --params or after --, found both`)
  return params || paramsText(words)
}

/**
 * `a`, `K=two words` become `a K="two words"`. A single word that begins like JSON is passed on as it is, to be parsed or refused.
 * Choice: a first bare value that needs quotes is named by its position, because a text wrapped whole in quotes is
 * unquoted before it is read.
 */
export function paramsText(words: readonly string[]): string {
  const [only = ''] = words
  if (words.length === 1 && /^\s*[{[]/.test(only)) return only
  const texts = words.map(wordText)
  if (texts[0]?.startsWith('"')) texts[0] = `1=${texts[0]}`
  return texts.join(' ')
}

function wordText(word: string): string {
  const [, name, value = ''] = /^([^\s"`=]+=)([\s\S]*)$/.exec(word) ?? []
  return name === undefined ? valueText(word) : name + valueText(value)
}

const valueText = (value: string) => (/^[\w.,:/@%+-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`)
