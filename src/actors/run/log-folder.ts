/** Where the logs of a run lie, decided when it is started. Source: api-semantics 10.3, execution-semantics 3.3 (`logDir`). */
import { existsSync, mkdirSync, rmdir } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Plan, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { expandField } from '../../definition/text/variables.ts'
import { codeOf, TroupeError } from '../../errors.ts'
import { atHome } from '../../platform/at-home.ts'
import { inTheWayOf, makeFolder, makeLogFolder, reasonOf } from '../../platform/make-folder.ts'
import { hashOf, runFolder, runLogPath } from './log-names.ts'
import { dataNames, type EnvironmentInput, loadLookup } from './run-environment.ts'

// D703
/**
 * The run's own folder. With a `logDir` it is made here: two DAGs may share one, and a run id is unique within its DAG only,
 * so a run that finds its folder taken gets one with a mark of its DAG.
 * @param logDir of the server: what a relative `logDir` is relative to
 * @throws TroupeError bad_request when the field cannot be evaluated or the folder cannot be made
 */
export async function logFolderOf(
  plan: Plan,
  key: RunKey,
  env: Record<string, string>,
  logDir: string,
  surroundings: EnvironmentInput
): Promise<string> {
  const { name, dagRunId } = key
  if (plan.logDir === undefined) return freeFolder(runFolder(logDir, key), name)
  try {
    const names = dataNames(plan, surroundings.data ?? [])
    const look = loadLookup({ ...env, DAG_NAME: name }, names, surroundings)
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
 * Of a run that does again, under an id of its own, what another one of its DAG did: beside that one's, or with the name that the DAG
 * has now. With a `logDir` it is made here, too: a run of another DAG that waits there has nothing in its folder yet.
 * @throws TroupeError bad_request when the folder cannot be made
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

/** A refusal of the file system in words; anything else as it says itself. */
function refusalOf(cause: unknown): string {
  const error = cause as NodeJS.ErrnoException
  return error.path === undefined ? error.message : `${error.path} cannot be made: ${reasonOf(error)}`
}

/** Why an attempt of a run has no folder for its logs. */
export function noLogFolder(folder: string, cause: unknown): TroupeError {
  const error = cause as NodeJS.ErrnoException
  const blocker = inTheWayOf(folder, error)
  const wanted = `wanted a folder for logs at ${folder}`
  const message =
    blocker === undefined
      ? `${wanted}, found that it cannot be created: ${reasonOf(error)}: fix that, or set another paths.logDir`
      : `${wanted}, found ${blocker}, which is no folder: move it away, or give another paths.logDir`
  return new TroupeError('service_unavailable', message, { cause })
}

/** One that is there belongs to a run of another DAG: that has the same id, and the same `logDir`. @throws Error */
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

/** That folder, unless the logs of another run lie there: after a rename the runs of before keep theirs where they are. */
const freeFolder = (folder: string, name: string): string => (isTaken(folder) ? folderBeside(folder, name) : folder)

/** The first one with a mark of the DAG in which no run has logs. */
function folderBeside(folder: string, name: string): string {
  const marked = `${folder}-${hashOf(name)}`
  let path = marked
  for (let number = 2; isTaken(path); number++) path = `${marked}-${number}`
  return path
}

const isTaken = (folder: string) => existsSync(runLogPath(folder))

/** Gives back the folder of a run that was not let go. One that holds anything stays. */
export const leaveLogFolder = (runLog: string): void => rmdir(dirname(runLog), () => {})
