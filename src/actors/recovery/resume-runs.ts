/** What is sent at recovery: open runs go on, those who waited wait again, those whose caller is lost are stopped. Source: architecture 5. */
import { runId } from '../../../machines/engine.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { nextTurn } from '../../clock.ts'
import { keyOf, type OpenRun } from '../root/open-run.ts'
import type { Room } from '../root/root-parts.ts'
import { cannotGoOn, openRecords, type RecoveryReader, recoveryReader, restoreRun } from './recovery.ts'

/** Runs that are restored in one turn; then others have theirs. */
const TOGETHER = 50
/** Runs whose records are read ahead in one go. The first ones are looked for before a thread could be there. */
const FORESEEN = 10 * TOGETHER

// D36, D37
/**
 * Takes back what was open when the last engine ended: at once the slots of its runs, which are in `room.resuming` from then on, and the
 * places of those who wait; then one part of the runs after the other. Resolves when every run is open again, or parked.
 * @param leaving ends it: the next engine goes on
 */
export function resumeRuns(room: Room, leaving: AbortSignal): Promise<void> {
  const { parts, transactions, resuming, send } = room
  const { store, clock } = parts
  const reader = recoveryReader(store)
  const { running, queued } = openRecords(store, reader)
  for (const key of running) resuming.add(runId(key))
  // Slots are taken before anybody goes who waited, and nobody who waited waits until thousands are restored.
  transactions.take(() => {
    const at = clock.now()
    const found = running.flatMap((key) => {
      const { caller, queue = key.name } = reader.run(key)?.record ?? {}
      return caller ? [] : [{ key, queue }]
    })
    send({ type: 'runs.found', runs: found, at })
    for (const { key, ...item } of queued) send({ type: 'item.found', key, at, ...item })
  })
  return restoreAll(room, running, reader, leaving)
}

async function restoreAll(room: Room, running: RunKey[], reader: RecoveryReader, leaving: AbortSignal): Promise<void> {
  const { parts, transactions, send } = room
  const { clock } = parts
  let areParked = false
  function foresee(keys: RunKey[]): void {
    const folders = keys.flatMap((key) => reader.run(key)?.record.nodeLogs ?? [])
    if (folders.length > 0) for (const executor of parts.executors.values()) void executor.foresee?.(folders, leaving)
  }
  // Callers first: what they have called is loaded in their variables.
  for (let from = 0; from < running.length; from += TOGETHER) {
    const part = running.slice(from, from + TOGETHER)
    if (from % FORESEEN === 0) foresee(running.slice(from + FORESEEN, from + 2 * FORESEEN))
    const restored = await restoredOf(room, part, reader, leaving)
    if (leaving.aborted) return
    areParked ||= restored.length < part.length
    transactions.take(() => {
      const at = clock.now()
      send({ type: 'runs.restored', runs: restored.map(({ record, plan }) => ({ key: keyOf(record), plan })), at })
      // Its preparation begins anew: it has not heard of the stop.
      for (const { record, stopAsked } of restored) if (stopAsked) send({ type: 'run.stop', key: keyOf(record), at })
    })
    await nextTurn(clock)
  }
  // Callers read the records of what they have called: those say that it has failed.
  if (areParked) await new Promise<void>((resolve) => transactions.take(() => transactions.afterFlush(resolve)))
}

/** Those that can be read; the others are parked. */
async function restoredOf(
  { parts, transactions, runs, makeScope, send }: Room,
  keys: RunKey[],
  reader: RecoveryReader,
  leaving: AbortSignal
): Promise<OpenRun[]> {
  const restored: OpenRun[] = []
  for (const key of keys) {
    try {
      const run = await restoreRun(parts, key, makeScope, { reader, signal: leaving })
      if (leaving.aborted) break
      runs.set(runId(key), run)
      restored.push(run)
    } catch (error) {
      if (leaving.aborted) break // it was given up, and says nothing about the run
      parts.fault(cannotGoOn(key, error))
      const at = parts.clock.now()
      transactions.take(() => send({ type: 'run.unreadable', key, at, error: (error as Error).message }))
    }
  }
  return restored
}

/** What a run that is lost has called is settled with it. Source: execution-semantics 13.5.4. */
export function stopOrphans({ parts: { clock }, transactions, runs, send }: Room): void {
  const orphans = runs.values().filter(({ record: { caller } }) => caller && !runs.has(runId(caller.parent)))
  for (const { record } of orphans) {
    const { name, dagRunId } = record
    transactions.take(() => send({ type: 'run.stop', key: { name, dagRunId }, at: clock.now() }))
  }
}

/** A queue has thrown: those who waited in it wait in the next one. */
export function putBackWaiting({ parts: { store, clock }, transactions, send }: Room, name: string): void {
  transactions.afterFlush(() =>
    transactions.take(() => {
      for (const { key, ...item } of openRecords(store).queued)
        if (item.queue === name) send({ type: 'item.found', key, at: clock.now(), ...item })
    })
  )
}
