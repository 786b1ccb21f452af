/**
 * What is evaluated when a run is loaded: dotenv, DAG `env`, folders, shell. It sees the server's whole environment.
 * Source: execution-semantics 3.3, 3.7, 4.4.
 */
import { join, resolve } from 'node:path'
import type { EnvEntry, Plan, RunKey } from '../../../machines/vocabulary.ts'
import { beginningOf, isTooLong, tooLong } from '../../definition/shell/longest-text.ts'
import { readerOfText, shellCommand } from '../../definition/shell/shell.ts'
import { isFoundByShell } from '../../definition/shell/shell-values.ts'
import { splitWords } from '../../definition/shell/words.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { expandField, noting } from '../../definition/text/variables.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import type { ExecutionEnd } from '../../executors/executor.ts'
import type { CommandRules } from '../../executors/limits/step-policy.ts'
import { asAccount } from '../../platform/account.ts'
import { atHome } from '../../platform/at-home.ts'
import { makeWorkingFolder } from '../../platform/make-folder.ts'
import { fittingEnvironment } from '../step/fitting-environment.ts'
import { type Dotenv, readDotenv } from './dotenv-file.ts'
import { fileSafe } from './log-names.ts'

/** The input of the evaluation. */
export interface EnvironmentInput {
  /** The server's own environment. */
  environment: Readonly<Record<string, string>>
  defaultShell: string
  /** Names of variables in `environment` that come from a calling run and are data. */
  data?: ReadonlySet<string>
  /** Runs backtick commands; absent: the default shell does. */
  backticks?: ((command: string) => Promise<string>) | undefined
  /** Rules for backtick commands, by the definition's group; absent: none. */
  commands?: ((plan: Pick<Plan, 'group'>) => CommandRules | undefined) | undefined
  /** Kills backtick commands. */
  signal?: AbortSignal | undefined
}

/** Which variables of a lookup are data, and whether the DAG inserts data into its commands as text nevertheless. */
export interface DataNames {
  names: Set<string>
  asText: boolean
  /** Group of the definition. */
  group: string
}

export const dataNames = (
  { shellExpansion, group }: Pick<Plan, 'shellExpansion' | 'group'>,
  names: Iterable<string>
): DataNames => ({
  names: new Set(names),
  asText: shellExpansion === 'text',
  group
})

/** Runs a backtick command by the default shell, whose setting is split like a command line. Source: execution-semantics 3.1.2, 4.2.3. */
export const substitution = (defaultShell: string, command: string): string[] =>
  shellCommand(splitWords(defaultShell), command)

// D9, D701: the `env` of a DAG is evaluated when a run starts and again after a restart
/**
 * Variables of the server, overlaid by `values`; backticks run with them. Both may grow afterwards.
 * @param data absent: no backtick command runs
 * @param group of the definition; default: as `data` says
 */
export function loadLookup(
  values: Record<string, string>,
  data: DataNames | undefined,
  { environment: all, defaultShell, backticks, commands, signal }: EnvironmentInput,
  group = data?.group
): Lookup {
  const { refused, account, seen, enter } = (group === undefined ? undefined : commands?.({ group })) ?? {}
  const environment = seen?.(all) ?? all
  return {
    substitutesBy: readerOfText(defaultShell),
    variable: (name) => values[name] ?? (Object.hasOwn(environment, name) ? environment[name] : undefined),
    async substitute(command) {
      if (refused !== undefined) throw new Error(`the command "${command}" is not executed: ${refused}`)
      if (backticks) return backticks(command)
      const { execa } = await import('execa') // a hundred modules that most engines never need
      if (isTooLong(command)) throw tooLong(`the backtick command \`${beginningOf(command)}\``, command)
      const group = enter?.()
      const argv = [...(group?.words ?? []), ...asAccount(account, substitution(defaultShell, command))]
      const [shell = 'sh', ...args] = argv
      const { exitCode, stdout, stderr, failed, shortMessage } = await execa(shell, args, {
        env: fittingEnvironment({ ...environment, ...values }),
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
        ...(account ? { cwd: '/' } : {}),
        ...(signal ? { cancelSignal: signal } : {})
      })
      const { limit } = group?.over<Pick<ExecutionEnd, 'exitCode' | 'limit'>>({ exitCode: exitCode ?? -1 }) ?? {}
      if (!failed) return stdout.trim()
      const how = exitCode === undefined ? shortMessage : `exit status ${exitCode}`
      const cause = limit === undefined ? how : `${how}: ${limit}`
      throw new Error(`failed to execute command "${command}": ${cause}${stderr && `\n${stderr}`}`)
    },
    ...(data && { isData: (name: string) => data.names.has(name), isExported: isFoundByShell, asText: data.asText })
  }
}

/** Variables of a run, by rank 6 (dotenv) before 7 (DAG `env`). In memory only: they are never stored. */
export interface LoadedEnv {
  values: Record<string, string>
  /** Names of variables in `values`, or from a calling run, that are data. */
  data: ReadonlySet<string>
  /** Sentences for the run log. */
  warnings: string[]
}

/** @param own directory of a run without a definition file @throws TroupeError bad_request */
export async function loadEnv(plan: Plan, own: string, context: EnvironmentInput): Promise<LoadedEnv> {
  const { values: dotenv, warnings } = await dotenvOf(plan, own, context)
  const { values, data } = await evaluateEnv(plan, plan.env, dotenv, context)
  return { values, data, warnings }
}

/** The `env` entries; each sees the ones before it, and a dotenv value hides an entry of the same name. @throws TroupeError bad_request */
async function evaluateEnv(
  plan: Plan,
  entries: EnvEntry[],
  dotenv: Record<string, string>,
  context: EnvironmentInput
): Promise<Pick<LoadedEnv, 'values' | 'data'>> {
  const values: Record<string, string> = Object.assign(Object.create(null), dotenv)
  const data = dataNames(plan, context.data ?? [])
  for (const key of Object.keys(dotenv)) data.names.delete(key)
  const known = loadLookup(values, data, context)
  for (const { key, value } of entries) {
    const { look, wasData } = noting(value, known)
    const expanded = await evaluated(`field 'env': ${key}`, value, look)
    values[key] = dotenv[key] ?? expanded
    if (wasData() && dotenv[key] === undefined) data.names.add(key)
    else data.names.delete(key)
  }
  return { values, data: data.names }
}

/**
 * Choice: the dotenv file is looked up before DAG `env` is evaluated, because `env` may refer to it. If the working directory
 * depends on `env`, the entries it needs are evaluated first, without dotenv, to know where to look.
 */
export async function dotenvOf(plan: Plan, own: string, context: EnvironmentInput): Promise<Dotenv> {
  const look = loadLookup({}, dataNames(plan, context.data ?? []), context)
  const paths = plan.dotenv.map(async (path) =>
    atHome(await evaluated("field 'dotenv': a path", path, look), homeFor(plan, context))
  )
  const listed = (await Promise.all(paths)).filter((path) => path !== '')
  if (listed.length === 0) return { values: {}, warnings: [] }
  const { sourceDir } = plan
  const folder = await evaluateEnv(plan, neededBy(plan), {}, context)
    .then(({ values }) => directoryOf(plan, values, own, context))
    .catch(() => undefined) // A file next to the definition may contain what is missing.
  const folders = [folder, sourceDir].filter((folder) => folder !== undefined)
  return readDotenv(listed, folders, look.variable, context.commands?.(plan)?.account)
}

/** The `env` entries that the working directory depends on, directly or indirectly. */
function neededBy({ workingDir = '', env }: Plan): EnvEntry[] {
  const names = new Set(namesIn(workingDir))
  const needed: EnvEntry[] = []
  for (const entry of env.toReversed()) {
    if (!names.has(entry.key)) continue
    for (const name of namesIn(entry.value)) names.add(name)
    needed.unshift(entry)
  }
  return needed
}

const namesIn = (text: string) => Array.from(text.matchAll(/\$\{?#?(\w+)/g), ([, name = '']) => name)

async function evaluated(what: string, text: string, look: Lookup): Promise<string> {
  try {
    return await expandField(text, look)
  } catch (cause) {
    throw new TroupeError('bad_request', `${what} cannot be evaluated: ${messageOf(cause)}`, { cause })
  }
}

/** What `~` is in a definition; undefined: that of the engine's user. */
const homeFor = (plan: Pick<Plan, 'group'>, { commands }: EnvironmentInput) => commands?.(plan)?.account?.home

/** The DAG's working directory, absolute. It may not exist. */
export async function directoryOf(
  plan: Plan,
  env: Record<string, string>,
  own: string,
  context: EnvironmentInput
): Promise<string> {
  const { substitute: _, ...look } = loadLookup(env, undefined, context, plan.group)
  const home = plan.home ?? plan.sourceDir ?? own
  if (plan.workingDir === undefined) return home
  return resolve(home, atHome(await expandField(plan.workingDir, look), homeFor(plan, context)))
}

/** The DAG's working directory, created if it is missing. @param own directory of a run without a definition file */
export async function workingDirOf(
  plan: Plan,
  env: Record<string, string>,
  own: string,
  context: EnvironmentInput,
  make: (dir: string) => Promise<void> = makeWorkingFolder
): Promise<string> {
  const dir = await directoryOf(plan, env, own, context)
  try {
    await make(dir)
  } catch (cause) {
    throw new TroupeError('internal_error', `the working directory ${messageOf(cause)}`, { cause })
  }
  return dir
}

export async function shellOf(
  plan: Plan,
  env: Record<string, string>,
  context: EnvironmentInput
): Promise<string[] | undefined> {
  const { substitute: _, ...look } = loadLookup(env, undefined, context, plan.group)
  return plan.shell && Promise.all(plan.shell.map((word) => expandField(word, look)))
}

/** Working directory of a run that has no definition file; removed with the run. */
export const ownFolder = (dataDir: string, { name, dagRunId }: RunKey): string =>
  join(dataDir, 'work', fileSafe(name), dagRunId)
