/** Rebuilds open runs from the store after a restart; those that cannot be read are failed (`failed-run.ts`). Source: architecture 3, 5. */
import { runId } from '../../../machines/engine.ts'
import { workerNeeds } from '../../../machines/policy/worker-needs.ts'
import type { ItemFound } from '../../../machines/queue/queue-events.ts'
import { SUB_RUNS } from '../../../machines/tables/run-counts.ts'
import type { NodePlace, Placement, Plan, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { MAX_ACTIVE_RUNS } from '../../definition/fields/defaults.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { readRun } from '../../store/damage/damaged.ts'
import { everyNodeOf, latestSeq, nodesAt, planOf } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { StoredNode, StoredPlan, StoredRun } from '../../store/stored.ts'
import { persistedRun } from '../journal/persisted.ts'
import type { OpenRun } from '../root/open-run.ts'
import { placeOfHandler } from '../run/run-scope.ts'
import type { Loaded, ScopeMaker } from '../run/scope-maker.ts'
import { isLeft, isSupersededState, leftAlone, type ReleaseOf, stateBefore } from './superseded-runs.ts'

/** What recovery reads from the store, each entry once: runs of the same definition text share their plan. */
export interface RecoveryReader {
  run(key: RunKey): StoredRun | undefined
  workflow(hash: string): StoredPlan | undefined
  /** What all runs of a plan share. */
  loaded: Map<Plan, Promise<Loaded>>
}

// D908: event numbers continue from the journal after a restart
export function recoveryReader(store: Store): RecoveryReader {
  const runs = new Map<string, StoredRun | undefined>()
  const workflows = new Map<string, StoredPlan | undefined>()
  return {
    run: (key) => once(runs, runId(key), () => readRun(store, key)),
    workflow: (hash) => once(workflows, hash, () => planOf(store, hash)),
    loaded: new Map()
  }
}

function once<V>(known: Map<string, V>, key: string, read: () => V): V {
  const found = known.get(key) ?? read()
  known.set(key, found)
  return found
}

/** Runs that were open when the previous engine ended: running ones, callers before their sub runs; queued ones with their place. */
export function openRecords(
  store: Store,
  reader: RecoveryReader = recoveryReader(store)
): {
  running: RunKey[]
  queued: (Omit<ItemFound, 'type' | 'at'> & { queue: string })[]
  /** Running runs that hold the slot of a worker. */
  placed: { key: RunKey; placement: Placement }[]
} {
  const records = Array.from(store.open.getKeys(), ([name, dagRunId]) => {
    const key = { name, dagRunId }
    return { key, record: reader.run(key)?.record }
  })
  const recordOf = (key: RunKey) => reader.run(key)?.record
  const asksFor = (record: RunRecord) => {
    const plan = reader.workflow(record.plan)?.plan
    const needs = plan && workerNeeds(plan)
    const after = record.placement ? { after: record.placement.home } : {} // it was begun before
    if (!record.caller)
      return { limit: plan?.maxActiveRuns ?? MAX_ACTIVE_RUNS, ...(needs ? { needs: { ...needs, ...after } } : {}) }
    const around = homesAround(record, recordOf)
    return { queue: SUB_RUNS, limit: -1, ...(needs ? { needs: { ...needs, around } } : {}) }
  }
  const depth = ({ record }: (typeof records)[number]) => record?.caller?.depth ?? 0
  return {
    running: records
      .filter(({ record }) => record?.status !== 'queued')
      .sort((a, b) => depth(a) - depth(b))
      .map(({ key }) => key),
    // In queue order, because each may start as soon as it is requeued. Keys sort by id: r10 before r9.
    queued: records
      .flatMap(({ key, record }) => {
        if (record?.status !== 'queued') return []
        const { queue = key.name, order = 0, priority, notBefore } = record
        const asked = {
          ...(priority === undefined ? {} : { priority }),
          ...(notBefore === undefined ? {} : { notBefore })
        }
        return [{ key, queue, order, ...asked, ...asksFor(record) }]
      })
      .sort((a, b) => a.order - b.order),
    placed: records.flatMap(({ key, record }) => {
      const { placement } = record ?? {}
      if (!record || !placement || record.status === 'queued') return []
      return homesAround(record, recordOf).includes(placement.home) ? [] : [{ key, placement }]
    })
  }
}

/** Homes of the workers that the runs which a sub run is called from are on: it uses their slots. */
export function homesAround({ caller }: RunRecord, recordOf: (key: RunKey) => RunRecord | undefined): string[] {
  const homes = new Set<string>()
  for (let above = caller && recordOf(caller.parent); above; above = above.caller && recordOf(above.caller.parent))
    if (above.placement) homes.add(above.placement.home)
  return [...homes].sort()
}

/** A run as stored, without an actor. */
export function storedRun(
  store: Store,
  key: RunKey,
  reader: Pick<RecoveryReader, 'run' | 'workflow'> = recoveryReader(store)
): OpenRun | undefined {
  const stored = reader.run(key)
  const workflow = stored && reader.workflow(stored.record.plan)
  if (!stored || !workflow) return undefined
  return {
    record: stored.record,
    ...workflow,
    seq: nextAfter(store, stored),
    indexed: stored.record.status,
    ended: new Map()
  }
}

/** The number before the next journal record: a stored record is never overwritten. */
export const nextAfter = (store: Store, { record, seq }: StoredRun): number => Math.max(seq, latestSeq(store, record))

/** A stored open run as the state of an actor. @param options `died`: its engine has not closed @throws TroupeError what cannot be read */
export async function restoreRun(
  { store, releaseOf }: { store: Store; releaseOf?: ReleaseOf },
  { name, dagRunId }: RunKey,
  makeScope: ScopeMaker,
  {
    reader = recoveryReader(store),
    signal,
    died = false
  }: { reader?: RecoveryReader; signal?: AbortSignal; died?: boolean } = {}
): Promise<OpenRun> {
  const stored = reader.run({ name, dagRunId })
  const workflow = stored && reader.workflow(stored.record.plan)
  if (!stored?.open || !workflow) throw new TroupeError('internal_error', 'what is stored of it is not readable')
  const key = { name, dagRunId }
  const nodes = nodesToGoOn(store, key, workflow.plan)
  const isHeld = isSupersededState(stored.open) || isLeft(workflow.plan, stored.open, releaseOf)
  const on = stored.record.placement
  const run: OpenRun = {
    record: stored.record,
    indexed: stored.record.status,
    plan: workflow.plan,
    spec: workflow.spec,
    seq: nextAfter(store, stored),
    ended: new Map(),
    ...leftAlone(persistedRun(key, workflow.plan, stored.open, nodes, { on, died }), stored.open, isHeld)
  }
  if (stateBefore(stored.open) !== 'preparing') {
    const options = { nodes, loaded: reader.loaded, ...(signal ? { signal } : {}) }
    run.scope = await makeScope(run, options)
  } else if (stored.open.context.stop === 'request') run.stopAsked = true
  return run
}

/** Up to this many places of a run are read one by one. */
const FEW = 4

function nodesToGoOn(store: Store, key: RunKey, plan: Plan): Map<NodePlace, StoredNode> {
  try {
    const places = [...plan.steps.keys(), ...Object.values(plan.handlers).map(placeOfHandler)]
    return places.length > FEW ? everyNodeOf(store, key) : nodesAt(store, key, places)
  } catch (cause) {
    throw new TroupeError('internal_error', `a step of it is not readable: ${messageOf(cause)}`, { cause })
  }
}

/** The error of a run that cannot be restored, which names the run. A defect stays as it was thrown. */
export const cannotGoOn = ({ name, dagRunId }: RunKey, error: unknown): unknown =>
  error instanceof TroupeError
    ? new TroupeError(error.code, `run ${dagRunId} of ${name} cannot continue: ${error.message}`, {
        cause: error.cause,
        details: { name, dagRunId }
      })
    : error
