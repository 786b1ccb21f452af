/**
 * How many root runs of each DAG name run and wait, and which queue each belongs to. Owned by the engine actor, changed in place,
 * never stored. Sub DAG runs have no queue and no limit. Source: api-semantics 4.2.
 */
import type { RunKey } from '../vocabulary.ts'
import { type ByRun, deleteOf, getOf, setOf } from './by-run.ts'

export interface Counts {
  running: number
  queued: number
}

export interface RunCounts {
  readonly byName: Map<string, Counts>
  /** Number of taken slots by queue. */
  readonly atWork: Map<string, number>
  /** Queue and state of every open root run. */
  readonly runs: ByRun<{ queue: string; state: keyof Counts }>
}

export const openRunCounts = (): RunCounts => ({ byName: new Map(), atWork: new Map(), runs: new Map() })

export const countsOf = ({ byName }: RunCounts, name: string): Counts => byName.get(name) ?? { running: 0, queued: 0 }

/** Queue of an open root run; undefined for any other run. */
export const queueOf = ({ runs }: RunCounts, key: RunKey): string | undefined => getOf(runs, key)?.queue

export const stateOf = ({ runs }: RunCounts, key: RunKey): keyof Counts | undefined => getOf(runs, key)?.state

// D771
/** Records the new state of a run, whatever it was before. */
export function note(runCounts: RunCounts, key: RunKey, queue: string, state: keyof Counts): void {
  forget(runCounts, key)
  setOf(runCounts.runs, key, { queue, state })
  const counts = countsOf(runCounts, key.name)
  runCounts.byName.set(key.name, { ...counts, [state]: counts[state] + 1 })
  if (state === 'running') runCounts.atWork.set(queue, (runCounts.atWork.get(queue) ?? 0) + 1)
}

export function forget(runCounts: RunCounts, key: RunKey): void {
  const known = getOf(runCounts.runs, key)
  if (!known) return
  deleteOf(runCounts.runs, key)
  const counts = countsOf(runCounts, key.name)
  const left = { ...counts, [known.state]: counts[known.state] - 1 }
  if (left.running + left.queued === 0) runCounts.byName.delete(key.name)
  else runCounts.byName.set(key.name, left)
  if (known.state === 'queued') return
  const others = (runCounts.atWork.get(known.queue) ?? 1) - 1
  if (others === 0) runCounts.atWork.delete(known.queue)
  else runCounts.atWork.set(known.queue, others)
}

/** Runs that hold a slot of a queue. The 100,000 that may be in other queues are only scanned if there is at least one. */
export function holdersOf({ atWork, runs }: RunCounts, queue: string): RunKey[] {
  if (!atWork.has(queue)) return []
  return Array.from(runs).flatMap(([name, own]) =>
    Array.from(own).flatMap(([dagRunId, run]) =>
      run.queue === queue && run.state === 'running' ? [{ name, dagRunId }] : []
    )
  )
}
