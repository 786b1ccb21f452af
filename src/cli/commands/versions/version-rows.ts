/** Versions of a definition as a table, and what is different between two. */
import type { DefinitionVersion } from '../../../client/index.ts'
import { patchLines } from '../../view/diff-lines.ts'
import { type Paint, shownStatus, statusCell } from '../../view/paint.ts'
import { type Cell, tableLines } from '../../view/table.ts'
import { counted, minuteText, oneLine } from '../../view/text.ts'

/** No lines for no versions. @param room columns that there are */
export function versionLines(
  versions: readonly DefinitionVersion[],
  paint: Paint,
  tz: string,
  room?: number
): string[] {
  const minute = minuteText(tz)
  const rows = versions.map(({ number, atMs, how, by = '', runCount, runs: [newest], isCurrent }): Cell[] => [
    String(number),
    minute(atMs),
    how,
    oneLine(by),
    runCount === 0 ? '' : counted(runCount, 'run'),
    newest ? statusCell(shownStatus(newest.statusLabel)) : '',
    isCurrent ? { text: 'current', style: 'green' } : ''
  ])
  if (rows.length === 0) return []
  return tableLines(['version', `since (${tz})`, 'how', 'by', 'runs', 'newest run', ''], rows, paint, room)
}

/** @param after absent: the text that the definition has @param patch empty: they are the same; absent: they are too different */
export const diffOfVersions = (
  before: number,
  after: number | undefined,
  patch: string | undefined,
  paint: Paint
): string[] => [
  `before: version ${before}`,
  `after:  ${after === undefined ? 'the text that it has now' : `version ${after}`}`,
  '',
  ...(patch === undefined
    ? ['they are too different to be compared line by line']
    : patch === ''
      ? ['they are the same']
      : patchLines(patch, paint))
]
