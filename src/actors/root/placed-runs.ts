/** What is known of open runs that were placed on workers. Source: distribution 2, 5. */
import { runId } from '../../../machines/engine.ts'
import { workerNeeds } from '../../../machines/policy/worker-needs.ts'
import type { ChurnMap } from '../../../machines/tables/churn-map.ts'
import type { Fleet } from '../../../machines/tables/fleet.ts'
import type { Placement, Plan, RunKey, RunRecord, WorkerNeeds } from '../../../machines/vocabulary.ts'
import type { OpenJob } from '../../bus/jobs.ts'
import { runRecord } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import { homesAround } from '../recovery/recovery.ts'
import { inheritedFrom } from '../sub-runs/inherited.ts'
import { callerScope, type OpenRun } from './open-run.ts'
import type { Services } from './services.ts'

export interface PlacedRuns {
  /** @throws Error for a run that is not open, or was not placed */
  placementOf(key: RunKey): Placement
  /**
   * The caller of a sub DAG run, and what it inherits from a caller on this machine. From one on the same worker it inherits there;
   * from one on another worker nothing: those values do not travel. And whether it uses the slot of another run.
   */
  inheritedBy(key: RunKey): Promise<Pick<OpenJob, 'caller' | 'inherited' | 'slot'>>
}

const never = new AbortController().signal

export function placedRuns(services: Services, runs: ChurnMap<OpenRun>): PlacedRuns {
  const recordOf = (key: RunKey) => {
    const record = runs.get(runId(key))?.record
    if (record?.placement) return { ...record, placement: record.placement }
    throw new Error(`${runId(key)} is not open, or has no worker`)
  }
  return {
    placementOf: (key) => recordOf(key).placement,
    async inheritedBy(key) {
      const record = recordOf(key)
      const { caller, placement } = record
      if (!caller) return {}
      // D1211: the engine tells a worker which runs need no slot of their own
      const isShared = homesAround(record, (key) => runs.get(runId(key))?.record).includes(placement.home)
      const slot = isShared ? 'shared' : placement.extra && 'extra'
      const said = { caller, ...(slot ? { slot } : {}) } as const
      if (runs.get(runId(caller.parent))?.record.placement) return said
      const { values, data } = await inheritedFrom(services, callerScope(runs, { caller }), caller, never)
      return { ...said, inherited: { values: { ...values }, data: [...data] } }
    }
  }
}

/** Open runs that were placed on a worker. */
export const keysOn = (runs: ChurnMap<OpenRun>, home: string): RunKey[] =>
  [...runs.values()].flatMap(({ record: { name, dagRunId, placement } }) =>
    placement?.home === home ? [{ name, dagRunId }] : []
  )

/** @see System.placements */
export function placementsOf(
  runs: ChurnMap<OpenRun>,
  fleet: Pick<Fleet, 'taken'> | undefined
): Map<string, { runs: RunRecord[]; taken: number }> {
  const found = new Map<string, { runs: RunRecord[]; taken: number }>()
  for (const [home, taken] of fleet?.taken ?? []) found.set(home, { runs: [], taken })
  for (const { record } of runs.values()) if (record.placement) found.get(record.placement.home)?.runs.push(record)
  return found
}

// D1004: a run that is begun once more waits for the fence of the worker it had before
/** The needs of a run that is begun once more: it waits until nothing of it can be at work on the worker that it had before. */
export function needsAgain(
  store: Store,
  plan: Plan,
  { retryOf, ...key }: Pick<RunRecord, 'name' | 'dagRunId' | 'retryOf'>
): WorkerNeeds | undefined {
  const needs = workerNeeds(plan)
  if (!needs) return undefined
  const before = runRecord(store, key) ?? (retryOf && runRecord(store, retryOf))
  return before?.placement ? { ...needs, after: before.placement.home } : needs
}
