/** The intended differences: rows of docs/decisions/dagu.md. */
import { readFileSync } from 'node:fs'

const DIFFERENCES = new URL('../../../docs/decisions/dagu.md', import.meta.url)

/** Rule ids and names of cases in the first column of the table. */
export function explained(): Set<string> {
  const rows = readFileSync(DIFFERENCES, 'utf8').match(/^\| .+$/gm) ?? []
  return new Set(
    rows.flatMap((row) => (row.split('|')[1] ?? '').split(',')).map((word) => word.replaceAll('`', '').trim())
  )
}
