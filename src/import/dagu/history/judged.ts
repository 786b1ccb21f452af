/** Whether a run of Dagu can come over, and whether it has already. */
import { runRecord } from '../../../store/history.ts'
import type { Store } from '../../../store/open.ts'
import type { FoundRun } from './find.ts'
import { createdAt, isKnown, isOpen, keyOf, UNKNOWN_END } from './record.ts'

const NAME = /^[a-zA-Z0-9_.-]{1,40}$/
const RUN_ID = /^[-a-zA-Z0-9_]{1,64}$/

type Verdict = 'new' | 'ended since' | { there: true } | { refused: string; advice: string }

/** Why a run cannot come over, or how it does. @param store absent: there is none yet */
export function judged(store: Store | undefined, found: FoundRun): Verdict {
  const { name, dagRunId } = keyOf(found)
  if (!NAME.test(name) || name === '.' || name === '..')
    return { refused: `no DAG can have the name ${JSON.stringify(name)} here`, advice: 'it stays in Dagu' }
  if (!RUN_ID.test(dagRunId) || dagRunId === 'latest')
    return { refused: 'no run can have this id here', advice: 'it stays in Dagu' }
  const odd = found.attempts.find(({ status }) => !isKnown(status.status))
  if (odd) return { refused: `its status ${odd.status.status} is none that is known`, advice: 'it stays in Dagu' }
  const here = store && runRecord(store, { name, dagRunId })
  if (!here) return 'new'
  // A run that was retried here since has another trigger.
  if (here.trigger?.type !== 'import' && here.createdAt !== createdAt(found))
    return { refused: 'another run has this id here', advice: 'it stays in Dagu' }
  const hasEnded = !isOpen(found.attempts.at(-1)?.status.status ?? 0)
  return here.error === UNKNOWN_END && hasEnded ? 'ended since' : { there: true }
}
