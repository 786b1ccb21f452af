/** Reads and plays test files: the definitions they are about, the names in them, then one test after the other. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Plan } from '../../../machines/vocabulary.ts'
import type { Problem } from '../../definition/definition.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { stepKey } from '../mocks.ts'
import { openTestDefinitions } from '../test-definitions.ts'
import { type Coverage, type Covered, openCoverage } from './coverage.ts'
import { below, type Failure } from './expectations.ts'
import { stepNamed } from './mock-table.ts'
import { playTest, type SuiteFiles } from './play-test.ts'
import { type ReadSuite, readSuite } from './read-suite.ts'
import type { MockTable, Suite } from './suite.ts'

export interface TestResult {
  name: string
  ok: boolean
  /** Why the test has failed, each with its place in the file. */
  failures: (Pick<Problem, 'line' | 'column'> & { message: string })[]
  /** Real time. */
  ms: number
}
export interface SuiteResult {
  /** The file as it was named. */
  file: string
  /** Problems of the file; then nothing was played. */
  problems: Problem[]
  tests: TestResult[]
  coverage: Covered[]
  /** Absolute paths of all files that it depends on. */
  watched: string[]
}

export interface PlayOptions {
  /** Which steps, handlers and branches were reached is found out. */
  coverage?: boolean
  /** Monotonic ms. */
  elapsed(): number
}

const NAME = /\.test\.ya?ml$/
const EXTENSIONS = ['.yaml', '.yml']

/** @param file as named, from `cwd` */
export async function playSuite(
  file: string,
  cwd: string,
  { coverage = false, elapsed }: PlayOptions
): Promise<SuiteResult> {
  const path = resolve(cwd, file)
  const result: SuiteResult = { file, problems: [], tests: [], coverage: [], watched: [path] }
  const read = readAt(path)
  const { suite, placeOf } = read
  if (!suite) return { ...result, problems: read.problems }
  const files = filesOf(suite, path)
  result.watched = [path, ...files.map(({ path }) => path)]
  const missing = files.filter(({ path }) => !existsSync(path))
  if (missing.length > 0)
    return {
      ...result,
      problems: missing.map(({ path, field }) => ({
        message: `there is no definition ${path}`,
        path: field,
        ...placeOf(field)
      }))
    }
  let known: ReturnType<typeof definitionsOf>
  try {
    known = definitionsOf(files.map(({ path }) => path))
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    const errors = (error.details as { errors?: string[] } | undefined)?.errors ?? [error.message]
    return { ...result, problems: errors.map((message) => ({ message, path: 'workflow', ...placeOf('workflow') })) }
  }
  const problems = unknownNames(suite, known).map(({ message, path }) => ({ message, path, ...placeOf(path) }))
  if (problems.length > 0) return { ...result, problems }
  const covered: Coverage | undefined = coverage ? openCoverage(known.plans) : undefined
  for (const [index, test] of suite.tests.entries()) {
    const begun = elapsed()
    const { name, failures, runs } = await playTest(suite, test, `tests[${index}]`, known)
    covered?.note(runs)
    result.tests.push({
      name,
      ok: failures.length === 0,
      failures: failures.map(({ message, path }) => ({ message, ...nearestPlace(read, path) })),
      ms: Math.round(elapsed() - begun)
    })
  }
  return { ...result, coverage: covered?.list() ?? [] }
}

function readAt(path: string): ReadSuite {
  try {
    return readSuite(readFileSync(path, 'utf8'))
  } catch (error) {
    return { problems: [{ message: `it cannot be read: ${messageOf(error)}`, path: '' }], placeOf: () => ({}) }
  }
}

/** The place of a path; if it is not written out, that of what it belongs to. */
function nearestPlace({ placeOf }: ReadSuite, path: string): Pick<Problem, 'line' | 'column'> {
  for (let at = path; at !== ''; at = at.replace(/(^|\.)[^.[\]]*$|\[[^[\]]*\]$/, '')) {
    const place = placeOf(at)
    if (place.line !== undefined) return place
  }
  return placeOf('')
}

/** The definition that a test file is about, and the others that it names. */
function filesOf({ workflow, workflows = [] }: Suite, path: string): { path: string; field: string }[] {
  const folder = dirname(path)
  const named = basename(path).replace(NAME, '')
  const beside = EXTENSIONS.map((extension) => join(folder, named + extension))
  const main =
    workflow === undefined
      ? (beside.find((path) => existsSync(path)) ?? join(folder, `${named}.yaml`))
      : resolve(folder, workflow)
  return [
    { path: main, field: 'workflow' },
    ...workflows.map((one, index) => ({ path: resolve(folder, one), field: `workflows[${index}]` }))
  ]
}

/** @throws TroupeError bad_request: their problems */
function definitionsOf(files: readonly string[]) {
  const definitions = openTestDefinitions(files, '/nonexistent', '/nonexistent', new Map())
  const [first = ''] = files
  const plans = definitions.list().flatMap(({ definition: { plan } }): Plan[] => (plan ? [plan, ...plan.locals] : []))
  const { definition } = definitions.get(basename(first).replace(/\.ya?ml$/, ''))
  const known = definitions.known()
  definitions.close()
  return { files, dag: definition.name, steps: known.get(definition.name)?.steps ?? [], known, plans }
}

/** Steps that are mocked or expected, and are not there. */
function unknownNames(suite: Suite, { dag, steps, known }: ReturnType<typeof definitionsOf> & SuiteFiles): Failure[] {
  const failures: Failure[] = []
  const check = (name: string, path: string, isExpected: boolean) => {
    try {
      stepKey(stepNamed(dag, steps, name), known)
    } catch (error) {
      const message = messageOf(error)
      // A step that calls a workflow cannot be mocked, but something can be expected of it.
      if (!(isExpected && message.includes('calls the workflow')))
        failures.push({ message: message.replace(/^mock /, ''), path })
    }
  }
  const mocks = (table: MockTable | undefined, path: string) => {
    for (const name of Object.keys(table?.steps ?? {})) check(name, below(`${path}.steps`, name), false)
  }
  mocks(suite.mocks, 'mocks')
  for (const [index, test] of suite.tests.entries()) {
    const path = `tests[${index}]`
    mocks(test.mocks, `${path}.mocks`)
    const expected = (value: typeof test.expect, at: string) => {
      for (const name of Object.keys(value?.steps ?? {})) check(name, below(`${at}.steps`, name), true)
    }
    expected(test.expect, `${path}.expect`)
    for (const [number, act] of (test.do ?? []).entries()) {
      mocks(act.mock, `${path}.do[${number}].mock`)
      expected(act.expect, `${path}.do[${number}].expect`)
    }
  }
  return failures
}
