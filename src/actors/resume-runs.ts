/** What is sent at recovery: open runs go on, those who waited wait again, those whose caller is lost are stopped. Source: architecture 5. */
import { runId } from '../../machines/engine.ts'
import { openRecords, parkUnreadable, restoreRun } from './recovery.ts'
import type { Room } from './root-actions.ts'

/** Resolves when every run that was open when the last engine ended is open again, or parked. */
export async function resumeRuns({ parts, turns, runs, makeScope, send }: Room): Promise<void> {
  const { store, clock, fault } = parts
  // Callers first: what they have called is loaded in their variables. Those who waited come last: slots are taken then.
  const { running, queued } = openRecords(store)
  for (const key of running) {
    try {
      const run = await restoreRun(parts, key, makeScope)
      runs.set(runId(run.record), run)
      const at = clock.now()
      turns.take(() => {
        const { caller, queue = key.name } = run.record
        send({ type: 'run.found', key, plan: run.plan, at, ...(caller ? {} : { queue }) })
        // Its preparation begins anew: it has not heard of the stop.
        if (run.stopAsked) send({ type: 'run.stop', key, at })
      })
    } catch (error) {
      fault(error)
      turns.take(() => parkUnreadable(store, turns, key, clock.now(), error, parts.publish))
    }
  }
  turns.take(() => {
    for (const { key, ...item } of queued) send({ type: 'item.found', key, at: clock.now(), ...item })
  })
}

/** What a run that is lost has called is settled with it. Source: execution-semantics 13.5.4. */
export function stopOrphans({ parts: { clock }, turns, runs, send }: Room): void {
  const orphans = [...runs.values()].filter(({ record: { caller } }) => caller && !runs.has(runId(caller.parent)))
  for (const { record } of orphans) {
    const { name, dagRunId } = record
    turns.take(() => send({ type: 'run.stop', key: { name, dagRunId }, at: clock.now() }))
  }
}

/** A queue has thrown: those who waited in it wait in the next one. */
export function putBackWaiting({ parts: { store, clock }, turns, send }: Room, name: string): void {
  turns.afterFlush(() =>
    turns.take(() => {
      for (const { key, ...item } of openRecords(store).queued)
        if (item.queue === name) send({ type: 'item.found', key, at: clock.now(), ...item })
    })
  )
}
