/** Finds the definition that a command names. Source: execution-semantics 1.1.1, api-semantics 11. */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, resolve, sep } from 'node:path'
import { codeOf, TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { reasonOf } from '../../platform/make-folder.ts'

/** Where to look. */
export interface Places {
  cwd: string
  dagsDir: string
}

/**
 * Absolute path of the definition: the path itself, below the working directory, then below the definitions folder, each
 * with `.yaml` and `.yml` when it has neither. Undefined: there is none.
 */
export const locate = (input: string, places: Places): string | undefined => firstFile(pathsOf(input, places))

/** The same. @throws TroupeError not_found that says where it looked, and what is there instead */
export function mustLocate(input: string, places: Places): string {
  const paths = pathsOf(input, places)
  const file = firstFile(paths)
  if (file) return file
  const other = paths.map(otherAt).find((it) => it !== undefined)
  if (other !== undefined) throw new TroupeError('not_found', `wanted a definition, found ${other}`)
  const wanted = hasExtension(input) ? input : `${input}.yaml or ${input}.yml`
  const hint = didYouMean(basename(input), definitionsIn(paths, input))
  throw new TroupeError(
    'not_found',
    `wanted a definition, found no ${wanted} in ${places.cwd} or ${places.dagsDir}${hint}`
  )
}

/** Names of the definitions in the searched folders, with their extension when the operand has one. */
function definitionsIn(paths: string[], input: string): string[] {
  const files = [...new Set(paths.map((path) => dirname(path)))].flatMap((folder) => {
    try {
      return readdirSync(folder)
    } catch {
      return [] // It is missing, or not readable.
    }
  })
  const names = files.filter(hasExtension)
  return hasExtension(input) ? names : names.map((name) => name.replace(/\.ya?ml$/, ''))
}

function pathsOf(input: string, { cwd, dagsDir }: Places): string[] {
  const path = input.replace(/^~(?=\/|$)/, homedir())
  return [resolve(cwd, path), resolve(dagsDir, path)].flatMap((base) => candidates(base, path))
}

/** A file without an extension counts only in a path: a program in the working directory is no definition. */
const candidates = (base: string, input: string) => {
  if (hasExtension(base)) return [base]
  return [`${base}.yaml`, `${base}.yml`, ...(input.includes(sep) ? [base] : [])]
}

const hasExtension = (path: string) => /\.ya?ml$/.test(path)

function firstFile(paths: string[]): string | undefined {
  for (const path of paths) {
    const file = fileAt(path)
    if (file) return file
  }
  return undefined
}

/** Links that lead elsewhere in each process, such as `/dev/stdin`: the engine that owns the home has its own. */
const OF_THIS_PROCESS = /^\/(dev\/(std(in|out|err)$|fd\/)|proc\/(self|thread-self)\/)/

/** A path to the same file that is valid in every process. */
function fileAt(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return undefined
    return OF_THIS_PROCESS.test(path) ? realpathSync(path) : path
  } catch {
    return undefined // Missing or not readable; or a file that is open here and has no path.
  }
}

/** What a path leads to that is no file; undefined: nothing. */
function otherAt(path: string): string | undefined {
  try {
    const stat = statSync(path)
    return `${stat.isDirectory() ? 'a folder' : stat.isFile() ? 'a file that was removed' : 'no regular file'} at ${path}`
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOTDIR') return undefined
    if (code !== 'ENOENT') return `${path}, which cannot be looked at: ${reasonOf(error)}`
    return lstatSync(path, { throwIfNoEntry: false }) ? `a link to nothing at ${path}` : undefined
  }
}
