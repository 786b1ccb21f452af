/** Finds in the lists of the API what somebody should look at. Decides nothing about runs: it only finds those that say so themselves. */
import { RUN_ENDS } from '../../../machines/vocabulary/lists.ts'
import type { ListedDefinition, Queue, RunLabel, RunSummary } from '../answers.ts'
import { linkTo, runLink } from '../route.ts'
import { instant, lengthText } from '../text.ts'

export interface Concern {
  kind: 'failed' | 'broken' | 'waiting' | 'still'
  /** Name of the definition, or of the queue. */
  name: string
  text: string
  /** To the view that says why. */
  link: string
}

/** A run that waits longer is named. */
const LONG_WAIT_MS = 10 * 60_000
/** A queue starts its next run at once: one that has not for so long stands still. */
const STILL_MS = 60_000
const ENDED: ReadonlySet<RunLabel> = new Set(RUN_ENDS)

/**
 * Failures first, then broken definitions, then what waits.
 * @param runs newest first
 * @param now epoch ms
 */
export function concernsOf(
  runs: readonly RunSummary[],
  definitions: readonly ListedDefinition[],
  queues: readonly Queue[],
  now: number
): Concern[] {
  return [
    ...failures([...runs, ...definitions.map(({ latestDAGRun }) => latestDAGRun)], now),
    ...definitions.filter(({ errors }) => errors.length > 0).map(broken),
    ...queues.flatMap((queue) => waitIn(queue, now))
  ]
}

// D1200: a failure needs attention until a later success, whenever it was
/** Definitions whose latest run to succeed or fail has failed: a canceled run says nothing about that. */
function failures(runs: readonly RunSummary[], now: number): Concern[] {
  const latest = new Map<string, RunSummary>()
  for (const run of runs)
    if (!latest.has(run.name) && ENDED.has(run.statusLabel) && run.statusLabel !== 'canceled') latest.set(run.name, run)
  return [...latest.values()]
    .filter(({ statusLabel }) => statusLabel === 'failed')
    .map((run) => ({
      kind: 'failed',
      name: run.name,
      text: `Failed ${lengthText(now - (instant(run.finishedAt) ?? now))} ago, no success since`,
      link: runLink(run)
    }))
}

const broken = ({ fileName, dag, errors }: ListedDefinition): Concern => ({
  kind: 'broken',
  name: dag.name || fileName,
  text: errors.length === 1 ? '1 problem in the definition' : `${errors.length} problems in the definition`,
  link: linkTo(['definitions', fileName])
})

function waitIn({ name, summary, queuedDAGRuns }: Queue, now: number): Concern[] {
  // One that was asked for later waits for nobody before its time.
  const waits = queuedDAGRuns
    .map((run) => ({ run, since: Math.max(instant(run.queuedAt) ?? now, instant(run.at ?? '') ?? 0) }))
    .filter(({ since }) => since <= now)
  const [longest] = waits.sort((one, other) => one.since - other.since)
  if (!longest) return []
  const waited = now - longest.since
  if (summary.running === 0 && waited > STILL_MS)
    return [
      { kind: 'still', name, text: `Queue stands still: ${waits.length} waiting, none running`, link: '#/queues' }
    ]
  if (waited <= LONG_WAIT_MS) return []
  const text = `Waiting in queue ${name} for ${lengthText(waited)}`
  return [{ kind: 'waiting', name: longest.run.name, text, link: runLink(longest.run) }]
}
