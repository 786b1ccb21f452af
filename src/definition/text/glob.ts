/** Shell patterns (`*`, `?`, `[a-z]`, `\x`) applied to a value, in linear time. Source: execution-semantics 3.1.7. */
import { RE2JS } from 're2js'

/** A set is at most 255 characters long, so that a row of unclosed brackets is still read in linear time. */
const TOKEN = /\\([\s\S])|(\*)|(\?)|\[([!^]?)(\]?[^\]]{0,255})\]|([\s\S])/gu

/** A pattern as pieces of a regular expression, one per token, so that it can be turned round. */
function pieces(glob: string, longest: boolean): string[] {
  return Array.from(glob.matchAll(TOKEN), ([, escaped, star, any, not, set, plain]) => {
    if (star) return longest ? '.*' : '.*?'
    if (any) return '.'
    if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[\\[\]^&~]/g, '\\$&')}]`
    return RE2JS.quote(escaped ?? plain ?? '')
  })
}

/** Undefined for a pattern that is none, such as `[z-a]`: it matches nothing. */
function compiled(expression: string): RE2JS | undefined {
  try {
    return RE2JS.compile(expression, RE2JS.DOTALL)
  } catch {
    return undefined
  }
}

/** Length in UTF-16 units of what the pieces match at the start of a value; 0 when they do not. */
function matchedLength(value: string, expression: string[]): number {
  const matcher = compiled(`^(?:${expression.join('')})`)?.matcher(value)
  return matcher?.find() ? matcher.end() : 0
}

/** `${X#glob}`, `${X##glob}`. */
export const withoutPrefix = (value: string, glob: string, longest: boolean): string =>
  value.slice(matchedLength(value, pieces(glob, longest)))

/** `${X%glob}`, `${X%%glob}`: the prefix of the value read backwards. */
export function withoutSuffix(value: string, glob: string, longest: boolean): string {
  const backwards = [...value].reverse().join('')
  const length = matchedLength(backwards, pieces(glob, longest).reverse())
  return value.slice(0, value.length - length)
}

/** Where a replacement may happen: the first place, all places, the start, the end. */
export type Place = 'first' | 'all' | 'start' | 'end'

/** `${X/glob/text}`, `//`, `/#`, `/%`. The replacement is plain text. */
export function replaced(value: string, glob: string, text: string, place: Place): string {
  if (glob === '') return value
  const expression = pieces(glob, true).join('')
  const anchored = place === 'start' ? `^(?:${expression})` : place === 'end' ? `(?:${expression})$` : expression
  const matcher = compiled(anchored)?.matcher(value)
  if (!matcher) return value
  let out = ''
  let from = 0
  while (matcher.find()) {
    if (matcher.end() === matcher.start() && value !== '') break
    out += value.slice(from, matcher.start()) + text
    from = matcher.end()
    if (place !== 'all' || value === '') break
  }
  return out + value.slice(from)
}
