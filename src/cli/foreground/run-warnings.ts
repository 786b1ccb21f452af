/** Warnings about a start, on stderr: what may be a mistake. */
import { oneLine } from '../view/text.ts'

export function sayWarnings(warnings: readonly string[] | undefined, say: (text: string) => void): void {
  for (const warning of warnings ?? []) say(`warning: ${oneLine(warning)}`)
}
