/**
 * The syntax of dotenv files: `K=V` lines. Neither `node:util` nor YAML reads it: the former knows no references and reports no
 * mistakes. Source: execution-semantics 3.7.3.
 */

/** A blank line, or one that is a comment. */
const EMPTY = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y
/** `export` is for files that a shell reads too. */
const KEY = /[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*=[^\S\n]*/y
const SINGLE = /'([^']*)'/y
const DOUBLE = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y
/** Allowed after a quoted value. */
const REST = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y
const LINE = /[^\n]*(?:\n|$)/y

/** An escape, `${K}`, `$K`. Every other `$` is text. */
const SPECIAL = /\\([\s\S])|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

/**
 * Values by name; a later line of one name wins. Unquoted and double-quoted values refer to the lines before them, then to
 * `outer`; an unknown name is empty. Values in quotes may span lines.
 * @throws Error `line <n>: <what was wanted>`, which never holds a value
 */
export function parseDotenv(text: string, outer: (name: string) => string | undefined): Record<string, string> {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const values: Record<string, string> = Object.create(null)
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at = pattern.lastIndex
    return found
  }
  const wrong = (wanted: string) => new Error(`line ${source.slice(0, at).split('\n').length}: ${wanted}`)
  const expanded = (value: string, inQuotes: boolean) =>
    value.replace(SPECIAL, (written, escaped: string | undefined, braced?: string, bare?: string) => {
      if (escaped === undefined) return values[braced ?? bare ?? ''] ?? outer(braced ?? bare ?? '') ?? ''
      if (escaped === '$' || (inQuotes && /["\\]/.test(escaped))) return escaped
      return (inQuotes && ESCAPES[escaped]) || written
    })

  function valueAt(): string {
    const quote = source[at]
    if (quote !== "'" && quote !== '"') {
      const before = source[at - 1] // a blank, or the `=`: what follows that at once is the value, as in a shell
      const [line = ''] = take(LINE) ?? []
      return expanded(
        `${before}${line}`
          .replace(/\s#.*$/m, '')
          .slice(1)
          .trim(),
        false
      )
    }
    const [, inside] = take(quote === "'" ? SINGLE : DOUBLE) ?? []
    if (inside === undefined) throw wrong(`wanted a closing ${quote}`)
    if (!take(REST)) throw wrong('wanted nothing but a comment after the closing quote')
    return quote === "'" ? inside : expanded(inside, true)
  }

  if (source.includes('\0')) throw new Error('wanted text, found a NUL character')
  while (at < source.length) {
    if (take(EMPTY)) continue
    const [, key] = take(KEY) ?? []
    if (key === undefined) throw wrong('wanted NAME=value')
    values[key] = valueAt()
  }
  return values
}
