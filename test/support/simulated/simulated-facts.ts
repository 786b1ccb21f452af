/** The facts of a simulated engine. */
import { planOfRun, recordOf } from '../../../src/engine/views/run-view.ts'
import type { Facts } from '../../../src/inspect/inspection.ts'
import { type InspectionSources, inspectionOf } from '../../../src/inspect/run-inspection.ts'
import type { Simulation } from './simulation.ts'

export const simulatedFacts = (
  { store, clock }: Pick<Simulation, 'store' | 'clock'>,
  known: Partial<InspectionSources> = {}
): Facts =>
  inspectionOf({
    store,
    now: clock.now,
    record: (key) => recordOf(store, key),
    plan: (record) => planOfRun(store, record),
    queues: () => [],
    definition: () => {
      throw new Error('there are no definitions here')
    },
    begunAt: () => undefined,
    zone: 'UTC',
    maxProcesses: 8,
    engine: { owns: true, holdsQueues: false, schedules: true },
    ...known
  })
