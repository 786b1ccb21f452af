/**
 * Log folders that are removed during a run, for example by a clean-up job: they are created again wherever a log is opened. Their
 * contents are lost, records of running executions included. A restart must be able to tell, so it is noted in the run log.
 */
import { readFileSync } from 'node:fs'
import type { Abandoned } from '../pace/disk-space.ts'
import type { StepServices } from '../root/step-services.ts'
import { LOG_FOLDERS, noLogFolder } from './log-folder.ts'
import type { RunScope } from './run-scope.ts'

const MADE_AGAIN = 'the log folder was removed, and is made again'
/** A line may be written this much later than what it describes. */
const LATE_MS = 1_000

// D891: the run log says whether execution records were lost with a log folder
/** Creates the folder of a run's node logs. @param logFolders of the one who writes there @throws TroupeError */
export async function withLogFolder(
  { diskSpace, logs }: Pick<StepServices, 'diskSpace' | 'logs'>,
  { nodeLogs, runLog }: RunScope,
  abandoned: Abandoned,
  logFolders = LOG_FOLDERS
): Promise<void> {
  if (logFolders.isThere(nodeLogs)) return
  try {
    await diskSpace.take(() => logFolders.make(nodeLogs), abandoned)
  } catch (cause) {
    throw noLogFolder(nodeLogs, cause)
  }
  logs.write(runLog, 'WARN', MADE_AGAIN, { folder: nodeLogs })
  await logs.flushed(runLog)
}

/** Whether logs of a run have been removed since an instant (epoch ms), together with records of earlier executions. */
export function wereRemovedSince(runLog: string, at: number): boolean {
  const lines = textOf(runLog).split('\n')
  const timeOf = (line = '') => Date.parse(/^time=(\S+)/.exec(line)?.[1] ?? '')
  // The run log begins before the first step; otherwise it is not the original one.
  return timeOf(lines[0]) > at + LATE_MS || lines.some((line) => line.includes(MADE_AGAIN) && timeOf(line) >= at)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it was removed, and not written since
  }
}
