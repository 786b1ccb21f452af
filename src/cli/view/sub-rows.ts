/** Sub DAG runs below the node that calls them: a single one by its name, those of a `parallel` as counts. */
import type { RunStatus } from '../../../machines/vocabulary.ts'
import type { HandlerView, SubRunView } from '../../engine/engine.ts'
import { type Shown, wordOf } from './paint.ts'
import type { Row } from './row.ts'
import { oneLine } from './text.ts'

/** @param now epoch ms, for the duration of running runs */
export function subRows({ step, calls }: HandlerView, now: number): Row[] {
  const subRuns = calls?.subRuns ?? []
  const [first] = subRuns
  if (!first) return []
  return [step.parallel ? manyRow(subRuns) : oneRow(first, now)]
}

function oneRow({ name, dagRunId, record }: SubRunView, now: number): Row {
  const startedAt = record?.startedAt
  return {
    name: oneLine(name),
    status: record?.status ?? 'not_started',
    isSub: true,
    note: oneLine([`run ${dagRunId}`, record?.error ?? ''].filter(Boolean).join(', ')),
    ...(startedAt === undefined ? {} : { tookMs: (record?.finishedAt ?? now) - startedAt })
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
function manyRow(subRuns: readonly SubRunView[]): Row {
  const statuses = subRuns.map(({ record }) => record?.status ?? 'not_started')
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
function together(statuses: readonly RunStatus[]): Shown {
  if (statuses.every((status) => status === 'not_started')) return 'not_started'
  if (statuses.some((status) => status === 'running')) return 'running'
  return ORDER.find((status) => statuses.includes(status)) ?? 'not_started'
}
