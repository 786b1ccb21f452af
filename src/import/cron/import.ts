/** Imports crontabs: a definition for each line. */
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { readDefinition } from '../../definition/read.ts'
import { TroupeError } from '../../errors.ts'
import { shellWord } from '../../platform/shell/shell-word.ts'
import { openReport, type Report } from '../report.ts'
import { entriesIn, MIB, readIn } from '../source.ts'
import { stateOf, writeWhole } from '../written.ts'
import { definitionOf, type Self } from './definition.ts'
import { knownIn, matched } from './identity.ts'
import { nameFor, uniqueNames } from './names.ts'
import { parseCrontab } from './parse.ts'

export interface CrontabOptions {
  config: Pick<Config, 'dagsDir'>
  /** Each with a name for people. */
  crontabs: readonly { name: string; text: string; hasUser: boolean }[]
  self: Self
  dryRun: boolean
  overwrite: boolean
}

export interface ImportedCrontab {
  report: Report
  /** Definitions, with their text. */
  made: { fileName: string; path: string; text: string; isNew: boolean }[]
}

/** @param report hears of problems that were found on the way here */
export function importCrontab(options: CrontabOptions, report: Report = openReport()): ImportedCrontab {
  const { config, crontabs, self, dryRun, overwrite } = options
  const known = knownIn(config.dagsDir)
  const unique = uniqueNames(known.map(({ fileName }) => fileName))
  const made: ImportedCrontab['made'] = []
  for (const { name: from, text, hasUser } of crontabs) {
    const { jobs, odd } = parseCrontab(text, hasUser)
    const at = (line: number) => ({ part: 'definitions', what: from, line }) as const
    for (const { line, text, isOff } of odd)
      report.add(
        isOff
          ? {
              ...at(line),
              kind: 'left',
              text: 'a line that is switched off by a comment'
            }
          : {
              ...at(line),
              kind: 'left',
              text: `no line of a crontab: ${text.trim().slice(0, 80)}`,
              advice: hasUser
                ? 'wanted five fields, a user and a command'
                : 'wanted five fields and a command; --user-column for lines with a user'
            }
      )
    const earlier = matched(jobs, from, known)
    for (const job of jobs) {
      const before = earlier.get(job)
      const fileName = before?.fileName ?? unique(nameFor(job.command))
      const { text, notes } = definitionOf(job, fileName, from, self)
      const path = join(config.dagsDir, `${fileName}.yaml`)
      const bytes = Buffer.from(text)
      const state = stateOf(path, bytes)
      const { problems } = readDefinition(text, { fallbackName: fileName, sourceDir: config.dagsDir })
      const said = `${fileName}.yaml`
      const replaces = overwrite || before?.isUntouched === true
      if (state === 'same') report.add({ ...at(job.line), kind: 'there', text: `${said} is here already` })
      else if (state === 'different' && !replaces)
        report.add({
          ...at(job.line),
          kind: 'left',
          text: `${said} is here already, and differs`,
          advice: 'rename or compare it; --overwrite replaces it'
        })
      else report.add({ ...at(job.line), kind: 'taken', text: state === 'free' ? said : `${said}, which it replaces` })
      for (const note of notes) report.add({ ...at(job.line), ...note })
      for (const { message } of problems)
        report.add({
          ...at(job.line),
          kind: 'left',
          text: message,
          advice: `correct ${said} before it can run: troupe edit ${shellWord(fileName)}`
        })
      const isNew = state === 'free' || (state === 'different' && replaces)
      if (isNew && !dryRun) writeWhole(path, bytes, replaces)
      made.push({ fileName, path, text, isNew })
    }
    const kept = new Set(earlier.values())
    for (const one of known)
      if (one.from === from && !kept.has(one))
        report.add({
          part: 'definitions',
          kind: 'left',
          what: from,
          text: `${one.fileName}.yaml was made of a line that is there no more: ${one.line.slice(0, 80)}`,
          advice: `remove ${join(config.dagsDir, `${one.fileName}.yaml`)}, or it goes on`
        })
  }
  return { report, made }
}

/** cron itself reads no file of these names. */
const IGNORED = /[^A-Za-z0-9_-]/

// D1511: lines have a user where the file is one of the system
/**
 * The crontabs at a path: a file, or a folder such as /etc/cron.d.
 * @param hasUser lines have a user; absent: those of /etc have @throws TroupeError not_found, bad_request
 */
export function crontabsAt(path: string, hasUser: boolean | undefined, report: Report): CrontabOptions['crontabs'] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new TroupeError('not_found', `wanted a crontab, found nothing at ${path}`)
  const isSystem = hasUser ?? (path === '/etc/crontab' || /^\/etc\/cron\.d(\/|$)/.test(path))
  const names = found.isDirectory() ? entriesIn(path).map(({ name }) => name) : [basename(path)]
  const folder = found.isDirectory() ? path : dirname(path)
  return names.flatMap((name) => {
    const full = join(folder, name)
    const left = (text: string, advice?: string) => {
      report.add({ part: 'definitions', kind: 'left', what: full, text, ...(advice === undefined ? {} : { advice }) })
      return []
    }
    if (found.isDirectory() && IGNORED.test(name)) return left('cron reads no file of this name')
    const read = readIn(folder, name, MIB)
    if (!('problem' in read)) return [{ name: full, text: read.text, hasUser: isSystem }]
    if (!found.isDirectory()) throw new TroupeError('bad_request', `${full} ${read.problem}`)
    return left(read.problem, 'import it by itself')
  })
}
