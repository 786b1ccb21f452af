/** The log folder of a run, chosen when it starts. Source: api-semantics 10.3, execution-semantics 3.3 (`logDir`). */
import { existsSync, mkdirSync, rmdir } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Plan, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { expandField } from '../../definition/text/variables.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import { atHome } from '../../platform/at-home.ts'
import { inTheWayOf, makeFolder, makeLogFolder, reasonOf } from '../../platform/make-folder.ts'
import { hashOf, runFolder, runLogPath } from './log-names.ts'
import { dataNames, type EnvironmentInput, loadLookup } from './run-environment.ts'

/** Where executors write the logs of steps. */
export interface LogFolders {
  isThere(folder: string): boolean
  /** @throws Error of the system */
  make(folder: string): void
  /** Forgets the executions of a run that is over; absent: their records are removed when there is time for it. */
  forget?(folder: string): void
}
/** `existsSync` of the moment: a simulation puts its own in its place. */
export const LOG_FOLDERS: LogFolders = { isThere: (folder) => existsSync(folder), make: makeLogFolder }

// D703: a relative `logDir` is below the server's log directory
/**
 * The run's own folder. With a `logDir` it is created here: two DAGs may share one, and a run id is only unique within its DAG, so
 * a run whose folder is taken gets one with a suffix for its DAG.
 * @param logDir of the server, which a relative `logDir` is relative to
 * @throws TroupeError bad_request when the field cannot be evaluated or the folder cannot be created
 */
export async function logFolderOf(
  plan: Plan,
  key: RunKey,
  env: Record<string, string>,
  logDir: string,
  context: EnvironmentInput
): Promise<string> {
  const { name, dagRunId } = key
  if (plan.logDir === undefined) return freeFolder(runFolder(logDir, key), name)
  try {
    const names = dataNames(plan, context.data ?? [])
    const look = loadLookup({ ...env, DAG_NAME: name }, names, context)
    const written = atHome((await expandField(plan.logDir, look)).trim())
    if (written === '') return freeFolder(runFolder(logDir, key), name)
    const parent = resolve(logDir, written)
    await makeFolder(parent, 0o750)
    return made(join(parent, dagRunId), name)
  } catch (cause) {
    throw new TroupeError('bad_request', `field 'logDir': ${refusalOf(cause)}`, { cause })
  }
}

/**
 * For a retry of another run under a new id: next to the folder of that run, or by the name that the DAG has now. With a `logDir` it
 * is created here, too: a queued run of another DAG has nothing in its folder yet.
 * @throws TroupeError bad_request when the folder cannot be created
 */
export function folderOfRetry(plan: Plan, old: RunRecord, dagRunId: string): string {
  const { name, log } = old
  const parent = dirname(dirname(log))
  if (plan.logDir === undefined) return freeFolder(runFolder(dirname(parent), { name, dagRunId }), name)
  try {
    makeLogFolder(parent)
    return made(join(parent, dagRunId), name)
  } catch (cause) {
    throw new TroupeError('bad_request', `field 'logDir': ${refusalOf(cause)}`, { cause })
  }
}

/** A sentence for a refusal of the file system; the message of any other error. */
function refusalOf(cause: unknown): string {
  const { path }: NodeJS.ErrnoException = Object(cause)
  return path === undefined ? messageOf(cause) : `${path} cannot be made: ${reasonOf(cause)}`
}

/** The error of an attempt whose log folder cannot be created. */
export function noLogFolder(folder: string, cause: unknown): TroupeError {
  const blocker = inTheWayOf(folder, cause)
  const wanted = `wanted a folder for logs at ${folder}`
  const message =
    blocker === undefined
      ? `${wanted}, found that it cannot be created: ${reasonOf(cause)}: fix that, or set another paths.logDir`
      : `${wanted}, found ${blocker}, which is no folder: move it away, or give another paths.logDir`
  return new TroupeError('service_unavailable', message, { cause })
}

/** An existing folder belongs to a run of another DAG with the same id and the same `logDir`. @throws Error */
function made(folder: string, name: string): string {
  try {
    mkdirSync(folder, { mode: 0o750 })
    return folder
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    const beside = folderBeside(folder, name)
    makeLogFolder(beside)
    return beside
  }
}

/** The folder, unless it contains the logs of another run: after a rename, earlier runs keep theirs. */
const freeFolder = (folder: string, name: string): string => (isTaken(folder) ? folderBeside(folder, name) : folder)

/** The first folder with a suffix for the DAG that contains no logs. */
function folderBeside(folder: string, name: string): string {
  const marked = `${folder}-${hashOf(name)}`
  let path = marked
  for (let number = 2; isTaken(path); number++) path = `${marked}-${number}`
  return path
}

const isTaken = (folder: string) => existsSync(runLogPath(folder))

/** Removes the folder of a run that was not started. A folder that is not empty stays. */
export const leaveLogFolder = (runLog: string): void => rmdir(dirname(runLog), () => {})
