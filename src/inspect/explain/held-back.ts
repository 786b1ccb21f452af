/** Why a run on a worker does nothing, and its sub runs get none: another run has its place. Source: machines/tables/standstill.ts. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import { blockers, type Said, type Situation } from './situation.ts'

// D1227: an explanation names the run that holds others back
/** Undefined: the run is not held back. */
export function heldBackReason({ heldBack, record }: Situation): Said | undefined {
  if (!heldBack) return undefined
  const { run, worker } = heldBack
  const isItself = isSame(run, record)
  const whose = isItself ? 'the run' : `the run ${run.dagRunId} of ${run.name}, which it belongs to,`
  const since = record.queuedAt ?? record.startedAt
  return {
    cause: 'run_held_back',
    text: `${whose} is held back: it only waited for its sub runs, and another run goes on in its place on ${worker}`,
    since,
    blockedBy: blockers('worker', [worker]),
    unblock: `${isItself ? 'Its sub runs are' : 'It is'} given a worker when one of the runs on ${worker} has ended; a stop of the run does not wait for that.`
  }
}

const isSame = (one: RunKey, other: RunKey) => one.name === other.name && one.dagRunId === other.dagRunId
