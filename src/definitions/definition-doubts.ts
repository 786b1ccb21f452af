/** Warnings about a valid definition and the params of a start, in the server's environment. Never a reason for a refusal. */
import { join, resolve } from 'node:path'
import type { Plan } from '../../machines/vocabulary.ts'
import type { Definition } from '../definition/definition.ts'
import { doubts, unknownNames } from '../definition/doubts.ts'
import { withinLimits } from '../executors/frame/named-file.ts'
import { lookAt } from '../platform/make-folder.ts'

export interface DoubtOptions {
  /** Names of the params of a start; absent: nothing is started. */
  passed?: readonly string[]
  /** Whether the folders that the definition names may be read; default: yes. Otherwise any of them may have a dotenv file. */
  looks?: boolean
}

/**
 * @param environment of the server
 * @returns sentences, at most a few; without values
 */
export async function doubtsOf(
  plan: Plan,
  environment: Readonly<Record<string, string>>,
  { passed, looks = true }: DoubtOptions = {}
): Promise<string[]> {
  const isServers = (name: string) => Object.hasOwn(environment, name)
  const isDoubtful = unknownNames(plan).some(({ name }) => !isServers(name))
  const hasDotenv = isDoubtful && (await mayHaveDotenv(plan, looks))
  return doubts(plan, (name) => hasDotenv || isServers(name), passed)
}

/** A definition that has been read, with its doubts among its warnings. */
export async function withDoubts(
  definition: Definition,
  environment: Readonly<Record<string, string>>,
  options: Pick<DoubtOptions, 'looks'> = {}
): Promise<Definition> {
  const { plan, warnings } = definition
  const found = plan ? await doubtsOf(plan, environment, options) : []
  return found.length === 0 ? definition : { ...definition, warnings: [...warnings, ...found] }
}

/** Whether a dotenv file may define further names: it is not read here. */
async function mayHaveDotenv({ dotenv, workingDir, sourceDir }: Plan, looks: boolean): Promise<boolean> {
  if (dotenv.length === 0) return false
  if (dotenv.some((path) => path !== '.env') || /[$`~]/.test(workingDir ?? '')) return true
  const folders = [sourceDir, workingDir === undefined ? undefined : resolve(sourceDir ?? '/', workingDir)]
  for (const folder of folders) {
    if (folder === undefined) continue
    if (!looks) return true
    // A folder that does not answer in time may have one.
    if (await withinLimits(() => lookAt(join(folder, '.env'))).catch(() => true)) return true
  }
  return false
}
