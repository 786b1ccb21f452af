/** The lines in front of the rows of a tree. */
import type { Row } from './row.ts'
import { isStep } from './rows.ts'

/** Indentation of a row of sub DAG runs. */
export const SUB_COLUMNS = 3

/** @param isWhole the rows are the whole tree */
export function branchOf(rows: readonly Row[], index: number, isWhole: boolean): string {
  const isLast = isWhole && !rows.slice(index + 1).some(isStep)
  if (!rows[index]?.isSub) return isLast ? '└─' : '├─'
  return isLast ? '   └─' : '│  └─'
}
