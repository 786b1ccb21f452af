/** Sub DAG runs below the node that calls them: a single one by its name, those of a `parallel` as counts. */
import type { Node, SubRunRef } from '../../client/index.ts'
import { isWait, type Shown, shownState, wordOf } from './paint.ts'
import { type Row, tookMs } from './row.ts'
import { oneLine } from './text.ts'

/** @param now epoch ms, for the duration of running runs */
export function subRows({ step, subRuns }: Node, now: number): Row[] {
  const [first] = subRuns
  if (!first) return []
  return [step.parallel ? manyRow(subRuns) : oneRow(first, now)]
}

function oneRow(run: SubRunRef, now: number): Row {
  const { name, dagRunId, error } = run
  const took = tookMs(run, now)
  return {
    name: oneLine(name),
    status: shownState(run),
    isSub: true,
    note: oneLine([`run ${dagRunId}`, error].filter(Boolean).join(', ')),
    ...(took === undefined ? {} : { tookMs: took })
  }
}

const ORDER: Shown[] = [
  'waiting_for_approval',
  'waiting_for_signal',
  'failed',
  'canceled',
  'partially_succeeded',
  'succeeded',
  'running',
  'queued',
  'not_started'
]

/** A sub DAG run that does not exist yet waits for `maxConcurrent`. */
function manyRow(subRuns: readonly SubRunRef[]): Row {
  // One that sleeps is at work: waiting is said of those that have not begun.
  const statuses = subRuns.map(shownState).map((status) => (status === 'waiting' ? 'running' : status))
  const counts = ORDER.flatMap((status) => {
    const count = statuses.filter((found) => found === status).length
    return count === 0 ? [] : [`${count} ${status === 'not_started' ? 'waiting' : wordOf(status)}`]
  })
  return {
    name: oneLine(subRuns[0]?.name ?? ''),
    status: together(statuses),
    isSub: true,
    note: `${subRuns.length} run${subRuns.length === 1 ? '' : 's'}: ${counts.join(', ')}`
  }
}

/** One status for all: waiting for a person if one of them is, else running as long as one of them is open. */
function together(statuses: readonly Shown[]): Shown {
  if (statuses.every((status) => status === 'not_started')) return 'not_started'
  const asking = statuses.find(isWait)
  if (asking) return asking
  if (statuses.includes('running')) return 'running'
  return ORDER.find((status) => statuses.includes(status)) ?? 'not_started'
}
