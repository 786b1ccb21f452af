/** Which `troupe-launcher` may be started here: the one compiled on this machine, else the static one of the package. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TroupeError } from '../../errors.ts'
import { reasonOf } from '../../platform/make-folder.ts'

/** Of the build and of the package, with a folder for each platform; `native/Makefile` fills it. */
const FOLDER = fileURLToPath(new URL('../../../launcher/', import.meta.url))
const PLATFORM = `${process.platform}-${process.arch}`

/** `missing`: why there is none, as a clause. */
export type NativeLauncher = { path: string } | { missing: string }

// D973
/** Nothing is started, copied or changed. */
export function nativeLauncher(folder = FOLDER, platform = PLATFORM): NativeLauncher {
  const found = [`local-${platform}`, platform]
    .map((name) => join(folder, name, 'troupe-launcher'))
    .filter((path) => existsSync(path))
    .map((path) => ({ path, fault: faultOf(path) }))
  const path = found.find(({ fault }) => fault === undefined)?.path
  if (path !== undefined) return { path }
  const faults = found.map((one) => `${one.path} ${one.fault}`)
  return { missing: faults.join('; ') || `this installation has no troupe-launcher for ${platform}` }
}

/**
 * Path of the one to use; undefined: shells start the steps.
 * @param wanted the setting `launcher`
 * @param without told why there is none, where one would have been used
 * @throws TroupeError bad_request: nothing else may be used, and there is none
 */
export function chosenLauncher(
  wanted: 'auto' | 'native' | 'portable',
  without: (reason: string) => void,
  found = nativeLauncher()
): string | undefined {
  if (wanted === 'portable') return undefined
  if ('path' in found) return found.path
  if (wanted === 'native')
    throw new TroupeError('bad_request', `launcher: wanted the native one, found none: ${found.missing}`)
  without(found.missing)
  return undefined
}

/** Why it cannot be executed; undefined: it can. */
function faultOf(path: string): string | undefined {
  try {
    const { mode } = statSync(path)
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) return 'is not a file'
    if ((mode & 0o111) === 0) return 'is not executable: chmod 755 makes it so'
    accessSync(path, constants.X_OK)
    return undefined
  } catch (error) {
    return `cannot be executed: ${reasonOf(error)}, or its file system is mounted noexec`
  }
}
