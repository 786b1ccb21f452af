/**
 * The commonest mistake in YAML: an unquoted text with `: ` or ` #` in it, which is read as a map or ends in
 * a comment. The package's message is about maps; this one says how to fix it.
 */

/** The package's messages at such a text, and in the line below it. */
const AT_IT = /^(?:Nested mappings|Block collections)/
const BELOW_IT = /^(?:All mapping items|Implicit map keys)/

const MENDING = '; a text with ": " or " #" in it has to be quoted, or stand in a | block'

/** A clause to add to a message of the package; empty when the mistake is another. @param at place of the mistake in the text */
export function mendingOf(message: string, text: string, at: number): string {
  const seen = AT_IT.test(message)
    ? (text.slice(at).match(/.*/)?.[0] ?? '')
    : BELOW_IT.test(message)
      ? lineBefore(text, at)
      : ''
  return /:(?:\s|$)|\s#/.test(seen) ? MENDING : ''
}

/** The value in the line before, or the whole line if it has no key of one word. */
function lineBefore(text: string, at: number): string {
  const end = text.lastIndexOf('\n', at - 1)
  const line = end < 0 ? '' : text.slice(text.lastIndexOf('\n', end - 1) + 1, end)
  return line.replace(/^\s*(?:- +)*(?:[\w.-]+:(?:\s+|$))?/, '')
}
