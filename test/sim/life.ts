/** The lifetime of an engine on a simulated machine: from opening its store to its end, which may come at any moment. */
import { openSystem, type System } from '../../src/actors/root/system.ts'
import type { Changes } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import type { Store } from '../../src/store/open.ts'
import { emptyAhead, leftIn, memoryAhead } from '../../src/testing/memory/memory-ahead.ts'
import { memoryStore } from '../../src/testing/memory/memory-store.ts'
import { type Moments, openMoments } from '../../src/testing/moments.ts'
import { simulatedParts } from '../support/simulated/simulation.ts'
import { CAPACITIES } from './definitions.ts'
import type { Machine } from './machine.ts'

export interface Life {
  moments: Moments
  store: Store
  /** Once it has opened its store. */
  system?: System
  /** It has finished what the previous one has left. */
  isReady: boolean
  /** Makes it close in the middle of its next transaction, and then end. */
  close(): void
}

const RESTART_MS = 1_000

/** @param last number of the moment at which it dies */
export function openLife(machine: Machine, last: number | undefined): Life {
  const { clock, disk, ahead, home, bug } = machine
  let isAsked = false
  const moments = openMoments(bug.clock?.(clock) ?? clock, last, () => isAsked && leave())
  const store = memoryStore(disk, moments, bug.read)
  const life: Life = {
    moments,
    store,
    isReady: false,
    close() {
      isAsked = true
    }
  }
  function leave(): void {
    const { system } = life
    if (!system) return
    life.isReady = false
    delete life.system // it gets no more requests
    system.close().then(moments.end, machine.fault)
  }
  function change(changes: Changes): void {
    bug.changes?.(changes)
    if (!life.system) bug.closing?.(changes)
  }
  open().catch((error) => {
    if (!disk.full) machine.fault(error)
    clock.after(RESTART_MS, moments.end) // its supervisor restarts it
  })
  return life

  async function open(): Promise<void> {
    await Promise.resolve() // the caller has it by then
    const left = bug.left?.(leftIn(ahead)) ?? leftIn(ahead)
    if (left.length > 0) await commit(store, left, { again: true })
    emptyAhead(ahead, clock.now())
    machine.reopened(store)
    const executor = machine.processes.executorFor(moments)
    const system = openSystem({
      ...simulatedParts(home, moments.clock, [bug.executor?.(executor) ?? executor], machine.fault),
      logs: { write: () => {}, flushed: async () => {} },
      store,
      ahead: memoryAhead(ahead, disk, moments, (read) => machine.committed(read()), change),
      capture: machine.processes.captureFor(moments),
      queues: bug.queues?.(CAPACITIES) ?? CAPACITIES,
      scheduling: machine.scheduling(moments, store)
    })
    const { start } = system
    system.start = (runRequest) => {
      if (moments.alive) machine.rules.queues.asked(runRequest)
      return start(runRequest).then((admission) => {
        if (admission.type === 'start.refused' && admission.reason === 'max_run_reached' && moments.alive)
          machine.rules.queues.refused(admission.key)
        return admission
      })
    }
    life.system = system
    await system.recover()
    life.isReady = life.system !== undefined
  }
}
