/** How a value is written into a text for a sh-like shell, by its place. Source: execution-semantics 3.1.5. */
import { exportable } from './exportable.ts'
import type { Heredoc } from './heredoc.ts'
import { isTooLong } from './longest-text.ts'
import type { Frame } from './shell-places.ts'

/** Signs that a shell would read as something else than text. A backslash keeps one as it is, as in a variable's value. */
const SYNTAX = /[\\'"`$;&|<>(){}~#]/g

// D541: unquoted data is left to the shell as a variable
/**
 * Data where nothing quotes it, for a shell that does not have it in a variable: the word of an expansion that is always made, for
 * `$0` is always set. The shell splits it and looks for file names in it as in an unquoted `$X`, and has parsed the line by then.
 */
export const asWords = (value: string): string => `\${0+${value.replace(SYNTAX, '\\$&')}}`

/** Variables that shells set themselves at their start, whatever their environment has. */
const SET_AT_START = /^(IFS|PWD|OLDPWD|OPTERR)$/

/** Whether a shell whose process has this variable in its environment finds the value under that name. */
export const isFoundByShell = (name: string, value: string): boolean =>
  exportable(name) && !SET_AT_START.test(name) && !isTooLong(name, '=', value) && !value.includes('\0')

/** Numbers and what joins them. A name would be looked up, and what it holds would be computed in turn. */
const NUMBERS = /^[\d\s+\-*/%()<>=!&|^~?:,]*$/
/** Numbers that hold letters: `0xff`, `16#ff`. */
const OF_A_BASE = /\b(?:0[xX][\da-fA-F]+|\d+#\w+)\b/g

// D542: data in arithmetic must be numbers and operators
/** The value in `$(( ))`, where a shell would run a command within a subscript. @throws Error for anything but numbers */
export function asNumbers(value: string, written: string): string {
  if (NUMBERS.test(value.replace(OF_A_BASE, '0'))) return value
  throw new Error(
    `${written} is in arithmetic, where its value must be a number: a shell would evaluate names and subscripts in it`
  )
}

/** In `$'...'`. */
export const inAnsiQuotes = (value: string): string => value.replace(/[\\']/g, '\\$&')
/** In a here-document: `${0+}` is always empty; it keeps a line from being the delimiter, and its leading tabs from being dropped. */
export const inHeredoc = (value: string): string =>
  `\${0+}${value.replace(/[\\$`]/g, '\\$&').replaceAll('\n', '\n${0+}')}`
export const inDoubleQuotes = (value: string): string => value.replace(/[\\"$`]/g, '\\$&')
/** In `'...'`, which the value cannot end. */
export const inSingleQuotes = (value: string): string => value.replaceAll("'", "'\\''")

/** A value as another shell is to read it. @param frame in what that one is by then; undefined: nobody has looked */
export function inOtherShell(value: string, written: string, frame: Frame | undefined): string {
  if (frame?.arithmetic) return asNumbers(value, written)
  if (frame?.place === 'double') return inDoubleQuotes(value)
  return frame?.place === 'single' ? inSingleQuotes(value) : asWords(value)
}

// D542: data in arithmetic must be numbers and operators
/** The delimiter of a here-document, or another name when a line of its body is like it. */
export function unlike(body: string, { delimiter, dropsTabs }: Heredoc): string {
  const lines = new Set(body.split('\n').map((line) => (dropsTabs ? line.replace(/^\t+/, '') : line)))
  let name = delimiter
  while (lines.has(name)) name += '_'
  return name
}

/** A value on the line that names the interpreter. @throws Error for one of several lines, which would be the script's */
export function oneLine(value: string, written: string): string {
  if (!/[\r\n]/.test(value)) return value
  throw new Error(`${written} is on the first line of a script, where its value must be one line`)
}
