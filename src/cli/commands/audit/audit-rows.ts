/** Entries of the audit log as the rows of a table. */
import type { Entry } from '../../../audit/entry.ts'
import type { Paint } from '../../view/paint.ts'
import { type Cell, growingTable } from '../../view/table.ts'
import { minuteText, oneLine } from '../../view/text.ts'

/** @returns lines of entries, with a head above the first ones; no lines for no entries */
export function auditTable(
  paint: Paint,
  { tz, room }: { tz: string; room?: number }
): (entries: readonly Entry[]) => string[] {
  const minute = minuteText(tz)
  const lines = growingTable(['entry', `at (${tz})`, 'who', 'operation', 'about', 'outcome', 'from'], paint, room)
  const row = (entry: Entry): Cell[] => [
    String(entry.seq),
    minute(Date.parse(entry.at)),
    callerText(entry),
    oneLine(entry.operation),
    oneLine(targetText(entry)),
    outcomeCell(entry),
    entry.address ?? entry.door
  ]
  return (entries) => (entries.length === 0 ? [] : lines(entries.map(row)))
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
