/** A restart of the engine, as one run meets it: what `src/actors/journal/persisted.ts` stores of it, and a new actor made of that. */
import type { NodePlace } from '../../../machines/vocabulary.ts'
import { nodeRecord, persistedRun, runOpenState, storedNode } from '../../../src/actors/journal/persisted.ts'
import type { OpenState, StoredNode } from '../../../src/store/stored.ts'
import { driveRun, type RunDrive } from '../charts/charts.ts'
import { key } from '../charts/plans.ts'

const LOGS = '/logs'
type Stored = { open: OpenState; nodes: [NodePlace, StoredNode][] }

/** What the store holds of a run that goes on, after a round trip through JSON. @param before what it held already */
export function storedRun(run: RunDrive, before: Stored['nodes'] = []): Stored {
  const { plan, runState } = run.context()
  const nodes = new Map(before)
  for (const snapshot of run.seen.values()) {
    const { place } = snapshot.context
    const ended = before.find(([known, { open }]) => known === place && !open)
    if (!ended) nodes.set(place, storedNode(snapshot, nodeRecord(snapshot, LOGS)))
  }
  // Nodes that rules resolved, without an actor or after it threw.
  for (const { index, ...settled } of runState.resolved) {
    const step = plan.steps[index]?.name ?? ''
    nodes.set(index, { record: { step, ...settled, retryCount: 0, doneCount: 0 } })
  }
  return JSON.parse(JSON.stringify({ open: runOpenState(run.actor.getSnapshot()), nodes: [...nodes] }))
}

/** The process is gone and another one goes on from the store. Invoked actors of the old one are over and answer nothing. */
export function restartedRun(run: RunDrive, { open, nodes }: Stored): RunDrive {
  const { stage, seen, begun, recorders } = run
  for (const stub of stage.invoked) stub.over = true
  const snapshot = persistedRun(key(), run.context().plan, open, new Map(nodes))
  return driveRun(run.context().plan, { stage, seen, begun, snapshot, recorders })
}
