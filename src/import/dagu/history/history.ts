/** The history of a home of Dagu: looked through once for the report, and once more to be written. */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RunKey, RunStatus } from '../../../../machines/vocabulary.ts'
import { codeOf, TroupeError } from '../../../errors.ts'
import { noChanges } from '../../../store/changes.ts'
import { inTransaction, putAgain } from '../../../store/commit.ts'
import { runRecord } from '../../../store/history.ts'
import type { Store } from '../../../store/open.ts'
import { openReport, type Report } from '../../report.ts'
import { runsIn } from './find.ts'
import { judged } from './judged.ts'
import { copyLog, sizeOf, writeNoLog } from './logs.ts'
import { type MakingOptions, maker } from './make-runs.ts'
import { type Imported, keyOf, UNKNOWN_END } from './record.ts'

export interface HistoryOptions extends MakingOptions {
  /** Epoch ms. */
  now: number
}

/** A run that waits in a queue of Dagu. */
export interface WaitingRun extends RunKey {
  params: string[]
  queuedAt?: number
  /** The run has been executed before: it waits to be retried. */
  isRetry: boolean
}

const DAY_MS = 86_400_000

interface Tally {
  taken: number
  subs: number
  there: number
  byStatus: Map<RunStatus, number>
  left: number
  outlines: number
  lostLogs: number
  old: number
}

export interface HistoryPlan {
  waiting: WaitingRun[]
  /** Bytes of logs to be copied. */
  bytes: number
}

/** Reads everything and reports it; writes nothing. */
export function planHistory(options: HistoryOptions, store: Store | undefined, report: Report): HistoryPlan {
  const { places, now } = options
  const make = maker(options, store)
  const tallies = new Map<string, Tally>()
  const plan: HistoryPlan = { waiting: [], bytes: 0 }
  let logs = 0
  for (const found of runsIn(places, report)) {
    const key = keyOf(found)
    if (found.waiting) {
      const { params, queuedAt } = found.waiting
      const isRetry = found.attempts.length > 0
      if (!isRetry && store && runRecord(store, key))
        report.add({ part: 'queues', kind: 'there', what: `run ${key.dagRunId} of ${key.name}` })
      else plan.waiting.push({ ...key, params, isRetry, ...(queuedAt === undefined ? {} : { queuedAt }) })
    }
    if (found.attempts.length === 0) continue
    const what = `run ${key.dagRunId} of ${key.name}`
    const verdict = judged(store, found)
    if (typeof verdict === 'object' && 'refused' in verdict) {
      report.add({ part: 'history', kind: 'left', what, text: verdict.refused, advice: verdict.advice })
      continue
    }
    const tally = tallies.get(key.name) ?? blank()
    tallies.set(key.name, tally)
    if (typeof verdict === 'object') {
      tally.there++
      continue
    }
    const [root, ...subs] = make(found, report)
    if (!root) continue
    const { record } = root.run
    tally.taken++
    tally.subs += subs.length
    tally.byStatus.set(record.status, (tally.byStatus.get(record.status) ?? 0) + 1)
    if (record.error === UNKNOWN_END)
      report.add({
        part: 'history',
        kind: 'note',
        what,
        text: 'is running there: it comes over as failed, with a sentence',
        advice: 'when it has ended, import again: then it comes over as it ended'
      })
    const days = root.plans.get(record.plan)?.plan.histRetentionDays ?? -1
    if (days >= 0 && (record.finishedAt ?? now) < now - days * DAY_MS) tally.old++
    for (const one of [root, ...subs]) {
      tally.lostLogs += one.lost
      if (one.isOutline) tally.outlines++
      logs += one.copies.length
      plan.bytes += one.copies.reduce((sum, { from }) => sum + sizeOf(from), 0)
    }
  }
  for (const [name, tally] of tallies) say(report, name, tally)
  if (options.withLogs && logs > 0)
    report.add({
      part: 'logs',
      kind: 'taken',
      what: places.logs,
      text: `${logs} files, ${(plan.bytes / 1024 ** 2).toFixed(1)} MiB`
    })
  return plan
}

const blank = (): Tally => ({
  taken: 0,
  subs: 0,
  there: 0,
  byStatus: new Map(),
  left: 0,
  outlines: 0,
  lostLogs: 0,
  old: 0
})

function say(report: Report, name: string, { taken, subs, there, byStatus, outlines, lostLogs, old }: Tally): void {
  const add = (kind: 'taken' | 'there' | 'note', text: string, advice?: string) =>
    report.add({ part: 'history', kind, what: name, text, ...(advice ? { advice } : {}) })
  const statuses = Array.from(byStatus, ([status, count]) => `${count} ${status}`).join(', ')
  if (taken > 0) add('taken', `${runs(taken)}: ${statuses}${subs > 0 ? `; ${subs} sub DAG runs` : ''}`)
  if (there > 0) add('there', runs(there))
  if (outlines > 0)
    add(
      'note',
      `${runs(outlines)} with a text that cannot be read here: shown by the steps that were recorded`,
      'start the workflow again instead of retrying them'
    )
  if (lostLogs > 0)
    report.add({
      part: 'logs',
      kind: 'left',
      what: name,
      text: `${lostLogs} logs that its runs name are not in the logs folder`,
      advice: 'the runs come over without them'
    })
  if (old > 0)
    add(
      'note',
      `${runs(old)} older than its histRetentionDays`,
      'the next engine removes them when the workflow has run: raise histRetentionDays first to keep them'
    )
}

const runs = (count: number) => `${count} ${count === 1 ? 'run' : 'runs'}`

/** Writes new runs: logs, then a root run with those below in one transaction. @returns the roots @throws TroupeError: no room */
export async function writeHistory(options: HistoryOptions, store: Store, { bytes }: HistoryPlan): Promise<number> {
  refuseNoRoom(options.config.logDir, bytes)
  const make = maker(options, store)
  const silent = openReport()
  let written = 0
  for (const found of runsIn(options.places, silent)) {
    if (found.attempts.length === 0) continue
    const verdict = judged(store, found)
    if (typeof verdict === 'object') continue
    const all = make(found, silent)
    if (all.length === 0) continue
    for (const { copies, withoutLog } of all) {
      for (const { from, to } of copies) copyUnlessGone(from, to)
      if (withoutLog !== undefined) writeNoLog(withoutLog)
    }
    await inTransaction(store, () => {
      for (const one of all) put(store, one)
    })
    written++
  }
  return written
}

/** The journal goes past the feed: nobody who listens to events is told of runs that ended long ago. */
function put(store: Store, { run, nodes, earlier, calls, plans, journal }: Imported): void {
  const { name, dagRunId } = run.record
  const changes = noChanges()
  const indexed = runRecord(store, { name, dagRunId })?.status
  for (const [hash, workflow] of plans) changes.plans.set(hash, workflow)
  changes.runs.set(dagRunId, { value: run, ...(indexed ? { indexed } : {}) })
  for (const [place, record] of nodes)
    changes.nodes.set(String(place), { key: [name, dagRunId, place], value: { record } })
  for (const call of calls) changes.calls.set(JSON.stringify(call.key), call)
  for (const one of earlier) changes.attempts.push(one)
  putAgain(store, [changes])
  for (const record of journal) store.journal.put([name, dagRunId, record.seq], record)
}

/** Dagu may have removed it since it was found. @throws Error of the disk */
function copyUnlessGone(from: string, to: string): void {
  try {
    copyLog(from, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Kept free beside the logs. */
const SPARE = 64 * 1024 * 1024

function refuseNoRoom(logDir: string, bytes: number): void {
  if (bytes === 0) return
  let free: number
  try {
    const { bavail, bsize } = statfsSync(dirname(logDir))
    free = bavail * bsize
  } catch {
    return // the copy says more
  }
  if (free < bytes + SPARE)
    throw new TroupeError(
      'service_unavailable',
      `the logs have ${bytes} bytes, and ${free} are free at ${logDir}: make room, or leave the logs out with --only`
    )
}
