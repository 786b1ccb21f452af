/** Messages of the recovery: open runs continue, queued ones wait again, runs whose caller is lost are stopped. Source: architecture 5. */
import { runId } from '../../../machines/engine.ts'
import { isSuperseded } from '../../../machines/policy/drift.ts'
import { SUB_RUNS } from '../../../machines/tables/run-counts.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { nextTurn } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import { keyOf, type OpenRun } from '../root/open-run.ts'
import type { RootParts } from '../root/root-parts.ts'
import { tellRelease } from '../root/tell-release.ts'
import { cannotGoOn, openRecords, type RecoveryReader, recoveryReader, restoreRun, storedRun } from './recovery.ts'
import { todayOf } from './superseded-runs.ts'

/** Runs that are restored in one transaction; then other messages are processed. */
const TOGETHER = 50
/** Runs whose records are prefetched together. The first ones are read before a thread could be ready. */
const PREFETCHED = 10 * TOGETHER

// D36, D37: after a restart, queue slots are restored first
/**
 * Resumes what was open when the previous engine ended: at once the slots of its runs, which are in `resuming` from then on, and the
 * places of queued runs; then the runs, batch by batch. Resolves when every run is open again, or has been failed by the engine.
 * @param leaving aborts it: the next engine continues
 */
export function resumeRuns(root: RootParts, leaving: AbortSignal): Promise<void> {
  const { parts, transactions, resuming, runs, send } = root
  const { store, clock } = parts
  const reader = recoveryReader(store)
  const { running, queued, placed } = openRecords(store, reader)
  for (const key of running) resuming.add(runId(key))
  // Slots are retaken before any queued run starts, and queued runs do not wait until thousands are restored.
  transactions.take(() => {
    const at = clock.now()
    const found = running.flatMap((key) => {
      const { caller, queue = key.name, superseded } = reader.run(key)?.record ?? {}
      if (caller) return []
      return superseded && staysSuperseded(root, key, reader) ? [{ key, queue, held: true as const }] : [{ key, queue }]
    })
    send({ type: 'runs.found', runs: found, placed, at })
    for (const { key, ...item } of queued) {
      const sub = item.queue === SUB_RUNS ? storedRun(store, key, reader) : undefined
      if (sub) runs.set(runId(key), sub) // its caller follows it
      send({ type: 'item.found', key, at, ...item })
    }
  })
  return restoreAll(root, running, reader, leaving)
}

async function restoreAll(
  root: RootParts,
  running: RunKey[],
  reader: RecoveryReader,
  leaving: AbortSignal
): Promise<void> {
  const { parts, transactions, send } = root
  const { clock } = parts
  let haveFailed = false
  function prefetch(keys: RunKey[]): void {
    const folders = keys.flatMap((key) => reader.run(key)?.record.nodeLogs ?? [])
    if (folders.length > 0) for (const executor of parts.executors.values()) void executor.prefetch?.(folders, leaving)
  }
  // Callers first: their sub runs are loaded with their variables.
  for (let from = 0; from < running.length; from += TOGETHER) {
    const part = running.slice(from, from + TOGETHER)
    if (from % PREFETCHED === 0) prefetch(running.slice(from + PREFETCHED, from + 2 * PREFETCHED))
    const restored = await restoredOf(root, part, reader, leaving)
    if (leaving.aborted) return
    haveFailed ||= restored.length < part.length
    transactions.take(() => {
      const at = clock.now()
      send({ type: 'runs.restored', runs: restored.map(({ record, plan }) => ({ key: keyOf(record), plan })), at })
      // The preparation of a run starts again, and does not know of a stop.
      for (const { record, plan } of restored) tellRelease(root, keyOf(record), plan)
      for (const { record, stopAsked } of restored) if (stopAsked) send({ type: 'run.stop', key: keyOf(record), at })
    })
    await nextTurn(clock)
  }
  // Callers read the records of their sub runs, which say that they have failed.
  if (haveFailed) await new Promise<void>((resolve) => transactions.take(() => transactions.afterFlush(resolve)))
}

/** No version of its definition is here, or yet another one. */
function staysSuperseded({ parts: { store, releaseOf } }: RootParts, key: RunKey, reader: RecoveryReader): boolean {
  const plan = storedRun(store, key, reader)?.plan
  if (!plan) return false
  const today = todayOf(plan, releaseOf)
  return !today || isSuperseded(plan, today)
}

/** The runs that can be read; the engine fails the others. */
async function restoredOf(
  { parts, transactions, runs, makeScope, send }: RootParts,
  keys: RunKey[],
  reader: RecoveryReader,
  leaving: AbortSignal
): Promise<OpenRun[]> {
  const restored: OpenRun[] = []
  for (const key of keys) {
    try {
      const run = await restoreRun(parts, key, makeScope, { reader, signal: leaving, died: parts.hasDied === true })
      if (leaving.aborted) break
      runs.set(runId(key), run)
      restored.push(run)
    } catch (error) {
      if (leaving.aborted) break // aborted, which says nothing about the run
      parts.fault(cannotGoOn(key, error))
      const at = parts.clock.now()
      transactions.take(() => send({ type: 'run.unreadable', key, at, error: messageOf(error) }))
    }
  }
  return restored
}

/** Stops the sub runs of a lost run. Source: execution-semantics 13.5.4. */
export function stopOrphans({ parts: { clock }, transactions, runs, send }: RootParts): void {
  const orphans = runs.values().filter(({ record: { caller } }) => caller && !runs.has(runId(caller.parent)))
  for (const { record } of orphans) {
    const { name, dagRunId } = record
    transactions.take(() => send({ type: 'run.stop', key: { name, dagRunId }, at: clock.now() }))
  }
}

/** A queue has thrown: its queued runs are requeued in the next one. */
export function requeueWaiting({ parts: { store, clock }, transactions, send }: RootParts, name: string): void {
  transactions.afterFlush(() =>
    transactions.take(() => {
      for (const { key, ...item } of openRecords(store).queued)
        if (item.queue === name) send({ type: 'item.found', key, at: clock.now(), ...item })
    })
  )
}
