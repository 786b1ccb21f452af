/** The lines in front of the rows of a tree. */
import type { Row } from './row.ts'
import { isStep } from './rows.ts'

/** By so much a row of sub DAG runs is moved to the right. */
export const SUB_COLUMNS = 3

/** @param isWhole nothing else of the tree follows the rows */
export function branchOf(rows: readonly Row[], index: number, isWhole: boolean): string {
  const isLast = isWhole && !rows.slice(index + 1).some(isStep)
  if (!rows[index]?.isSub) return isLast ? '└─' : '├─'
  return isLast ? '   └─' : '│  └─'
}
