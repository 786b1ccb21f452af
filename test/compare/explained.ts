/** The differences that are meant: rows of docs/decisions.md, section "Differences from Dagu". */
import { readFileSync } from 'node:fs'

const DECISIONS = new URL('../../../docs/decisions.md', import.meta.url)
const SECTION = '## Differences from Dagu'

/** Rule ids and names of cases in the first column of the section's table. @throws Error when there is no such section */
export function explained(): Set<string> {
  const [, section] = readFileSync(DECISIONS, 'utf8').split(`${SECTION}\n`)
  if (section === undefined) throw new Error(`docs/decisions.md: wanted a section "${SECTION}", found none`)
  const rows = section.split(/^## /m)[0]?.match(/^\| .+$/gm) ?? []
  return new Set(
    rows.flatMap((row) => (row.split('|')[1] ?? '').split(',')).map((word) => word.replaceAll('`', '').trim())
  )
}
