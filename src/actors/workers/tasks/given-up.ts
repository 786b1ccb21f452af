/** Executions that were given up and may be at work: their worker ends them as soon as it is heard. Source: distribution 1 (D13). */
import type { RunRecord } from '../../../../machines/vocabulary.ts'
import { nodesOf } from '../../../store/history.ts'
import type { Store } from '../../../store/open.ts'
import { runOnBus, taskOnBus } from './task-ids.ts'

/** A task of a worker. */
export interface GivenUpTask {
  home: string
  task: string
  lease: number
}

/** @param runs that are open and were placed @returns those on the worker that their run is placed on, of which no end was heard */
export const givenUpOf = (store: Store, runs: readonly RunRecord[]): GivenUpTask[] =>
  runs.flatMap(({ name, dagRunId, attempt, placement }) => {
    if (!placement) return []
    const { home, lease } = placement
    const run = runOnBus({ name, dagRunId }, attempt)
    return Array.from(nodesOf(store, { name, dagRunId }), ([place, { record }]) =>
      (record.givenUp ?? [])
        .filter((given) => given.home === home && !given.late)
        .map((given) => ({ home, task: taskOnBus(run, 'step', given.attempt, place), lease }))
    ).flat()
  })
