/** From the file name of a definition to the DAG name of its history, and to the run that is shown. Source: api-semantics 1.3, 3.2. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { StoredDefinition } from '../../definitions/stored-definition.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { timeTextOf } from './time-text.ts'

export const dagNameOf = ({ fileName, definition }: Pick<StoredDefinition, 'fileName' | 'definition'>): string =>
  definition.name || fileName

/** The DAG name of a file's history; for a file that is gone, the file name. */
export function historyOf(fileName: string, engine: Engine): string {
  try {
    return dagNameOf(engine.definition(fileName))
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_found') return fileName
    throw error
  }
}

/**
 * The run that lists show, by DAG name: a running run if there is one, else the newest; with `latestStatusToday` none of an
 * earlier day that has ended.
 */
export function latestShown(engine: Engine): (name: string) => RunRecord | undefined {
  // D231: `latestStatusToday` hides a latest run of an earlier day that has ended
  if (!engine.config.latestStatusToday) return engine.latest
  const time = timeTextOf(engine.config)
  const dayOf = (at: number) => time(at).slice(0, 'yyyy-mm-dd'.length)
  return (name) => {
    const run = engine.latest(name)
    const isOld = run && dayOf(run.startedAt ?? run.createdAt) < dayOf(engine.now())
    return isOld && run.finishedAt !== undefined ? undefined : run
  }
}
