/**
 * How many root runs of each DAG name run and wait, and which queue each belongs to. Owned by the engine actor, changed in place,
 * never stored. Source: api-semantics 4.2.
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
  /** Queue and state of every open run that has a queue. */
  readonly runs: ByRun<{ queue: string; state: RunPlace }>
}

/** `held`: it waits for its version, has no slot, and counts for no limit. */
export type RunPlace = keyof Counts | 'held'

/** The queue of sub DAG runs that are placed on a worker by themselves: no other has this name. No limit; they count for nobody's. */
export const SUB_RUNS = 'sub runs'

export const openRunCounts = (): RunCounts => ({ byName: new Map(), atWork: new Map(), runs: new Map() })

export const countsOf = ({ byName }: RunCounts, name: string): Counts => byName.get(name) ?? { running: 0, queued: 0 }

/** Undefined: it is not open, or a sub DAG run that is not placed by itself. */
export const queueOf = ({ runs }: RunCounts, key: RunKey): string | undefined => getOf(runs, key)?.queue

export const stateOf = ({ runs }: RunCounts, key: RunKey): RunPlace | undefined => getOf(runs, key)?.state

// D771: queues are counted in two places
/** Records the new state of a run, whatever it was before. */
export function note(runCounts: RunCounts, key: RunKey, queue: string, state: RunPlace): void {
  forget(runCounts, key)
  setOf(runCounts.runs, key, { queue, state })
  if (queue !== SUB_RUNS) count(runCounts, key, state, 1)
  if (state === 'running') runCounts.atWork.set(queue, (runCounts.atWork.get(queue) ?? 0) + 1)
}

export function forget(runCounts: RunCounts, key: RunKey): void {
  const known = getOf(runCounts.runs, key)
  if (!known) return
  deleteOf(runCounts.runs, key)
  if (known.queue !== SUB_RUNS) count(runCounts, key, known.state, -1)
  if (known.state !== 'running') return
  const others = (runCounts.atWork.get(known.queue) ?? 1) - 1
  if (others === 0) runCounts.atWork.delete(known.queue)
  else runCounts.atWork.set(known.queue, others)
}

function count({ byName }: RunCounts, { name }: RunKey, state: RunPlace, more: 1 | -1): void {
  if (state === 'held') return
  const { running, queued } = byName.get(name) ?? { running: 0, queued: 0 }
  const counts = { running, queued, [state]: (state === 'running' ? running : queued) + more }
  if (counts.running + counts.queued === 0) byName.delete(name)
  else byName.set(name, counts)
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
