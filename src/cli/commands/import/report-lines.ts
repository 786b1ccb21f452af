/** The report of an import as text: what is to be done, then what was translated, then what comes over in a line each. */
import { type Entry, type Kind, PARTS, placeOf, type Report } from '../../../import/report.ts'
import type { CliContext } from '../../context.ts'
import { oneLine } from '../../view/text.ts'

const TITLES: [Kind, string][] = [
  ['left', 'does not come over'],
  ['note', 'comes over, and wants a look'],
  ['translated', 'is written differently here'],
  ['there', 'is here already'],
  ['taken', 'comes over']
]

export function reportLines(
  { entries }: Report,
  { from, to, dryRun }: { from: string; to: string; dryRun: boolean },
  _context: Pick<CliContext, 'out'>
): string {
  const lines = [`${from} -> ${to}${dryRun ? ' (nothing was written)' : ''}`]
  for (const part of PARTS) {
    const own = entries.filter((entry) => entry.part === part)
    if (own.length === 0) continue
    lines.push('', part)
    for (const [kind, title] of TITLES) {
      const some = own.filter((entry) => entry.kind === kind)
      if (some.length === 0) continue
      lines.push(`  ${title}:`)
      for (const entry of some) lines.push(...linesOf(entry))
    }
  }
  if (entries.length === 0) lines.push('nothing was found')
  return `${lines.join('\n')}\n`
}

function linesOf(entry: Entry): string[] {
  const text = entry.text === undefined ? '' : `: ${oneLine(entry.text)}`
  return [
    `    ${oneLine(placeOf(entry))}${text}`,
    ...(entry.advice === undefined ? [] : [`      ${oneLine(entry.advice)}`])
  ]
}
