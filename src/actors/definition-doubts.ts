/** Warnings about a definition that is valid, and about what a start gives it, beside what the server knows. Never a reason to refuse anything. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Plan } from '../../machines/vocabulary.ts'
import type { Definition } from '../spec/definition.ts'
import { doubts } from '../spec/doubts.ts'

/**
 * @param environment of the server
 * @param given names of the params that a start gives; absent: nothing is started
 * @returns sentences, at most a few; without values
 */
export function doubtsOf(
  plan: Plan,
  environment: Readonly<Record<string, string>>,
  given?: readonly string[]
): string[] {
  let hasDotenv: boolean | undefined
  const isKnown = (name: string) => {
    if (Object.hasOwn(environment, name)) return true
    hasDotenv ??= mayHaveDotenv(plan)
    return hasDotenv
  }
  return doubts(plan, isKnown, given)
}

/** A definition that has been read, with its doubts among its warnings. */
export function withDoubts(definition: Definition, environment: Readonly<Record<string, string>>): Definition {
  const { plan, warnings } = definition
  const found = plan ? doubtsOf(plan, environment) : []
  return found.length === 0 ? definition : { ...definition, warnings: [...warnings, ...found] }
}

/** Whether a dotenv file may define what the definition does not: it is not read here. */
function mayHaveDotenv({ dotenv, workingDir, sourceDir }: Plan): boolean {
  if (dotenv.length === 0) return false
  if (dotenv.some((path) => path !== '.env') || /[$`~]/.test(workingDir ?? '')) return true
  const folders = [sourceDir, workingDir === undefined ? undefined : resolve(sourceDir ?? '/', workingDir)]
  return folders.some((folder) => folder !== undefined && existsSync(join(folder, '.env')))
}
