/** `troupe test`: plays test files on engines in memory. Opens no home, starts no step. Source: embedding 3. */
import { readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pause } from '../../../clock.ts'
import { messageOf, TroupeError } from '../../../errors.ts'
import type { SuiteResult } from '../../../testing/suite/play-suite.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { oneLine } from '../../view/text.ts'

const NAME = /\.test\.ya?ml$/
/** Files that are found below a folder, at most. */
const MOST_FILES = 10_000
/** How often watched files are looked at. */
const LOOK_MS = 300
const FORMATS = ['text', 'tap', 'junit']

export const run: CommandModule['run'] = async (args, context) => {
  const { format = 'text' } = args.text
  if (!FORMATS.includes(format))
    throw new TroupeError('bad_request', `test: --format: wanted text, tap or junit, found ${JSON.stringify(format)}`)
  if (!args.on.has('watch')) return playOnce(args, context, format).then(({ code }) => code)
  let isAsked = false
  const stop = new AbortController()
  const unlisten = context.onSignal(() => {
    isAsked = true
    stop.abort()
  })
  try {
    while (!isAsked) {
      const { watched } = await playOnce(args, context, format)
      const before = stampsOf(watched)
      if (!args.on.has('quiet')) context.err.write('waiting for a change; Ctrl-C ends\n')
      while (!isAsked && stampsOf(watched) === before) await pause(context.clock, LOOK_MS, stop.signal)
    }
    return 0
  } finally {
    unlisten()
  }
}

async function playOnce(
  args: Arguments,
  context: CliContext,
  format: string
): Promise<{ code: number; watched: string[] }> {
  const { out, cwd, clock } = context
  const files = filesOf(args.operands, cwd)
  const { playSuite } = await import('../../../testing/suite/play-suite.ts')
  const results: SuiteResult[] = []
  const options = { coverage: args.on.has('coverage'), elapsed: () => clock.elapsed() }
  for (const file of files) results.push(await playSuite(file, cwd, options))
  const reports = await import('../../../testing/suite/reports.ts')
  const { passed, failed, unread } = reports.totalsOf(results)
  if (args.on.has('quiet')) printFailures(results, context)
  else if (args.on.has('json'))
    out.write(
      `${JSON.stringify(asJson(results, reports.mergedCoverage(results), { passed, failed }, options.coverage))}\n`
    )
  else {
    const report = format === 'tap' ? reports.tapReport : format === 'junit' ? reports.junitReport : reports.textReport
    out.write(report(results))
    // The coverage is no part of the two formats for programs.
    if (options.coverage) (format === 'text' ? out : context.err).write(reports.coverageReport(results))
  }
  return { code: failed + unread > 0 ? 1 : 0, watched: results.flatMap(({ watched }) => watched) }
}

function asJson(results: readonly SuiteResult[], coverage: unknown, totals: object, isCovered: boolean): object {
  const files = results.map(({ file, problems, tests }) => ({ file, problems, tests }))
  return { ...totals, files, ...(isCovered ? { coverage } : {}) }
}

function printFailures(results: readonly SuiteResult[], { err }: CliContext): void {
  for (const { file, problems, tests } of results)
    for (const { message, line, column } of [...problems, ...tests.flatMap(({ failures }) => failures)])
      err.write(`${[file, line, column].filter((part) => part !== undefined).join(':')}: ${oneLine(message)}\n`)
}

/** Folders are searched, hidden ones and `node_modules` left out. @throws TroupeError bad_request, not_found */
function filesOf(operands: readonly string[], cwd: string): string[] {
  const found = (operands.length > 0 ? operands : ['.']).flatMap((operand) => {
    const path = resolve(cwd, operand)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) throw new TroupeError('not_found', `test: there is no file ${operand}`)
    if (stat.isDirectory()) return [...below(path)].sort().map((file) => relative(cwd, file))
    if (!NAME.test(path))
      throw new TroupeError('bad_request', `test: wanted a file NAME.test.yaml or a folder, found ${operand}`)
    return [operand]
  })
  if (found.length === 0)
    throw new TroupeError(
      'not_found',
      `test: there is no file *.test.yaml in ${operands.join(' ') || 'the working folder'}`
    )
  if (found.length > MOST_FILES)
    throw new TroupeError('bad_request', `test: wanted at most ${MOST_FILES} files, found ${found.length}`)
  return [...new Set(found)]
}

function* below(folder: string): Generator<string> {
  let entries: ReturnType<typeof entriesOf>
  try {
    entries = entriesOf(folder)
  } catch (error) {
    throw new TroupeError('bad_request', `test: ${folder} cannot be read: ${messageOf(error)}`)
  }
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* below(path)
    else if (NAME.test(entry.name)) yield path
  }
}
const entriesOf = (folder: string) => readdirSync(folder, { withFileTypes: true })

const stampsOf = (paths: readonly string[]): string =>
  paths
    .map((path) => {
      const { mtimeMs = 0, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
      return `${path} ${mtimeMs} ${size}`
    })
    .join('\n')
