/** `troupe import crontab`. */
import { execFile } from 'node:child_process'
import { hostname, userInfo } from 'node:os'
import { resolve } from 'node:path'
import { text as textOfStream } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Config } from '../../../config.ts'
import { messageOf, TroupeError } from '../../../errors.ts'
import { type CrontabOptions, crontabsAt, type ImportedCrontab, importCrontab } from '../../../import/cron/import.ts'
import { needsWork, openReport, placeOf, type Report } from '../../../import/report.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { entered } from '../../owner/entered.ts'
import { reportLines } from './report-lines.ts'

/** @param args as given @param own with the home that is imported into */
export async function run(args: Arguments, own: Arguments, context: CliContext): Promise<number> {
  const { out, cwd, configure } = context
  for (const flag of ['only', 'from', 'enqueue'])
    if (args.on.has(flag) || args.text[flag] !== undefined)
      throw new TroupeError('bad_request', `import crontab: --${flag} is for import dagu`)
  // Nothing here has a home of its own, so the flag means what it means for every other command.
  const home = own.text.home ?? (args.text.home === undefined ? undefined : resolve(cwd, args.text.home))
  const config = configure(settingsOf({ ...own, text: { ...own.text, ...(home === undefined ? {} : { home }) } }))
  const dryRun = args.on.has('dry-run')
  const report = openReport()
  const crontabs = await asked(args, cwd, report)
  const self = { user: userInfo().username, host: hostname() }
  const { made } = importCrontab({ config, crontabs, self, dryRun, overwrite: args.on.has('overwrite') }, report)
  if (!dryRun) await enteredAll(made, crontabs, context, config)
  const code = needsWork(report) ? 3 : 0
  if (args.on.has('quiet')) return code
  if (args.on.has('json')) {
    const entries = report.entries.map((entry) => ({ ...entry, at: placeOf(entry) }))
    out.write(`${JSON.stringify({ home: config.home, dryRun, definitions: made, entries })}\n`)
    return code
  }
  const from = crontabs.map(({ name }) => name).join(', ') || 'crontab'
  out.write(reportLines(report, { from, to: config.dagsDir, dryRun }, context))
  if (dryRun) for (const { fileName, text, isNew } of made) if (isNew) out.write(`\n--- ${fileName}.yaml\n${text}`)
  return code
}

async function enteredAll(
  made: ImportedCrontab['made'],
  crontabs: CrontabOptions['crontabs'],
  context: CliContext,
  config: Config
): Promise<void> {
  if (!config.audit.enabled) return
  const { digestOf } = await import('../../../audit/bounded.ts')
  const from = crontabs.map(({ name }) => name).join(', ')
  const entries = made.flatMap(({ fileName, text, isNew }) =>
    isNew ? [{ operation: 'importCrontab', target: { fileName }, after: { from, text: digestOf(text) } }] : []
  )
  await entered(context, config, ...entries)
}

/** A file or a folder, stdin (`-`), or what `crontab -l` prints. @throws TroupeError */
async function asked(args: Arguments, cwd: string, report: Report): Promise<CrontabOptions['crontabs']> {
  const [, path, ...more] = args.operands
  if (more.length > 0)
    throw new TroupeError('bad_request', `import crontab: wanted one file, found ${[path, ...more].join(' ')}`)
  const hasUser = args.on.has('user-column')
  if (path === '-') return [{ name: 'stdin', text: await textOfStream(process.stdin), hasUser }]
  if (path !== undefined) return crontabsAt(resolve(cwd, path), hasUser || undefined, report)
  try {
    const { stdout } = await promisify(execFile)('crontab', ['-l'], { maxBuffer: 1024 * 1024 })
    return [{ name: 'crontab -l', text: stdout, hasUser }]
  } catch (error) {
    throw new TroupeError(
      'not_found',
      `crontab -l printed no crontab: ${messageOf(error).trim()}; name a file, or - for stdin`,
      { cause: error }
    )
  }
}
