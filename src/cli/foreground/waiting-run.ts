/** Messages about a run that waits in a queue, or for an engine. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { OwnedHome } from '../../api/owner/home.ts'
import type { CliContext } from '../context.ts'

export const HELD = 'no server serves the queues of this home: the run waits until one does (troupe start-all)'

export const NOBODY = 'no engine is running on this home, so the run does not continue (troupe start-all continues it)'

// D405: only a server starts queued runs
/** After a start: stdout says that the run is queued, stderr which engine will run it. */
export function sayWaits(
  on: ReadonlySet<string>,
  { out, err }: Pick<CliContext, 'out' | 'err'>,
  { holdsQueues }: Pick<OwnedHome, 'holdsQueues'>,
  key: RunKey
): void {
  if (on.has('quiet')) return
  const { name, dagRunId } = key
  out.write(on.has('json') ? `${JSON.stringify({ queued: key })}\n` : `run ${dagRunId} of ${name} is queued\n`)
  if (holdsQueues) err.write(`${HELD}\n`)
}
