/** The definitions of a test, in memory: nothing is watched, and a file is read where it lies. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import type { Plan } from '../../machines/vocabulary.ts'
import { systemClock } from '../clock.ts'
import type { Definition } from '../definition/definition.ts'
import type { CustomTypes } from '../definition/fields/custom-types.ts'
import { problemText } from '../definition/problem-text.ts'
import { type ReadOptions, readDefinition } from '../definition/read.ts'
import { type Definitions, openDefinitions } from '../definitions/definitions.ts'
import type { StoredDefinition } from '../definitions/stored-definition.ts'
import { TroupeError } from '../errors.ts'
import type { SuspendFlags } from '../store/files/suspend-flags.ts'
import type { KnownSteps } from './mocks.ts'

/** A DAG of code: anything that can say itself as YAML. */
export interface CodeDag {
  readonly name: string
  toYaml(): string
}
/** The text of a definition, the path of a file, or a DAG of code. */
export type DagSource = string | CodeDag

export interface TestDefinitions extends Definitions {
  /** Steps and handlers by DAG, those of local workflows included. */
  known(): KnownSteps
}

/** How many a test may have. */
const MOST_DAGS = 10_000
// D1120: in `dags`, a text has a line break or begins with a field; anything else is the path of a file
const isText = (source: string) => source.includes('\n') || /^\s*[\w"']+\s*:\s/.test(source)

/**
 * @param folder of stored definitions, which is empty @param base file of the base configuration
 * @throws TroupeError bad_request naming all problems of all of them, not_found (a file)
 */
export function openTestDefinitions(
  sources: readonly DagSource[],
  folder: string,
  base: string,
  custom: CustomTypes
): TestDefinitions {
  if (sources.length > MOST_DAGS)
    throw new TroupeError('bad_request', `dags: wanted at most ${MOST_DAGS}, found ${sources.length}`)
  const files = openDefinitions(folder, base, systemClock, custom)
  const stored = new Map<string, { one: StoredDefinition; options: ReadOptions }>()
  let list: readonly StoredDefinition[] = []
  const errors: string[] = []

  function put(fileName: string, spec: string, options: ReadOptions): Definition {
    const definition = withoutFiles(readDefinition(spec, { ...options, custom }), options)
    stored.set(fileName, { one: { fileName, spec, definition, suspended: false }, options })
    list = Array.from(stored.values(), ({ one }) => one).sort((a, b) => (a.fileName < b.fileName ? -1 : 1))
    return definition
  }
  sources.forEach((source, index) => {
    const place = `dags[${index}]`
    const { spec, options, file } = readSource(source, place)
    const definition = readDefinition(spec, { ...options, custom })
    for (const problem of definition.problems) errors.push(`${file ?? place}: ${problemText(problem)}`)
    const { name } = definition
    if (!name) errors.push(`${place}: a text needs a name: its field "name", or a file of that name`)
    else if (stored.has(file ? basename(file, extname(file)) : name))
      errors.push(`${place}: there is another DAG named ${name}`)
    else put(file ? basename(file, extname(file)) : name, spec, options)
  })
  if (errors.length > 0) throw new TroupeError('bad_request', errors.join('; '), { details: { errors } })

  const there = (fileName: string) => {
    const found = stored.get(fileName)
    if (found) return found
    throw new TroupeError('not_found', `there is no definition named ${fileName}`)
  }
  async function problemsOf(fileName: string, spec: string): Promise<string[]> {
    return (await files.check(spec, { fallbackName: fileName })).problems.map(problemText)
  }
  const drop = (fileName: string) => {
    stored.delete(fileName)
    list = list.filter((one) => one.fileName !== fileName)
  }
  return {
    ...files,
    list: () => list,
    ready: async () => {},
    get: (fileName) => there(fileName).one,
    async find(fileName, name) {
      const { one, options } = there(fileName)
      return name === undefined ? one : { ...one, definition: readDefinition(one.spec, { ...options, custom, name }) }
    },
    async create(name, spec) {
      if (stored.has(name)) throw new TroupeError('already_exists', `a definition named ${name} exists`)
      const errors = await problemsOf(name, spec)
      if (errors.length > 0)
        throw new TroupeError('bad_request', `invalid spec: ${errors.join('; ')}`, { details: { errors } })
      put(name, spec, { fallbackName: name })
    },
    async replace(fileName, spec) {
      const { options } = there(fileName)
      const errors = await problemsOf(fileName, spec)
      if (errors.length === 0) put(fileName, spec, options)
      return errors
    },
    has: (fileName) => stored.has(fileName),
    checkFree(fileName) {
      if (stored.has(fileName)) throw new TroupeError('already_exists', `a definition named ${fileName} exists`)
    },
    remove(fileName) {
      there(fileName)
      drop(fileName)
    },
    rename(fileName, newFileName) {
      const { one } = there(fileName)
      drop(fileName)
      put(newFileName, one.spec, { fallbackName: newFileName })
    },
    finishRename() {},
    known() {
      const all = new Map<string, { steps: string[]; calls: Map<string, string> }>()
      const add = (plan: Plan): void => {
        const steps = [...plan.steps, ...Object.values(plan.handlers)]
        const calls = steps.flatMap(({ name, executor, call }) =>
          executor.type === 'dag' ? [[name, call ?? ''] as const] : []
        )
        all.set(plan.name, { steps: steps.map(({ name }) => name), calls: new Map(calls) })
        for (const local of plan.locals) add(local)
      }
      for (const { definition } of list) if (definition.plan) add(definition.plan)
      return all
    }
  }
}

/** A text has no folder in which a file of variables could lie. */
function withoutFiles(definition: Definition, { sourceDir }: ReadOptions): Definition {
  const { plan } = definition
  if (!plan || sourceDir !== undefined || plan.workingDir !== undefined || plan.dotenv.join() !== '.env')
    return definition
  return { ...definition, plan: { ...plan, dotenv: [] } }
}

function readSource(source: DagSource, place: string): { spec: string; options: ReadOptions; file?: string } {
  if (typeof source === 'object' && source !== null && typeof source.toYaml === 'function')
    return { spec: source.toYaml(), options: { fallbackName: source.name } }
  if (typeof source !== 'string')
    throw new TroupeError(
      'bad_request',
      `${place}: wanted the text of a definition, the path of a file, or a DAG of code`
    )
  if (isText(source)) return { spec: source, options: {} }
  const file = resolve(source)
  if (!existsSync(file)) throw new TroupeError('not_found', `${place}: there is no file ${source}`)
  return {
    spec: readFileSync(file, 'utf8'),
    options: { fallbackName: basename(file, extname(file)), sourceDir: dirname(file) },
    file
  }
}

/** Flags in memory. */
export function testFlags(): SuspendFlags {
  let names: ReadonlySet<string> = new Set()
  return {
    all: () => names,
    set(fileName, suspended) {
      const others = [...names].filter((name) => name !== fileName)
      names = new Set(suspended ? [...others, fileName] : others)
    },
    carry(fileName, newFileName, rename) {
      rename()
      if (names.has(fileName)) names = new Set([...[...names].filter((name) => name !== fileName), newFileName])
    }
  }
}
