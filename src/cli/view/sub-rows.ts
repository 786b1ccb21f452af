/** Sub DAG runs below the node that calls them: a single one by its name, those of a `parallel` as counts. */
import type { RunStatus } from '../../../machines/vocabulary.ts'
import type { Node, SubRunRef } from '../../client/index.ts'
import { type Shown, shownStatus, wordOf } from './paint.ts'
import { type Row, tookMs } from './row.ts'
import { oneLine } from './text.ts'

/** @param now epoch ms, for the duration of running runs */
export function subRows({ step, subRuns }: Node, now: number): Row[] {
  const [first] = subRuns
  if (!first) return []
  return [step.parallel ? manyRow(subRuns) : oneRow(first, now)]
}

function oneRow(run: SubRunRef, now: number): Row {
  const { name, dagRunId, statusLabel, error } = run
  const took = tookMs(run, now)
  return {
    name: oneLine(name),
    status: shownStatus(statusLabel),
    isSub: true,
    note: oneLine([`run ${dagRunId}`, error].filter(Boolean).join(', ')),
    ...(took === undefined ? {} : { tookMs: took })
  }
}

const ORDER: RunStatus[] = [
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
  const statuses = subRuns.map(({ statusLabel }) => statusLabel)
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

/** One status for all: running as long as one of them is open. */
function together(statuses: readonly string[]): Shown {
  if (statuses.every((status) => status === 'not_started')) return 'not_started'
  if (statuses.some((status) => status === 'running')) return 'running'
  return ORDER.find((status) => statuses.includes(status)) ?? 'not_started'
}
