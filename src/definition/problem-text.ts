/** A problem of a definition as one sentence. Source: execution-semantics 1.6.3. */
import type { Problem } from './definition.ts'

/** A text of a definition within a sentence: in backticks, or in quotes where two of them would meet. */
export const asCode = (text: string): string => (/^$|`/.test(text) ? `"${text}"` : `\`${text}\``)

/** The message, then ` (line L, column C)` when the place is known. */
export function problemText({ message, line, column }: Problem): string {
  if (line === undefined) return message
  return `${message} (line ${line}${column === undefined ? '' : `, column ${column}`})`
}
