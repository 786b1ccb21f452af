/** `troupe import dagu`. */
import { basename, dirname, resolve } from 'node:path'
import type { OwnersEntry } from '../../../api/contract/owner-operations.ts'
import type { Config } from '../../../config.ts'
import { TroupeError } from '../../../errors.ts'
import { type ImportedHome, importDagu } from '../../../import/dagu/import.ts'
import { needsWork, PARTS, type Part, placeOf } from '../../../import/report.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { entered } from '../../owner/entered.ts'
import { type Queued, queuedAgain } from './queued.ts'
import { reportLines } from './report-lines.ts'

/** @param args as given @param own with the home that is imported into */
export async function run(args: Arguments, own: Arguments, context: CliContext): Promise<number> {
  if (args.operands.length > 1)
    throw new TroupeError(
      'bad_request',
      `import dagu: wanted nothing more, found ${args.operands[1]}; --home names the home of Dagu`
    )
  const { out, err, cwd, clock, configure } = context
  const { home, dags, only, from } = args.text
  const { dags: _dags, from: _from, ...text } = own.text
  const settings = settingsOf({ ...own, text })
  const config = configure(settings)
  const dryRun = args.on.has('dry-run')
  const done = await importDagu({
    config,
    clock,
    dryRun,
    only: partsOf(only),
    overwrite: args.on.has('overwrite'),
    environment: config.environment,
    ...(home === undefined ? {} : { home: resolve(cwd, home) }),
    ...(dags === undefined ? {} : { dags: resolve(cwd, dags) }),
    ...(from === undefined ? {} : { from })
  })
  const { places, report, waiting, files, runs } = done
  await entered(context, config, ...entriesOf(done, config))
  const wantsQueued = args.on.has('enqueue') && !dryRun
  const queued: Queued[] = wantsQueued ? await queuedAgain(waiting, settings, context, report) : []
  if (!wantsQueued)
    for (const { name, dagRunId } of waiting)
      report.add({
        part: 'queues',
        kind: 'left',
        what: `run ${dagRunId} of ${name}`,
        text: 'waits in its queue',
        advice: 'take it out of the queue of Dagu and import with --enqueue, or let Dagu run it'
      })
  const code = needsWork(report) ? 3 : 0
  if (args.on.has('quiet')) return code
  if (args.on.has('json')) {
    const { entries } = report
    const shown = entries.map((entry) => ({ ...entry, at: placeOf(entry) }))
    out.write(
      `${JSON.stringify({ from: places.home, home: config.home, dryRun, files, runs, queued, entries: shown })}\n`
    )
    return code
  }
  out.write(reportLines(report, { from: `Dagu in ${places.home}`, to: config.home, dryRun }, context))
  if (!dryRun) err.write(`${files.length} files and ${runs} runs written\n`)
  return code
}

/** One for each definition, and one for all that is not. */
function entriesOf({ places, files, flags, runs }: ImportedHome, { dagsDir }: Pick<Config, 'dagsDir'>): OwnersEntry[] {
  const operation = 'importDagu'
  const from = places.home
  const isDefinition = (path: string) => dirname(path) === dagsDir && /\.ya?ml$/.test(path)
  const [own, others] = [files.filter((path) => isDefinition(path)), files.filter((path) => !isDefinition(path))]
  const definitions = own.map((path) => ({
    operation,
    target: { fileName: basename(path).replace(/\.ya?ml$/, '') },
    after: { from }
  }))
  if (others.length + flags.length + runs === 0) return definitions
  return [...definitions, { operation, target: { from }, after: { files: others, suspended: flags, runs } }]
}

/** @throws TroupeError bad_request */
function partsOf(words: string | undefined): ReadonlySet<Part> {
  if (words === undefined) return new Set(PARTS)
  const wanted = words.split(',').map((word) => word.trim())
  const odd = wanted.find((word) => !PARTS.some((part) => part === word))
  if (odd !== undefined)
    throw new TroupeError('bad_request', `--only: wanted some of ${PARTS.join(', ')}, found ${JSON.stringify(odd)}`)
  return new Set(PARTS.filter((part) => wanted.includes(part)))
}
