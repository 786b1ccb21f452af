/** Why a step that executes nothing waits, and why such a step ended as it did. Source: embedding 2.5; docs/executors/signal.md. */
import type { NodeRecord, Step } from '../../../machines/vocabulary.ts'
import { shellWord } from '../../platform/shell/shell-word.ts'
import type { ActorState } from '../replay.ts'
import { firstLine, instant, lasting, type Said, type Situation } from './situation.ts'

export function awaitingReason({ now, run }: Situation, step: Step, { memory, since }: ActorState): Said {
  const until = instant(memory.dueAt)
  const isApproval = step.wait?.kind === 'approval'
  const ask = firstLine(typeof memory.ask === 'string' ? memory.ask : (step.wait?.ask ?? ''))
  const command = isApproval
    ? `troupe approve ${run.dagRunId} ${shellWord(step.name)}`
    : `troupe signal ${run.dagRunId} ${shellWord(step.name)} JSON`
  return {
    cause: isApproval ? 'approval_wait' : 'signal_wait',
    text: `${step.name} waits for ${isApproval ? 'an approval' : 'a signal'}, for ${lasting(now - since)} so far${ask && `: ${ask}`}`,
    since: instant(memory.decidedAt) ?? instant(memory.at) ?? since,
    until,
    blockedBy: [{ kind: 'person', name: isApproval ? 'approval' : 'signal' }],
    unblock:
      until === undefined
        ? `It continues when somebody answers on the page, by the API, or with ${command}.`
        : `It continues when somebody answers on the page, by the API, or with ${command}; then its time (timeoutSec) is over, and onTimeout decides: ${step.wait?.onTimeout ?? 'fail'}.`
  }
}

export function sleepingReason({ now }: Situation, step: Step, { memory, since }: ActorState): Said {
  const until = instant(memory.dueAt)
  return {
    cause: 'sleep_wait',
    text: `${step.name} sleeps for ${lasting((until ?? now) - now)} more`,
    since: instant(memory.decidedAt) ?? instant(memory.at) ?? since,
    until,
    blockedBy: [{ kind: 'clock', name: 'executor.config.for' }],
    unblock: 'It continues at that instant, whatever is restarted meanwhile.'
  }
}

/** Undefined: its wait is not the reason. */
export function endedWait(
  { wait }: Step,
  { step, status, given, error = '', finishedAt }: NodeRecord
): Said | undefined {
  if (!wait) return undefined
  const over = { waiting: false, since: finishedAt }
  if (status === 'failed' && given?.refusal !== undefined)
    return {
      ...over,
      cause: 'refused',
      text: `${step} was ${firstLine(error)}`,
      blockedBy: [{ kind: 'person', name: given.by ?? 'approval' }],
      unblock: 'Retry the run: it asks again.'
    }
  if ((status === 'failed' || status === 'skipped') && error.startsWith('step timed out'))
    return {
      ...over,
      cause: 'signal_overdue',
      text: `${step} got no ${wait.kind} in time: ${firstLine(error)}`,
      blockedBy: [{ kind: 'limit', name: 'timeoutSec' }],
      unblock: 'Retry the run: it waits again, as long as before.'
    }
  return undefined
}
