/** Definitions that cannot run, and stray files in their folder. Source: api-semantics 3.2, 10.3. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { problemText } from '../definition/problem-text.ts'
import { type Definitions, openDefinitions } from '../definitions/definitions.ts'
import { messageOf, TroupeError } from '../errors.ts'
import { shellWord } from '../platform/shell/shell-word.ts'
import { suspendFlags } from '../store/files/suspend-flags.ts'
import type { Finding, Premises } from './finding.ts'

/** Age from which a temporary file is orphaned; a living writer needs a moment. */
const TEMPORARY = /^\.[0-9a-f]{16}\.tmp$/
const MOMENT_MS = 60_000

/** @param executors types that applications have registered with the home, valid in definitions */
export function* definitionProblems(
  { home, dagsDir, baseConfig, suspendFlagsDir, allowedTypes }: Premises,
  clock: Clock,
  executors: readonly string[]
): Generator<Finding> {
  let definitions: Definitions | undefined
  try {
    const custom = new Map(executors.map((type) => [type, {}]))
    definitions = openDefinitions(dagsDir, baseConfig, clock, custom, allowedTypes)
    if (dagsDir !== join(home, 'dags') && !existsSync(dagsDir)) yield noFolder(dagsDir)
    const names = new Map<string, string>()
    const files = new Set<string>()
    for (const { fileName, definition } of definitions.list()) {
      files.add(fileName)
      const [problem, ...more] = definition.problems
      if (problem)
        yield invalid(fileName, `${problemText(problem)}${more.length > 0 ? ` (and ${more.length} more)` : ''}`)
      const other = names.get(definition.name)
      if (other !== undefined) yield sameName(definition.name, other, fileName)
      names.set(definition.name, fileName)
    }
    yield* strayFiles(dagsDir, clock)
    yield* strayFlags(suspendFlagsDir, files, clock)
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    const mending = 'make it a folder that this user may read, or give another paths.dagsDir'
    yield { check: 'definitions', severity: 'error', message: error.message, mending }
  } finally {
    definitions?.close()
  }
}

function* strayFlags(folder: string, files: ReadonlySet<string>, clock: Clock): Generator<Finding> {
  if (existsSync(folder) && !statSync(folder).isDirectory()) return // reported with the home itself
  try {
    for (const fileName of suspendFlags(folder, clock).all())
      if (!files.has(fileName))
        yield {
          check: 'definitions',
          severity: 'note',
          message: `there is a suspend flag for ${fileName}, and no such definition`,
          mending: 'a definition of that name starts suspended; remove the flag if it should not'
        }
  } catch (error) {
    const mending = 'let the user that the engine runs as read it, or give another paths.suspendFlagsDir'
    yield { check: 'permissions', severity: 'error', message: messageOf(error), mending }
  }
}

const invalid = (fileName: string, problem: string): Finding => ({
  check: 'definitions',
  severity: 'warning',
  message: `definition ${fileName} cannot run: ${problem}`,
  mending: `fix the text; troupe validate ${shellWord(fileName)} shows all problems`
})

const noFolder = (dagsDir: string): Finding => ({
  check: 'definitions',
  severity: 'warning',
  message: `there is no folder of definitions at ${dagsDir}`,
  mending: 'create it, mount it, or set another paths.dagsDir; until then there are no definitions'
})

const sameName = (name: string, one: string, other: string): Finding => ({
  check: 'definitions',
  severity: 'warning',
  message: `definitions ${one} and ${other} have the same DAG name, ${name}: their runs are listed and limited together`,
  mending: 'give one of them another name'
})

function* strayFiles(folder: string, clock: Clock): Generator<Finding> {
  if (!existsSync(folder)) return
  const entries = readdirSync(folder)
  const known = new Set(entries)
  for (const entry of entries) {
    const path = join(folder, entry)
    if (entry.endsWith('.yml') && known.has(`${entry.slice(0, -4)}.yaml`))
      yield {
        check: 'definitions',
        severity: 'warning',
        message: `${path} is ignored: there is a .yaml file of that name`,
        mending: 'remove one of the two'
      }
    if (TEMPORARY.test(entry) && clock.now() - statSync(path).mtimeMs > MOMENT_MS)
      yield {
        check: 'definitions',
        severity: 'note',
        message: `${path} was left by an interrupted change; the definition is unchanged`,
        mending: 'troupe doctor --fix removes it',
        fix: () => rmSync(path, { force: true })
      }
  }
}
