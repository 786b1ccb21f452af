/** What is evaluated when a run is loaded: DAG `env`, its folders, its shell. In the server's whole environment. Source: execution-semantics 3.3, 4.4. */
import { join, resolve } from 'node:path'
import { execa } from 'execa'
import type { Plan, RunKey } from '../../machines/vocabulary.ts'
import { TroupeError } from '../errors.ts'
import { expandField, type Lookup } from '../spec/variables.ts'
import { splitWords } from '../spec/words.ts'
import { fileSafe } from './log-names.ts'
import { makeFolder } from './make-folder.ts'
import { atHome } from './prepare-step.ts'

/** Where definitions are loaded. */
export interface LoadSurroundings {
  /** The server's own environment. */
  environment: Readonly<Record<string, string>>
  defaultShell: string
  /** Kills backtick commands. */
  signal?: AbortSignal | undefined
}

/** How a backtick command is run: by the default shell, whose text is split like a command line. Source: execution-semantics 3.1.2, 4.2.3. */
export const substitution = (defaultShell: string, command: string): string[] => [
  ...splitWords(defaultShell),
  '-c',
  command
]

/** Variables of the server, overlaid by `values`; backticks run in them. */
export function loadLookup(
  values: Record<string, string>,
  { environment, defaultShell, signal }: LoadSurroundings
): Lookup {
  return {
    variable: (name) => values[name] ?? environment[name],
    async substitute(command) {
      const [shell = 'sh', ...args] = substitution(defaultShell, command)
      const { exitCode, stdout, stderr, failed, shortMessage } = await execa(shell, args, {
        env: { ...environment, ...values },
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
        ...(signal ? { cancelSignal: signal } : {})
      })
      if (!failed) return stdout.trim()
      const cause = exitCode === undefined ? shortMessage : `exit status ${exitCode}`
      throw new Error(`failed to execute command "${command}": ${cause}${stderr && `\n${stderr}`}`)
    }
  }
}

/** DAG `env`, each entry seeing the ones before it. @throws TroupeError bad_request */
export async function evaluateEnv(plan: Plan, surroundings: LoadSurroundings): Promise<Record<string, string>> {
  const env: Record<string, string> = Object.create(null)
  for (const { key, value } of plan.env) {
    try {
      env[key] = await expandField(value, loadLookup(env, surroundings))
    } catch (cause) {
      throw new TroupeError('bad_request', `field 'env': ${key} cannot be evaluated: ${(cause as Error).message}`, {
        cause
      })
    }
  }
  return env
}

/** The DAG's working directory, made if it is missing. @param own directory of a run without a definition file */
export async function workingDirOf(
  plan: Plan,
  env: Record<string, string>,
  own: string,
  surroundings: LoadSurroundings
): Promise<string> {
  const { substitute: _, ...look } = loadLookup(env, surroundings)
  const home = plan.home ?? plan.sourceDir ?? own
  const dir = plan.workingDir === undefined ? home : resolve(home, atHome(await expandField(plan.workingDir, look)))
  try {
    await makeFolder(dir)
  } catch (cause) {
    throw new TroupeError(
      'internal_error',
      `the working directory ${dir} cannot be made: ${(cause as Error).message}`,
      { cause }
    )
  }
  return dir
}

export async function shellOf(
  plan: Plan,
  env: Record<string, string>,
  surroundings: LoadSurroundings
): Promise<string[] | undefined> {
  const { substitute: _, ...look } = loadLookup(env, surroundings)
  return plan.shell && Promise.all(plan.shell.map((word) => expandField(word, look)))
}

/** Working directory of a run that has no definition file; removed with the run. */
export const ownFolder = (dataDir: string, { name, dagRunId }: RunKey): string =>
  join(dataDir, 'work', fileSafe(name), dagRunId)
