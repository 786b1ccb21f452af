/** Errors for requests about a run or a step whose entry in the store is damaged. Source: reliability P7, P10. */
import type { NodeRecord, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import { isUnreadable, UNREADABLE } from './damaged.ts'

/** The refusal of logs, explanation, retry and manual status alike: the state they depend on is unknown. @param names of the steps */
export const unreadableSteps = ({ name, dagRunId }: RunKey, names: readonly string[]): TroupeError =>
  new TroupeError(
    'service_unavailable',
    `${UNREADABLE}: the record of run ${dagRunId} of ${name} is damaged, and what became of ${names.join(', ')} cannot be read; ` +
      'restore a backup, or let troupe doctor --fix set it aside (while no engine is running), then set its status by hand'
  )

/** For a whole run: the location of its log is unknown, too. */
export const unreadableRun = ({ name, dagRunId }: RunKey): TroupeError =>
  new TroupeError(
    'service_unavailable',
    `${UNREADABLE}: the record of run ${dagRunId} of ${name} is damaged, and its entry in the store cannot be read; ` +
      'troupe doctor says more: restore a backup, or start a new run'
  )

// D880: a step whose entry cannot be read is shown as failed
/** @throws TroupeError service_unavailable: the state of a step cannot be read */
export function refuseUnreadable(run: RunKey, node: NodeRecord): void {
  if (isUnreadable(node)) throw unreadableSteps(run, [node.step])
}

/** @throws TroupeError service_unavailable: nothing is known of a run any more */
export function refuseUnreadableRun(run: RunRecord): void {
  if (isUnreadable(run) && run.log === '') throw unreadableRun(run)
}
