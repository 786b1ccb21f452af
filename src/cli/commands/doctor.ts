/** `troupe doctor`: examines the home, and with `--fix` fixes what can be fixed without losing data. Our addition. */
import type { PlainFinding, Severity } from '../../doctor/finding.ts'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { type Paint, paintFor, type Style } from '../view/paint.ts'
import { oneLine } from '../view/text.ts'

/** Exit codes; 1 is a failed call. */
const ERRORS = 2
const WARNINGS = 3

const STYLES: Record<Severity, Style> = { error: 'red', warning: 'yellow', note: 'faint' }
/** Findings of one kind shown as text; the JSON has all. */
const SHOWN = 10

// D852
export const run: CommandModule['run'] = async (args, { out, clock, configure }) => {
  const config = configure(settingsOf(args))
  const [{ diagnosed }, { busFindings }] = await Promise.all([
    import('../../doctor/aside.ts'),
    import('../../doctor/message-bus.ts')
  ])
  const task = args.on.has('fix') ? 'fix' : 'examine'
  const { engine, runs, findings: ofHome, fixed } = await diagnosed(task, config, clock)
  const findings = [...ofHome, ...(await busFindings(config, engine !== undefined, clock))]
  const counts = { error: count(findings, 'error'), warning: count(findings, 'warning'), note: count(findings, 'note') }
  const exitCode = counts.error > 0 ? ERRORS : counts.warning > 0 ? WARNINGS : 0
  if (args.on.has('quiet') && exitCode === 0) return exitCode
  if (args.on.has('json')) {
    const seen = { ...(engine === undefined ? {} : { engine }), ...(runs === undefined ? {} : { runs }) }
    const shown = { home: config.home, ...seen, counts }
    out.write(`${JSON.stringify({ ...shown, findings, fixed })}\n`)
    return exitCode
  }
  const paint = paintFor(out.isTTY, config.environment)
  const lines = [
    `${config.home}: ${seenOf(runs, engine)}`,
    ...findingLines(fixed, () => paint('green', 'fixed'.padEnd(7)), paint),
    ...findingLines(findings, ({ severity }) => paint(STYLES[severity], severity.padEnd(7)), paint),
    ending(counts, findings.filter(({ fixable }) => fixable).length)
  ]
  out.write(`${lines.join('\n')}\n`)
  return exitCode
}

/** What was examined; an unreadable store is not an empty one. */
function seenOf(runs: number | undefined, engine: number | undefined): string {
  if (engine !== undefined)
    return `${runs === undefined ? 'its runs cannot be counted' : plural(runs, 'run')}; the engine with process id ${engine} is running`
  return runs === undefined
    ? 'the store cannot be read, and it is unknown whether an engine is running'
    : `${plural(runs, 'run')}; no engine is running`
}

const count = (findings: PlainFinding[], severity: Severity) =>
  findings.filter((found) => found.severity === severity).length

/** A line for each finding and one for its fix, the worst first. */
function findingLines(findings: PlainFinding[], label: (finding: PlainFinding) => string, paint: Paint): string[] {
  const order: Severity[] = ['error', 'warning', 'note']
  const sorted = [...findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
  const seen = new Map<string, number>()
  const lines: string[] = []
  for (const finding of sorted) {
    const kind = `${finding.severity} ${finding.check} ${finding.mending}`
    const number = (seen.get(kind) ?? 0) + 1
    seen.set(kind, number)
    if (number > SHOWN) continue
    lines.push(`${label(finding)}  ${finding.check.padEnd(12)}  ${oneLine(finding.message)}`)
    lines.push(paint('faint', `${' '.repeat(23)}${oneLine(finding.mending)}`))
  }
  for (const [kind, number] of seen)
    if (number > SHOWN) lines.push(`and ${number - SHOWN} more like these: ${oneLine(kind)} (--json shows all)`)
  return lines
}

function ending({ error, warning, note }: Record<Severity, number>, fixable: number): string {
  if (error + warning + note === 0) return 'nothing is wrong'
  const counts = [plural(error, 'error'), plural(warning, 'warning'), plural(note, 'note')].join(', ')
  return fixable === 0 ? counts : `${counts}; troupe doctor --fix fixes ${fixable} of them`
}

const plural = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`
