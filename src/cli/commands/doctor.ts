/**
 * `troupe doctor`: examines the home, and with `--fix` fixes what can be fixed without losing data; with `--before-upgrade` also says what to
 * know before this release takes the home over. Our addition.
 */
import { resolve } from 'node:path'
import type { Examination } from '../../client/index.ts'
import type { Config } from '../../config.ts'
import type { PlainFinding, Severity } from '../../doctor/finding.ts'
import { TroupeError } from '../../errors.ts'
import type { CliContext, Remote } from '../context.ts'
import type { Arguments, CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { entered } from '../owner/entered.ts'
import { type Paint, paintFor, type Style } from '../view/paint.ts'
import { counted, oneLine } from '../view/text.ts'

/** Exit codes; 1 is a failed call. */
const ERRORS = 2
const WARNINGS = 3

const STYLES: Record<Severity, Style> = { error: 'red', warning: 'yellow', note: 'faint' }
/** Findings of one kind shown as text; the JSON has all. */
const SHOWN = 10

// D852: exit codes of the doctor
export const run: CommandModule['run'] = async (args, context) => {
  const { out, configure, remote } = context
  refuseTogether(args)
  const config = configure(settingsOf(args), () => {})
  const examination = remote ? await examinedThere(args, remote) : await examinedHere(args, context)
  const { counts, fixed } = examination
  const exitCode = counts.error > 0 ? ERRORS : counts.warning > 0 ? WARNINGS : 0
  if (!args.on.has('quiet') || exitCode !== 0)
    out.write(
      args.on.has('json')
        ? `${JSON.stringify(examination)}\n`
        : textOf(examination, paintFor(out.isTTY, config.environment))
    )
  // After what was found is said: a store that is damaged may take no entry.
  if (fixed.length > 0)
    await entered(context, config, {
      operation: 'fixHome',
      target: { home: config.home },
      after: { fixed: fixed.map(({ message }) => message) }
    })
  return exitCode
}

function textOf({ home, engine, runs, counts, findings, fixed, notExamined }: Examination, paint: Paint): string {
  const lines = [
    `${home}: ${seenOf(runs, engine)}`,
    ...findingLines(fixed, () => paint('green', 'fixed'.padEnd(7)), paint),
    ...findingLines(findings, ({ severity }) => paint(STYLES[severity], severity.padEnd(7)), paint),
    ...notExamined.map((what) => paint('faint', `not looked at while an engine is running: ${what}`)),
    ending(counts, findings.filter(({ fixable }) => fixable).length)
  ]
  return `${lines.join('\n')}\n`
}

async function examinedHere(args: Arguments, { clock, cwd, configure }: CliContext): Promise<Examination> {
  const wrong: PlainFinding[] = []
  // What fixes must know which home is meant.
  const isRead = args.on.has('fix')
    ? undefined
    : (problems: readonly string[]) => {
        for (const problem of problems) wrong.push(wrongSetting(problem))
      }
  const config = configure(settingsOf(args), isRead)
  const [{ diagnosed }, { busFindings }, { examinationShape }] = await Promise.all([
    import('../../doctor/aside.ts'),
    import('../../doctor/message-bus.ts'),
    import('../../api/shapes/home/home-shapes.ts')
  ])
  const isBefore = args.on.has('before-upgrade')
  const task = args.on.has('fix') ? 'fix' : isBefore ? 'upgrade' : 'examine'
  const { findings, ...found } = await diagnosed(task, config, clock)
  const ofBus = await busFindings(config, found.engine !== undefined, clock)
  const ofBackup = isBefore ? await backupOf(args, config, { clock, cwd }) : []
  return examinationShape(config.home, { ...found, findings: wrong.concat(findings, ofBackup, ofBus) })
}

// D1625: the doctor examines what it can, whatever is missing
const wrongSetting = (message: string): PlainFinding => ({
  check: 'configuration',
  severity: 'error',
  message,
  mending: 'correct it: no engine starts with it; the rest was examined with its default',
  fixable: false
})

async function backupOf(
  { text: { backup } }: Arguments,
  config: Pick<Config, 'dataDir'>,
  { clock, cwd }: Pick<CliContext, 'clock' | 'cwd'>
): Promise<PlainFinding[]> {
  const { backupFindings } = await import('../../backup/before-upgrade.ts')
  return backupFindings(config, clock, backup === undefined ? undefined : resolve(cwd, backup))
}

/** @throws TroupeError bad_request */
function refuseTogether({ on, text }: Arguments): void {
  if (on.has('fix') && on.has('before-upgrade'))
    throw new TroupeError('bad_request', 'doctor: --fix and --before-upgrade are two steps: fix first, then look again')
  if (text.backup !== undefined && !on.has('before-upgrade'))
    throw new TroupeError('bad_request', 'doctor: --backup is looked at with --before-upgrade only')
}

/** @throws TroupeError bad_request with --fix or --before-upgrade */
async function examinedThere({ on }: Arguments, remote: Remote): Promise<Examination> {
  if (on.has('fix'))
    throw new TroupeError(
      'bad_request',
      'doctor: --fix needs a home that no engine is running on, and that server is: run it there without --url, when it has ended'
    )
  if (on.has('before-upgrade'))
    throw new TroupeError(
      'bad_request',
      'doctor: --before-upgrade looks at a home with the eyes of this release: run this release on the machine of the server, without --url'
    )
  const { apiOf } = await import('../remote/api.ts')
  return apiOf(remote).examineHome()
}

type Finding = Examination['findings'][number]

/** What was examined; an unreadable store is not an empty one. */
function seenOf(runs: number | undefined, engine: number | undefined): string {
  if (engine !== undefined)
    return `${runs === undefined ? 'its runs cannot be counted' : counted(runs, 'run')}; the engine with process id ${engine} is running`
  return runs === undefined
    ? 'the store cannot be read, and it is unknown whether an engine is running'
    : `${counted(runs, 'run')}; no engine is running`
}

/** A line for each finding and one for its fix, the worst first. */
function findingLines(findings: Finding[], label: (finding: Finding) => string, paint: Paint): string[] {
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
  const counts = [counted(error, 'error'), counted(warning, 'warning'), counted(note, 'note')].join(', ')
  return fixable === 0 ? counts : `${counts}; troupe doctor --fix fixes ${fixable} of them`
}
