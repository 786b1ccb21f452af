/** Checks whether this user can use a home, before anything is opened there. Source: reliability P6, P22. */
import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, type ErrorCode, TroupeError } from '../errors.ts'
import { makeFolderAtOnce } from './make-folder.ts'

export interface Home {
  home: string
  dataDir: string
}

export interface HomeFault {
  code: ErrorCode
  /** What was wanted, what was found, and where. */
  message: string
  mending: string
}

/** Folders that settings may move elsewhere. */
export interface Beside {
  logDir: string
  suspendFlagsDir: string
}

/** To read runs, or to own the home and write. */
export type Use = 'read' | 'write'

/** Faults that prevent that; a missing folder is none. */
export function homeFault({ home, dataDir }: Home, use: Use): HomeFault | undefined {
  // A complete home may itself be read-only. A reader needs only the store.
  const needsMaking = !existsSync(dataDir) && dataDir.startsWith(`${home}/`)
  const files = ['troupe.mdb', ...(use === 'write' ? ['troupe.mdb-lock', 'write-ahead'] : [])]
  return (
    faultOf(home, needsMaking ? use : 'read', true) ??
    faultOf(dataDir, use, true) ??
    files.map((name) => faultOf(join(dataDir, name), use, false)).find((fault) => fault !== undefined)
  )
}

/** Anything but a folder in the place of these folders: no run could begin, no flag be read. */
export function besideFaults({ logDir, suspendFlagsDir }: Beside): HomeFault[] {
  const places = [
    ['paths.logDir', logDir],
    ['paths.suspendFlagsDir', suspendFlagsDir]
  ] as const
  return places.flatMap(([key, path]) => {
    const fault = faultOf(path, 'read', true)
    return fault?.code === 'bad_request' ? [{ ...fault, mending: `give another ${key}` }] : []
  })
}

/** @throws TroupeError forbidden, bad_request */
export function refuseUnusable(home: Home, use: Use): void {
  const fault = homeFault(home, use)
  if (fault) throw new TroupeError(fault.code, `${fault.message}; ${fault.mending}`)
}

/** A home to restore to: its parts are moved aside, but not something else in its own place. @throws TroupeError forbidden, bad_request */
export function refuseNoFolder({ home }: Pick<Home, 'home'>): void {
  const fault = existsSync(home) ? faultOf(home, 'read', true) : undefined
  if (fault?.code === 'bad_request') throw new TroupeError(fault.code, `${fault.message}; ${fault.mending}`)
}

/** Creates it when it is missing and is to be written. @throws TroupeError forbidden, bad_request */
export function prepareHome(home: Home & Beside, use: Use): void {
  refuseUnusable(home, use)
  if (use === 'read') return
  const [fault] = besideFaults(home)
  if (fault) throw new TroupeError(fault.code, `${fault.message}; ${fault.mending}`)
  try {
    makeFolderAtOnce(home.home, 0o700)
  } catch (error) {
    const { code, message, mending } = faultFor(home.home, use, true, error)
    throw new TroupeError(code, `${message}; ${mending}`, { cause: error })
  }
}

function faultOf(path: string, use: Use, isFolder: boolean): HomeFault | undefined {
  try {
    if (isFolder && !statSync(path).isDirectory()) return notFolder(path, 'a file')
    accessSync(path, (isFolder ? constants.X_OK : constants.R_OK) | (use === 'write' ? constants.W_OK : 0))
    return undefined
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return faultFor(path, use, isFolder, error)
    // Nothing can be created in the place of a dangling link.
    const isLink = isFolder && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    return isLink ? notFolder(path, 'a link to nothing') : undefined
  }
}

const AS_OWNER = 'run troupe as its owner, have it given to you, or '
const HOW_TO_FIX: Partial<Record<string, string>> = {
  EACCES: AS_OWNER,
  EPERM: AS_OWNER,
  EROFS: 'mount the file system writable, or ',
  ENOSPC: 'free disk space, or '
}

function faultFor(path: string, use: Use, isFolder: boolean, error: unknown): HomeFault {
  const code = codeOf(error) ?? String(error)
  if (code === 'ENOTDIR') return notFolder(path, 'a file in its way')
  return {
    code: 'forbidden',
    message: `wanted a ${isFolder ? 'folder' : 'file'} that you may ${use} at ${path}, found ${found(path, code)}`,
    mending: `${HOW_TO_FIX[code] ?? ''}give another --home`
  }
}

const notFolder = (path: string, what: string): HomeFault => ({
  code: 'bad_request',
  message: `wanted a folder at ${path}, found ${what}`,
  mending: 'give another --home'
})

function found(path: string, code: string): string {
  if (code === 'EROFS') return 'a read-only file system'
  try {
    const { uid, mode } = statSync(path)
    const octal = (mode & 0o777).toString(8).padStart(4, '0')
    return `one of the user with id ${uid}, mode ${octal}, and you are ${process.getuid?.()} (${code})`
  } catch {
    return `a place that cannot be reached or made (${code})`
  }
}
