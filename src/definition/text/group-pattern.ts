/** Patterns of groups in the configuration: `*` stands for any characters, `?` for one. */
export const fitsGroup = (patterns: readonly string[], group: string): boolean =>
  patterns.some((pattern) => (/[*?]/.test(pattern) ? expressionOf(pattern).test(group) : pattern === group))

const expressionOf = (pattern: string) =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replace(/\?/g, '.')}$`,
    's'
  )
