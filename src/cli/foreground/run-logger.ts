/** What the log of a server says of runs. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine, EngineEvent } from '../../engine/engine.ts'
import type { Log } from '../../log.ts'

/**
 * Logs starts and ends of runs; changes of nodes are in the run logs, and here at debug level. A line has the id of the API request
 * that it follows from: of an end that of the stop, if there was one.
 */
export function runLogger(
  { record, config }: Pick<Engine, 'record' | 'config'>,
  log: Log
): (event: EngineEvent) => void {
  return ({ run, step, from, status }) => {
    if (!run || status === undefined) return
    const { name, dagRunId } = run
    const fields = () => ({ name, dagRunId, ...askedBy(record(run)) })
    if (step !== undefined) {
      if (config.debug) log.debug(`step ${status}`, { ...fields(), step })
    } else if (status !== 'running') log.info(`run ${status}`, fields())
    else if (from === '') log.info('run started', fields())
  }
}

function askedBy(record: RunRecord | undefined): { requestId?: string } {
  const requestId = record?.stoppedBy?.requestId ?? record?.trigger?.requestId
  return requestId === undefined ? {} : { requestId }
}
