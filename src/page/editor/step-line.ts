/** Where a step is in the text of a definition. */

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** From 1. Steps without a name, such as those that are only a command, are not found. */
export function lineOfStep(text: string, name: string): number | undefined {
  const wanted = new RegExp(`(?:^\\s*|[-{,]\\s*)name:\\s*["']?${escaped(name)}["']?\\s*(?:[,}#]|$)`)
  const asKey = new RegExp(`^\\s+["']?${escaped(name)}["']?:(?:\\s|$)`)
  const lines = text.split('\n')
  const at = [wanted, asKey].map((pattern) => lines.findIndex((line) => pattern.test(line))).find((found) => found >= 0)
  return at === undefined ? undefined : at + 1
}
