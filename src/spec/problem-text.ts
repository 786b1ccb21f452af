/** A problem of a definition as one sentence. Source: execution-semantics 1.6.3. */
import type { Problem } from './definition.ts'

/** The message, then ` (line L, column C)` when the place is known. */
export function problemText({ message, line, column }: Problem): string {
  if (line === undefined) return message
  return `${message} (line ${line}${column === undefined ? '' : `, column ${column}`})`
}
