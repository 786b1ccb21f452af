/** Entries of the audit log as the rows of a table. */
import type { Entry } from '../../../audit/entry.ts'
import type { Paint } from '../../view/paint.ts'
import { type Cell, tableLines } from '../../view/table.ts'
import { minuteText, oneLine } from '../../view/text.ts'

/** No lines for no entries. */
export function auditLines(
  entries: readonly Entry[],
  paint: Paint,
  { tz, room }: { tz: string; room?: number }
): string[] {
  const minute = minuteText(tz)
  const rows = entries.map((entry): Cell[] => [
    String(entry.seq),
    minute(Date.parse(entry.at)),
    callerText(entry),
    oneLine(entry.operation),
    oneLine(targetText(entry)),
    outcomeCell(entry),
    entry.address ?? entry.door
  ])
  return rows.length === 0
    ? []
    : tableLines(['entry', `at (${tz})`, 'who', 'operation', 'about', 'outcome', 'from'], rows, paint, room)
}

const callerText = ({ principal: { kind, name } }: Entry): string => oneLine(name === '' ? kind : `${kind}:${name}`)

const targetText = ({ target = {} }: Entry): string => {
  const { fileName, name, dagRunId, subDAGRunId, stepName, ...rest } = target
  return [fileName, name, dagRunId, subDAGRunId, stepName, ...Object.values(rest)].filter(Boolean).join(' ')
}

function outcomeCell({ outcome, repeated }: Entry): Cell {
  if (outcome === 'done') return outcome
  return { text: oneLine(repeated === undefined ? outcome : `${outcome}, ${repeated} more`), style: 'red' }
}
