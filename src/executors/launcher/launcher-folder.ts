/**
 * Where the launcher has its files, and what short commands print: in memory where the system offers that, because that may be the
 * value of a secret, and because a file there is made without waiting for a disk.
 */
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, pause } from '../../clock.ts'
import { codeOf } from '../../errors.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'
import { identityOf, isAlive } from '../../platform/process-identity.ts'

const IN_MEMORY = '/dev/shm'

// D757: the output of a running backtick command lives in memory
/** Places of a launcher's folder, the better one first. Nothing is made. @param dataDir of the home */
export function launcherPlaces(dataDir: string): [inMemory: string, onDisk: string] {
  const user = process.getuid?.() ?? 0
  const place = existsSync(dataDir) ? realpathSync(dataDir) : dataDir // one home, be it reached by a link or not
  const name = `troupe-${user}-${createHash('sha256').update(place).digest('hex').slice(0, 16)}`
  return [join(IN_MEMORY, name), join(dataDir, 'launcher')]
}

/** A folder of this user alone, the same for every engine on one home. @param dataDir of the home; the fallback is in it */
export function launcherFolder(dataDir: string): string {
  const [folder, onDisk] = launcherPlaces(dataDir)
  try {
    makeFolderAtOnce(folder, 0o700)
    if (isOurs(folder)) return folder
  } catch {
    // No such file system, or not for us.
  }
  return onDisk
}

function isOurs(folder: string): boolean {
  const { uid, mode } = lstatSync(folder)
  return uid === (process.getuid?.() ?? 0) && (mode & 0o777) === 0o700
}

/** Makes the folder of an engine. @throws Error also when somebody else was quicker in a place where everybody may make one */
export function makeOwnFolder(folder: string): void {
  makeFolderAtOnce(folder, 0o700)
  const above = dirname(folder)
  if (dirname(above) === IN_MEMORY && !isOurs(above)) throw new Error(`${above} is not of this user alone`)
}

/**
 * Clears away the folders of dead engines. A folder goes when its holders have gone; one that still holds a step needs its files.
 * @param parent of the folders of all engines on this home
 */
export function clearAway(parent: string): void {
  for (const folder of list(parent)) {
    const pids = list(join(parent, folder)).filter((file) => file.endsWith('.pid'))
    if (!pids.some((file) => lives(pidIn(join(parent, folder, file)) ?? 0))) remove(join(parent, folder))
  }
}

/** Undefined: its process has ended, and removed it, since the folder was listed. */
function pidIn(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** How often, and at what distance, a folder is removed again in which holders on their way out still write. */
const TRIES = 20
const TRY_MS = 25

/** Removes an engine's own folder, and the one it lies in when no other is left there. */
export async function removeFolder(folder: string, clock: Clock): Promise<void> {
  for (let tries = 0; !remove(folder) && tries < TRIES; tries++) await pause(clock, TRY_MS)
  clearAway(dirname(folder)) // steps that an engine before this one left have ended meanwhile
  try {
    rmdirSync(dirname(folder))
  } catch {
    // Another engine has its folder there, or has cleared the parent away.
  }
}

function remove(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true })
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY') return false
    throw error
  }
}

const list = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

const lives = (pid: number): boolean => {
  const identity = pid > 0 ? identityOf(pid) : undefined
  return identity !== undefined && isAlive(identity)
}
