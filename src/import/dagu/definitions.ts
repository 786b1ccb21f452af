/** Definitions and the base file of a home: as they are where this engine can load them, else translated, else with what is wrong. */
import { basename, dirname, join } from 'node:path'
import type { Problem } from '../../definition/definition.ts'
import { readDefinition } from '../../definition/read.ts'
import { MAX_TEXT_BYTES } from '../../definition/yaml/nesting.ts'
import type { Part, Report } from '../report.ts'
import { entriesIn, readIn } from '../source.ts'
import type { Places } from './places.ts'
import type { Change, Release } from './translate/pen.ts'
import { untold } from './translate/told.ts'
import { type Around, type Translated, translated } from './translate/translated.ts'

/** A file to be written. */
export interface FileToWrite {
  part: 'definitions' | 'base' | 'configuration'
  path: string
  bytes: Buffer
  /** The name in the report. */
  what: string
}

const FILE = /^([A-Za-z0-9_-][A-Za-z0-9_.-]*)\.(yaml|yml)$/

export interface FoundDefinitions {
  files: FileToWrite[]
  /** Name in the text, or that of the file, to the name of the file. */
  byName: Map<string, string>
}

/** @param to folder of the definitions of this home @param base as it comes over @param release of files that do not tell it */
export function definitionsOf(
  { dags }: Pick<Places, 'dags'>,
  { to, base, release }: { to: string; base: FileToWrite | undefined; release: Release | undefined },
  report: Report
): FoundDefinitions {
  const left = (what: string, text: string, advice: string) =>
    report.add({ part: 'definitions', kind: 'left', what, text, advice })
  const entries = entriesIn(dags, (text) => left(dags, text, 'name the folder with --dags'))
  const isDefinition = new Set(entries.flatMap(({ name }) => FILE.exec(name)?.[1] ?? []))
  const found: FoundDefinitions = { files: [], byName: new Map() }
  for (const entry of entries) {
    const { name } = entry
    if (entry.isDirectory()) {
      if (entriesIn(join(dags, name)).some((one) => FILE.test(one.name)))
        left(
          `${name}/`,
          'is a folder with definitions',
          'all definitions lie in one folder here: import it with --dags, or move its files'
        )
      continue
    }
    const fileName = FILE.exec(name)?.[1]
    if (fileName === undefined) {
      if (/\.ya?ml$/.test(name))
        left(
          name,
          'no definition can have this file name here',
          'rename it: letters, digits, dashes, dots and underscores'
        )
      continue
    }
    if (name.endsWith('.yml') && entries.some((one) => one.name === `${fileName}.yaml`)) {
      left(name, 'there is a .yaml of the same name', 'rename one of them')
      continue
    }
    const tested = /^(.+)\.test$/.exec(fileName)?.[1]
    if (tested !== undefined && isDefinition.has(tested)) {
      left(name, `would be a test of ${tested} here`, 'rename it')
      continue
    }
    const read = readIn(dags, name, MAX_TEXT_BYTES)
    if ('problem' in read) {
      left(
        read.line === undefined ? name : `${name}:${read.line}`,
        read.problem,
        'copy it by hand when it has been mended'
      )
      continue
    }
    const around = { isDefinition: (one: string) => isDefinition.has(one), ...(release ? { release } : {}) }
    const made = oneOf(name, fileName, read, { dags: to, base, around }, report)
    found.files.push({ part: 'definitions', path: join(to, name), bytes: made.bytes, what: name })
    for (const { name, text } of made.schemas)
      found.files.push({ part: 'definitions', path: join(to, name), bytes: Buffer.from(text), what: name })
    found.byName.set(made.name, fileName)
  }
  return found
}

function oneOf(
  what: string,
  fileName: string,
  read: { text: string; bytes: Buffer },
  {
    dags,
    base,
    around
  }: { dags: string; base: FileToWrite | undefined; around: Pick<Around, 'isDefinition' | 'release'> },
  report: Report
): { name: string; bytes: Buffer; schemas: Translated['schemas'] } {
  const baseHasType = base !== undefined && /^type:/m.test(base.bytes.toString())
  const { text, changes, schemas } = translated(read.text, { ...around, baseHasType, fileName })
  const isSame = text === read.text
  const { name, problems } = readDefinition(text, {
    fallbackName: fileName,
    sourceDir: dags,
    ...(base ? { base: { text: base.bytes.toString(), path: base.path } } : {})
  })
  sayComes(report, 'definitions', what, isSame)
  tell(
    report,
    { part: 'definitions', what, advice: 'correct it before it can run: troupe edit', isSame },
    changes,
    problems
  )
  return { name: name || fileName, bytes: isSame ? read.bytes : Buffer.from(text), schemas }
}

/** Undefined: there is none, or it cannot be read. */
export function baseOf({ base }: Pick<Places, 'base'>, to: string, report: Report): FileToWrite | undefined {
  const what = basename(base)
  const read = readIn(dirname(base), what, MAX_TEXT_BYTES)
  if ('problem' in read) {
    if (read.problem !== 'is missing')
      report.add({ part: 'base', kind: 'left', what, text: read.problem, advice: 'copy it by hand' })
    return undefined
  }
  const { text, changes } = translated(read.text, { isDefinition: () => false })
  const isSame = text === read.text
  const { problems } = readDefinition('steps: []\n', { name: 'base', base: { text, path: to } })
  const isRead = problems.length === 0
  if (isRead) sayComes(report, 'base', what, isSame)
  tell(report, { part: 'base', what, advice: 'correct it, and import again', isSame }, changes, problems)
  return isRead ? { part: 'base', path: to, bytes: isSame ? read.bytes : Buffer.from(text), what } : undefined
}

const sayComes = (report: Report, part: Part, what: string, isSame: boolean): void =>
  report.add({ part, kind: isSame ? 'taken' : 'translated', what, text: isSame ? 'as it is' : 'with other words' })

/** What was changed, and what is wrong with the result. Lines of problems are those of the text as it was, where that was read. */
function tell(
  report: Report,
  { part, what, advice, isSame }: { part: Part; what: string; advice: string; isSame: boolean },
  changes: readonly Change[],
  problems: readonly Problem[]
): void {
  for (const { kind, paths: _, ...change } of changes) report.add({ part, kind, what, ...change })
  for (const problem of problems) {
    const text = untold(problem, changes)
    const { line } = problem
    if (text !== undefined)
      report.add({ part, kind: 'left', what, text, advice, ...(line === undefined || !isSame ? {} : { line }) })
  }
}
