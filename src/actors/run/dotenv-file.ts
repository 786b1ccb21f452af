/** Reads the dotenv file of a run, the first listed one that exists. Its values are never stored. Source: execution-semantics 3.7. */
import { resolve } from 'node:path'
import { parseDotenv } from '../../definition/dag/dotenv.ts'
import { codeOf, messageOf } from '../../errors.ts'
import { readNamed, withinLimits } from '../../executors/frame/named-file.ts'
import type { Account } from '../../platform/account.ts'
import { lookAt } from '../../platform/make-folder.ts'

/** The contents of a dotenv file. */
export interface Dotenv {
  values: Record<string, string>
  /** Sentences for the run log, without values. */
  warnings: string[]
}

const NOTHING: Dotenv = { values: {}, warnings: [] }

// D702: references in a dotenv file fall back to the server's environment
/**
 * @param listed paths, expanded
 * @param folders where a relative path is looked for, in order
 * @param account who reads it; absent: the engine
 * @param outer variables that values may refer to besides those of the file
 */
export async function readDotenv(
  listed: string[],
  folders: string[],
  outer: (name: string) => string | undefined,
  account?: Account
): Promise<Dotenv> {
  for (const file of listed)
    for (const path of new Set(folders.map((folder) => resolve(folder, file)))) {
      try {
        const found = await withinLimits(async () => lookAt(path))
        if (!found?.isFile()) continue
        return {
          values: parseDotenv((await readNamed(path, undefined, account)).toString('utf8'), outer),
          warnings: []
        }
      } catch (error) {
        return { values: {}, warnings: [`the dotenv file ${path} is not used: ${reasonOf(error)}`] }
      }
    }
  return NOTHING
}

const reasonOf = (error: unknown) => {
  const code = codeOf(error)
  return code === undefined ? messageOf(error) : `it cannot be read (${code})`
}
