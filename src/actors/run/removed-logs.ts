/**
 * Log folders that somebody removes under a run, as housekeeping does: made again wherever a log is opened. What was in them is gone, the
 * records of executions that are at work too, so a restart must be able to tell that: it stands in the run's log.
 */
import { existsSync, readFileSync } from 'node:fs'
import { makeLogFolder } from '../../platform/make-folder.ts'
import type { Abandoned } from '../pace/log-room.ts'
import type { Services } from '../root/services.ts'
import { noLogFolder } from './log-folder.ts'
import type { RunScope } from './run-scope.ts'

const MADE_AGAIN = 'the log folder was removed, and is made again'
/** A line may be written that much later than what it tells of. */
const LATE_MS = 1_000

// D891
/** Makes the folder of a run's node logs when it is not there. @throws TroupeError when it cannot be made */
export async function withLogFolder(
  { room, logs }: Pick<Services, 'room' | 'logs'>,
  { nodeLogs, runLog }: RunScope,
  abandoned: Abandoned
): Promise<void> {
  if (existsSync(nodeLogs)) return
  try {
    await room.take(() => makeLogFolder(nodeLogs), abandoned)
  } catch (cause) {
    throw noLogFolder(nodeLogs, cause)
  }
  logs.write(runLog, 'WARN', MADE_AGAIN, { folder: nodeLogs })
  await logs.flushed(runLog)
}

/** Whether logs of a run have been removed since an instant (epoch ms), and with them records of what it had begun until then. */
export function wereRemovedSince(runLog: string, at: number): boolean {
  const lines = textOf(runLog).split('\n')
  const timeOf = (line = '') => Date.parse(/^time=(\S+)/.exec(line)?.[1] ?? '')
  // The log of the run itself begins before its first step, or is another one.
  return timeOf(lines[0]) > at + LATE_MS || lines.some((line) => line.includes(MADE_AGAIN) && timeOf(line) >= at)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it was removed, and nothing has been written since
  }
}
