/** Why a queued run waits: machines/tables/waiting-line.ts, applied to the records. Source: execution-semantics 12; docs/inspect.md. */
import { inLine, isLater } from '../../../machines/policy/admission.ts'
import { keyOfNeeds } from '../../../machines/policy/worker-needs.ts'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { engineAbsent } from './engine-absent.ts'
import { count, runsAsBlockers, type Said, type Situation } from './situation.ts'
import { workerReasons } from './waiting-for-worker.ts'

/** All current blockers, the most relevant first. */
export function queueReasons(situation: Situation): Said[] {
  const { record, plan, queue, isOwned, holdsQueues } = situation
  const since = record.queuedAt ?? record.createdAt
  const lacking = workerReasons(situation)
  const reasons: Said[] = []
  const { name, maxConcurrency, running: open, queued } = queue ?? { name: record.name, running: [], queued: [] }
  const running = open.filter(({ superseded }) => !superseded)
  if (!isOwned) reasons.push({ ...engineAbsent(situation), since })
  else if (holdsQueues)
    reasons.push({
      cause: 'queue_held',
      text: 'the engine that is running was opened for one command and lets no queued run go',
      since,
      blockedBy: [{ kind: 'engine', name: 'a command in the foreground' }],
      unblock: 'A server (troupe start-all) lets queued runs go.'
    })
  const isEarly = isLater(record, situation.now)
  if (isEarly)
    reasons.push({
      cause: 'not_before',
      text: `its start was asked for not before ${new Date(record.notBefore ?? 0).toISOString()}`,
      since,
      until: record.notBefore,
      unblock:
        'It takes part in its queue from then on. To start it before, take it out (dequeue) and start it without `at`.'
    })
  for (const said of lacking) reasons.push(said)
  // A sub run waits for its worker only.
  const limit = record.caller ? 0 : (maxConcurrency ?? plan.maxActiveRuns)
  if (limit > 0 && running.length >= limit)
    reasons.push(
      maxConcurrency === undefined
        ? {
            cause: 'max_active_runs',
            text: `${count(running.length, 'run')} ${whose(running, record, name)} ${running.length === 1 ? 'is' : 'are'} running (maxActiveRuns ${limit})`,
            since,
            blockedBy: [{ kind: 'limit', name: `maxActiveRuns (${limit})` }, ...runsAsBlockers(running)],
            unblock: 'It starts when one of them ends and no earlier one waits.'
          }
        : {
            cause: 'queue_full',
            text: `the queue ${name} is full: ${count(running.length, 'run')} running (maxConcurrency ${limit})`,
            since,
            blockedBy: [{ kind: 'queue', name }, ...runsAsBlockers(running)],
            unblock: 'It starts when one of them ends and no earlier one waits.'
          }
    )
  const ahead = isEarly || lacking.length > 0 ? [] : before(situation, queued)
  const higher = ahead.filter(({ priority = 0 }) => priority > (record.priority ?? 0))
  const earlier = ahead.filter((run) => !higher.includes(run))
  if (higher.length > 0)
    reasons.push({
      cause: 'queue_priority',
      text: `${count(higher.length, 'run')} with a higher priority ${higher.length === 1 ? 'is' : 'are'} before it in the queue ${name}`,
      since,
      blockedBy: runsAsBlockers(higher.toReversed()),
      unblock: 'The highest priority goes first: those start, or are taken out (dequeue).'
    })
  if (earlier.length > 0)
    reasons.push({
      cause: 'queue_order',
      text: `${count(earlier.length, 'run')} ${earlier.length === 1 ? 'is' : 'are'} before it in the queue ${name}`,
      since,
      blockedBy: runsAsBlockers(earlier.toReversed()),
      unblock: 'First in, first out: those go first, or are taken out (dequeue).'
    })
  if (reasons.length === 0)
    reasons.push({
      cause: 'dispatching',
      text: 'it is its turn: the run is being started',
      since,
      unblock: 'A run that is not running 10 s after its turn is discarded as failed.'
    })
  return reasons
}

/** A queue that is not configured may be named by several DAGs: the runs there may be of another one. */
const whose = (running: readonly RunRecord[], { name }: RunRecord, queue: string): string =>
  running.every((run) => run.name === name) ? `of ${name}` : `in the queue ${queue}`

/** Runs ahead of this one that need the same: it may pass the others. */
function before({ record, needs, needsOf, now }: Situation, queued: readonly RunRecord[]): RunRecord[] {
  const own = needs && keyOfNeeds(needs)
  return queued.filter((other) => {
    const { name, dagRunId } = other
    if (isLater(other, now) || inLine(other, record) >= 0) return false
    if (name === record.name && dagRunId === record.dagRunId) return false
    const theirs = needsOf(other)
    return (theirs && keyOfNeeds(theirs)) === own
  })
}
