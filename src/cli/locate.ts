/** Finds the definition a command was given. Source: execution-semantics 1.1.1, api-semantics 11. */
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve, sep } from 'node:path'
import { TroupeError } from '../errors.ts'

/** Where to look. */
export interface Places {
  cwd: string
  dagsDir: string
}

/**
 * Absolute path of the definition: the path itself, below the working directory, then below the definitions folder, each
 * with `.yaml` and `.yml` when it has neither. Undefined: there is none.
 */
export function locate(given: string, { cwd, dagsDir }: Places): string | undefined {
  const path = given.replace(/^~(?=\/|$)/, homedir())
  return [resolve(cwd, path), resolve(dagsDir, path)].flatMap((base) => candidates(base, path)).find(isFile)
}

/** The same. @throws TroupeError not_found that says where it was looked for */
export function mustLocate(given: string, places: Places): string {
  const file = locate(given, places)
  if (file) return file
  const wanted = hasExtension(given) ? given : `${given}.yaml or ${given}.yml`
  throw new TroupeError('not_found', `wanted a definition, found no ${wanted} in ${places.cwd} or ${places.dagsDir}`)
}

/** A file without the extension counts only when a path says so: a program in the working directory is no definition. */
const candidates = (base: string, given: string) => {
  if (hasExtension(base)) return [base]
  return [`${base}.yaml`, `${base}.yml`, ...(given.includes(sep) ? [base] : [])]
}

const hasExtension = (path: string) => /\.ya?ml$/.test(path)

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false // Not there, or not for us to see.
  }
}
