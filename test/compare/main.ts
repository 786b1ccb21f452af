/**
 * `make compare`: every case of fixtures/format on Dagu beside its recorded result. Prints what differs; exits with 1 when
 * a difference stands neither under its rule nor under its name in docs/decisions/dagu.md.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDagu } from '../bench/engines.ts'
import { processTree } from '../bench/processes.ts'
import { formatCases } from '../support/format/format-case.ts'
import { inTurns } from '../support/in-turns.ts'
import { askDagu } from './dagu.ts'
import { type Difference, differencesOf } from './differences.ts'
import { explained } from './explained.ts'

const AT_A_TIME = 4
/** Characters of a text in the table. */
const WIDTH = 60

async function main(): Promise<number> {
  if (process.env.BENCH_DAGU === 'none') {
    console.log('BENCH_DAGU=none: Dagu is left out, nothing to compare')
    return 0
  }
  const program = await findDagu(process.env.BENCH_DAGU)
  const only = process.argv.slice(2)
  // A spec without a file is known to Troupe only.
  const cases = formatCases().filter(
    ({ name, start }) => !start.inline && (only.length === 0 || only.some((word) => name.startsWith(word)))
  )
  const root = mkdtempSync(join(tmpdir(), 'troupe-compare-'))
  const mark = `DAGU_COMPARE=${root}`
  try {
    const answers = await Promise.all(inTurns(cases, AT_A_TIME, (one) => askDagu(program, one, root, mark)))
    const found = cases.flatMap((one, index) => {
      const answer = answers[index]
      return answer ? differencesOf(one, answer) : []
    })
    return report(cases.length, found)
  } finally {
    processTree(mark).kill()
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

function report(cases: number, found: Difference[]): number {
  const known = explained()
  const isKnown = ({ name, rules }: Difference) => [name, ...rules].some((word) => known.has(word))
  const unknown = found.filter((difference) => !isKnown(difference))
  table('Differences with a reason in docs/decisions/dagu.md', found.filter(isKnown))
  table('Differences without a reason', unknown)
  const seen = new Set(found.flatMap(({ name, rules }) => [name, ...rules]))
  const idle = [...known].filter((word) => /^[\d]/.test(word) && !seen.has(word))
  if (idle.length > 0) console.log(`\nListed, and not seen: ${idle.join(', ')}`)
  const differing = new Set(found.map(({ name }) => name)).size
  console.log(`\n${cases} cases compared: ${cases - differing} equal, ${differing} differ`)
  console.log(`${found.length} differences, ${unknown.length} without a reason`)
  return unknown.length > 0 ? 1 : 0
}

function table(title: string, rows: Difference[]): void {
  if (rows.length === 0) return
  console.log(`\n${title}\n`)
  const cells = rows.map(({ name, what, troupe, dagu }) => [name, what, shown(troupe), shown(dagu)])
  const all = [['case', 'what', 'Troupe', 'Dagu'], ...cells]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  for (const row of all)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()
    )
}

function shown(text: string): string {
  const line = text === '' ? '(empty)' : text.replaceAll('\n', '\\n')
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 3)}...` : line
}

process.exitCode = await main()
