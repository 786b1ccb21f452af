/**
 * Removes expired runs: first their records, in one transaction that also stores the list of their files; then the files. After a
 * crash in between the list is still on disk. `machines/policy/retention.ts` decides which runs have expired.
 * Source: execution-semantics 14.1.
 */
import { dirname, join } from 'node:path'
import { createdBefore, removableAt } from '../../../machines/policy/retention.ts'
import { churnMap } from '../../../machines/tables/churn-map.ts'
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import { readRange } from '../../store/damage/damaged.ts'
import { latestRun, namesOf, olderRuns } from '../../store/find-runs.ts'
import { planOf, runRecord, subRunsOf } from '../../store/history.ts'
import type { AskKey, LeftoverKey, Store } from '../../store/open.ts'
import type { StoredLeftover } from '../../store/stored.ts'
import { isLeftover } from '../../store/stored.ts'
import { dropAsks } from '../../store/tables/asks.ts'
import type { Transactions } from '../journal/transactions.ts'
import { nodeLogFolder } from '../run/log-names.ts'
import { ownFolder } from '../run/run-environment.ts'
import { removeFiles } from './remove-files.ts'

/** Runs that are removed in one transaction; then other messages are processed. */
const AT_ONCE = 50
/** Runs that are checked in one transaction. */
const LOOKED_AT = 1_000
/** `histRetentionDays: 0`: interval at which runs that have ended are removed together. */
const TOGETHER_MS = 1_000
const DAY_MS = 86_400_000

export interface RetentionParts {
  store: Store
  transactions: Transactions
  clock: Clock
  dataDir: string
  /** The run has an actor, or an active run or restart is made from it. */
  isNeeded(key: RunKey): boolean
  fault(error: unknown): void
}
export interface Retention {
  /** A run of this DAG has started or ended. */
  look(name: string): void
  /** Finishes what a crash interrupted, then checks every DAG, now and once a day. */
  open(): void
  close(): Promise<void>
}

// D810: definition texts that no run refers to stay in the database
export function openRetention({ store, transactions, clock, dataDir, isNeeded, fault }: RetentionParts): Retention {
  /** An alarm for each DAG with `histRetentionDays: 0`, and one for the daily check. */
  const alarms = new Map<string, () => void>()
  /** DAGs whose runs are being checked or removed; true: check again, because something has changed in the meantime. */
  const looking = churnMap<boolean>()
  /** DAGs that will be checked once the latest changes are in the store. */
  const asked = churnMap<true>()
  /** One run after the other: a folder is only empty once its contents are gone. */
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
        if (!isOpen) return // the next engine continues
        await removeFiles(value)
        transactions.take(() => transactions.changes.scheduling.leftovers.set(key.join('/'), { key }))
      })
      .catch(fault)
  }

  function remove(record: RunRecord): [LeftoverKey, StoredLeftover] {
    const { name, dagRunId, createdAt, log, nodeLogs, attempt, caller } = record
    const plan = planOf(store, record.plan)?.plan
    const handlers = Object.values(plan?.handlers ?? {})
    const folder = dirname(log)
    const attempts = Array.from({ length: attempt }, (_, index) =>
      nodeLogFolder(folder, index + 1, caller !== undefined)
    )
    const older = join(folder, '1') // where release 0.2 kept the first attempt of a sub run
    const value = {
      log,
      nodeLogs: [...new Set([...attempts, older, nodeLogs])],
      steps: [...(plan?.steps ?? []), ...handlers].map(({ name }) => name),
      own: ownFolder(dataDir, { name, dagRunId })
    }
    const key: LeftoverKey = [name, dagRunId, createdAt]
    transactions.changes.removed.push(record)
    transactions.changes.scheduling.leftovers.set(key.join('/'), { key, value })
    return [key, value]
  }

  function look(name: string): void {
    if (looking.has(name)) looking.set(name, true)
    else {
      looking.set(name, false)
      lookOn(name)
    }
  }

  /**
   * Checks the runs of a DAG that may be old enough, oldest first, batch by batch.
   * @param from where the previous batch ended
   * @param earliest when the first run of the previous batches may be removed, epoch ms
   */
  function lookOn(name: string, from?: RunRecord, earliest = Number.POSITIVE_INFINITY): void {
    if (!isOpen) return
    const latest = latestRun(store, name)
    const days = (latest && planOf(store, latest.plan)?.plan.histRetentionDays) ?? -1
    const now = clock.now()
    let [looked, count, next] = [0, 0, earliest]
    let rest: RunRecord | undefined
    const gone: [LeftoverKey, StoredLeftover][] = []
    for (const record of olderRuns(store, name, createdBefore(days, now), from)) {
      if (count === AT_ONCE || ++looked > LOOKED_AT) {
        rest = record
        break
      }
      const subs = subRunsOf(store, record)
      const { status, finishedAt: changedAt = record.createdAt } = record
      const at = removableAt(days, { status, changedAt, isNeeded: [record, ...subs].some(isNeeded) })
      if (at === undefined) continue
      if (at > now) {
        next = Math.min(next, at)
        continue
      }
      count++
      // Sub runs first: their folders lie in that of the run.
      for (const key of [...subs, record]) {
        const found = runRecord(store, key)
        if (found) gone.push(remove(found))
      }
    }
    const goOn = () => {
      if (rest) clock.soon(() => transactions.take(() => lookOn(name, rest, next)))
      else over(name, days, next)
    }
    if (gone.length === 0) goOn()
    else
      transactions.afterFlush(() => {
        for (const [key, value] of gone) clean(key, value)
        goOn()
      })
  }

  /** Every run has been checked. */
  function over(name: string, days: number, next: number): void {
    const again = looking.get(name)
    looking.delete(name)
    if (days === 0 && next < Number.POSITIVE_INFINITY)
      wake(name, Math.ceil(next / TOGETHER_MS) * TOGETHER_MS, () => transactions.take(() => look(name)))
    else if (again) clock.soon(() => transactions.take(() => look(name)))
  }

  /** One DAG after the other, each in its own transaction. */
  function lookAtAll(names: Iterator<string>): void {
    if (!isOpen) return // nor is the store
    const { value, done } = names.next()
    if (done) return
    transactions.take(() => {
      look(value)
      transactions.afterFlush(() => clock.soon(() => lookAtAll(names)))
    })
  }

  function dropOver(from?: AskKey): void {
    if (!isOpen) return
    transactions.take(() => {
      const next = dropAsks(store, transactions.changes, clock.now(), LOOKED_AT, from)
      if (next) clock.soon(() => dropOver(next))
    })
  }

  function daily(): void {
    for (const { key, value } of readRange(store.leftovers, {}, isLeftover)) clean(key, value)
    lookAtAll(namesOf(store))
    dropOver()
    wake('/', clock.now() + DAY_MS, daily) // no DAG has this name
  }

  return {
    look(name) {
      if (alarms.has(name) || asked.has(name)) return // no run can be removed before the alarm rings
      asked.set(name, true)
      transactions.afterFlush(() => {
        asked.delete(name)
        transactions.take(() => look(name))
      })
    },
    open: daily,
    async close() {
      isOpen = false
      for (const cancel of alarms.values()) cancel()
      await work
    }
  }
}

/** An open run has an actor, or gets it back after a restart. */
export const neededBy =
  (isOpen: (key: RunKey) => boolean, restarts: { has(key: string): boolean }) =>
  ({ name, dagRunId }: RunKey): boolean =>
    isOpen({ name, dagRunId }) || restarts.has(`${name}/${dagRunId}`)
