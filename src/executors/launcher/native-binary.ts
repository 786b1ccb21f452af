/** Which `troupe-launcher` starts local steps here: the one compiled on this machine, else the static one of the package. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TroupeError } from '../../errors.ts'
import { reasonOf } from '../../platform/make-folder.ts'

/** Folder of the build and of the package, with one for each platform; `native/Makefile` fills it. */
const FOLDER = fileURLToPath(new URL('../../../launcher/', import.meta.url))
const PLATFORM = `${process.platform}-${process.arch}`

// D4: nothing that runs steps starts without one. D973
/** Path of the launcher. Nothing is started, copied or changed. @throws TroupeError bad_request: there is none that may be executed */
export function nativeLauncher(folder = FOLDER, platform = PLATFORM): string {
  const found = [`local-${platform}`, platform]
    .map((name) => join(folder, name, 'troupe-launcher'))
    .filter((path) => existsSync(path))
    .map((path) => ({ path, fault: faultOf(path) }))
  const path = found.find(({ fault }) => fault === undefined)?.path
  if (path !== undefined) return path
  const faults = found.map((one) => `${one.path} ${one.fault}`).join('; ')
  throw new TroupeError(
    'bad_request',
    `local steps: wanted a troupe-launcher for ${platform}, found ${faults || `none in ${folder}: ${HOW_TO_GET}`}`
  )
}
const HOW_TO_GET = 'make build compiles it in a checkout of Troupe, with a C compiler'

/** Why a launcher cannot be executed; undefined: it can. */
function faultOf(path: string): string | undefined {
  try {
    const { mode } = statSync(path)
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) return 'is not a file'
    if ((mode & 0o111) === 0) return 'is not executable: chmod 755 makes it so'
    accessSync(path, constants.X_OK)
    return undefined
  } catch (error) {
    return `cannot be executed: ${reasonOf(error)}, or its file system is mounted noexec: install Troupe where programs may run`
  }
}
