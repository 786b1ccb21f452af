/** Variables that a text for a sh-like shell reads and does not set itself, as far as can be said by looking at it. */

/** What may set variables that nobody sees here. */
const OUT_OF_SIGHT = /(?:^|[\s;&|(])(?:\.|source|eval|set\s+-\w*a|\w*env)(?=[\s;&|)])|<<-?\s*[\\'"]/
/** A backslash and what it escapes, the beginning of a comment or of quotes, a command substitution, a reference, a form, a bracket. */
const MARKS = /\\[\s\S]|#|'|"|\$\(|\$\{(\w+)(?:\.[^{}$`\n]*)?\}|\$\{|\$(\w+)|[()]/g

/** Names in the order of the text, each once; none where something out of sight may set them. A word without a `$` counts as set. */
export function shellNames(text: string): string[] {
  if (!text.includes('$') || OUT_OF_SIGHT.test(text)) return []
  const names = new Set<string>()
  /** Whether double quotes are open, here and around each bracket. */
  const quotes = [false]
  MARKS.lastIndex = 0
  for (let found = MARKS.exec(text); found; found = MARKS.exec(text)) {
    const [mark, braced, bare] = found
    const isQuoted = quotes.at(-1) === true
    const last = quotes.length - 1
    if (mark === '"') quotes[last] = !isQuoted
    else if (mark === '$(' || (mark === '(' && !isQuoted)) quotes.push(false)
    else if (mark === ')' && !isQuoted && last > 0) quotes.pop()
    else if (mark === "'" && !isQuoted) MARKS.lastIndex = after(text, "'", found.index + 1)
    else if (mark === '#' && !isQuoted && !/[^\s;&|(]/.test(text[found.index - 1] ?? ''))
      MARKS.lastIndex = after(text, '\n', found.index)
    else if (braced !== undefined || bare !== undefined) names.add(braced ?? bare ?? '')
  }
  const set = new Set(text.replace(/\$\{?\w+/g, ' ').match(/[A-Za-z_]\w*/g))
  return [...names].filter((name) => !set.has(name))
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + 1
}
