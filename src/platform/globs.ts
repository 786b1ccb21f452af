/** Patterns of names, as settings have them. */

/** Whether a text is one of the patterns: `*` stands for any characters, `?` for one. For many texts: `matcher`. */
export const fitsAny = (patterns: readonly string[], text: string): boolean =>
  patterns.some((pattern) => (/[*?]/.test(pattern) ? expressionOf(pattern).test(text) : pattern === text))

/** Whether a text fits any of the patterns, for many texts. */
export function matcher(patterns: readonly string[]): (text: string) => boolean {
  const plain = new Set(patterns.filter((pattern) => !/[*?]/.test(pattern)))
  const wild = patterns.filter((pattern) => /[*?]/.test(pattern)).map(expressionOf)
  return (text) => plain.has(text) || wild.some((expression) => expression.test(text))
}

const expressionOf = (pattern: string) =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replace(/\?/g, '.')}$`,
    's'
  )
