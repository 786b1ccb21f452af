/**
 * Removes runs whose time is over: their records in one transaction, with a list of files to follow; then the files. A crash in
 * between leaves nothing that is half there: the list is on disk. Which runs go is decided in `machines/policy/retention.ts`.
 * Source: execution-semantics 14.1.
 */
import { dirname, join } from 'node:path'
import { runId } from '../../machines/engine.ts'
import { createdBefore, removableAt } from '../../machines/policy/retention.ts'
import type { RunKey, RunRecord } from '../../machines/vocabulary.ts'
import type { Clock } from '../clock.ts'
import { latestRun, namesOf, olderRuns, planOf, runRecord, subRunsOf } from '../store/history.ts'
import type { LeftoverKey, Store, StoredLeftover } from '../store/open.ts'
import { removeFiles } from './leftovers.ts'
import { ownFolder } from './load-time.ts'
import type { Turns } from './turns.ts'

/** Runs that go in one transaction; then others have their turn. */
const AT_ONCE = 50
const DAY_MS = 86_400_000

export interface RetentionParts {
  store: Store
  turns: Turns
  clock: Clock
  dataDir: string
  /** It has an actor, or something else that goes on is made from it. */
  isNeeded(key: RunKey): boolean
  fault(error: unknown): void
}
export interface Retention {
  /** A run of this DAG has started or ended. */
  look(name: string): void
  /** Goes on with what a crash has left, looks at every DAG, and does so once a day. */
  open(): void
  close(): Promise<void>
}

export function openRetention({ store, turns, clock, dataDir, isNeeded, fault }: RetentionParts): Retention {
  /** One for each DAG with `histRetentionDays: 0`, and one for the day. */
  const alarms = new Map<string, () => void>()
  /** One run after the other: a folder is empty when what was in it has gone. */
  let work: Promise<void> = Promise.resolve()
  let isOpen = true

  function wake(name: string, at: number, ring: () => void): void {
    alarms.get(name)?.()
    const cancel = clock.at(at, () => {
      alarms.delete(name)
      ring()
    })
    alarms.set(name, cancel)
  }

  function clean(key: LeftoverKey, value: StoredLeftover): void {
    work = work
      .then(async () => {
        if (!isOpen) return // the next engine goes on
        await removeFiles(value)
        turns.take(() => turns.changes.scheduling.leftovers.set(key.join('/'), { key }))
      })
      .catch(fault)
  }

  function remove(record: RunRecord): [LeftoverKey, StoredLeftover] {
    const { name, dagRunId, createdAt, log, nodeLogs, attempt } = record
    const plan = planOf(store, record.plan)?.plan
    const handlers = Object.values(plan?.handlers ?? {})
    const attempts = Array.from({ length: attempt }, (_, index) => join(dirname(log), String(index + 1)))
    const value = {
      log,
      nodeLogs: [...new Set([...attempts, nodeLogs])],
      steps: [...(plan?.steps ?? []), ...handlers].map(({ name }) => name),
      own: ownFolder(dataDir, { name, dagRunId })
    }
    const key: LeftoverKey = [name, dagRunId, createdAt]
    turns.changes.removed.push(record)
    turns.changes.scheduling.leftovers.set(key.join('/'), { key, value })
    return [key, value]
  }

  /** Looks at the runs of a DAG that may be old enough, oldest first. */
  function look(name: string): void {
    if (!isOpen) return
    const latest = latestRun(store, name)
    const days = latest && planOf(store, latest.plan)?.plan.histRetentionDays
    if (days === undefined) return
    const now = clock.now()
    let count = 0
    let next = Number.POSITIVE_INFINITY
    const gone: [LeftoverKey, StoredLeftover][] = []
    for (const record of olderRuns(store, name, createdBefore(days, now))) {
      const subs = subRunsOf(store, record)
      const { status, finishedAt: changedAt = record.createdAt } = record
      const at = removableAt(days, { status, changedAt, isNeeded: [record, ...subs].some(isNeeded) })
      if (at === undefined) continue
      if (at > now) {
        next = Math.min(next, at)
        continue
      }
      if (++count > AT_ONCE) break
      // Those that were called first: their folders lie in that of the run.
      for (const key of [...subs, record]) {
        const found = runRecord(store, key)
        if (found) gone.push(remove(found))
      }
    }
    if (gone.length > 0)
      turns.afterFlush(() => {
        for (const [key, value] of gone) clean(key, value)
        if (count > AT_ONCE) clock.soon(() => turns.take(() => look(name)))
      })
    if (days === 0 && next < Number.POSITIVE_INFINITY) wake(name, next, () => turns.take(() => look(name)))
  }

  /** One DAG after the other, each in a turn of its own. */
  function lookAtAll(names: Iterator<string>): void {
    if (!isOpen) return // nor is the store
    const { value, done } = names.next()
    if (done) return
    turns.take(() => look(value))
    clock.soon(() => lookAtAll(names))
  }

  function daily(): void {
    for (const { key, value } of store.leftovers.getRange()) clean(key, value)
    lookAtAll(namesOf(store))
    wake('/', clock.now() + DAY_MS, daily) // no DAG has this name
  }

  return {
    look: (name) => turns.afterFlush(() => turns.take(() => look(name))),
    open: daily,
    async close() {
      isOpen = false
      for (const cancel of alarms.values()) cancel()
      await work
    }
  }
}

/** What is open has an actor. */
export const neededBy =
  (runs: ReadonlyMap<string, unknown>, restarts: ReadonlyMap<string, unknown>) =>
  ({ name, dagRunId }: RunKey): boolean =>
    runs.has(runId({ name, dagRunId })) || restarts.has(`${name}/${dagRunId}`)
