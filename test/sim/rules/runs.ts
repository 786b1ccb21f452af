/** What every run is guaranteed, checked at each committed transaction. Source: reliability P1 to P5, http-api "States and transitions". */
import { dirname } from 'node:path'
import type { RunKey, RunRecord, RunStatus } from '../../../machines/vocabulary.ts'
import { brokenIndexes } from '../../../src/doctor/index-laws.ts'
import type { Changes } from '../../../src/store/changes.ts'
import { latestSeq } from '../../../src/store/history.ts'
import type { Store } from '../../../src/store/open.ts'
import type { Findings } from '../findings.ts'
import { idOf } from './queues.ts'

/** A run as of the committed transactions. */
export interface Known {
  record: RunRecord
  /** Number of its latest journal record. */
  seq: number
  /** It has heard that it is to stop, and it has begun to. */
  isAsked: boolean
  isStopped: boolean
}

export interface RunRules {
  /** All runs, by id; sub DAG runs too. */
  readonly runs: ReadonlyMap<string, Known>
  committed(changes: Changes): void
  /** The answer to a start: it is on disk. */
  acknowledged(key: RunKey): void
  /** It was asked to stop, and that is on disk. */
  stopped(key: RunKey): void
  /** An execution has begun. */
  began(state: string, step: string): void
  /** An engine has opened the store. @param lossy the power was out: only what was acknowledged is promised, and what `flushed` says */
  reopened(store: Store, lossy: boolean): void
  /** What is on the disk when the power goes. */
  flushed(records: Iterable<RunRecord>): void
  /** Nothing is pending. @param isInQueue whether it waits in a queue, or has been dispatched by one */
  quiet(isOpen: (key: RunKey) => boolean, isInQueue: (key: RunKey) => boolean): void
  /** The faults have stopped, and there was time: every run has ended. */
  over(): void
  readonly counts: { runs: number; executions: number }
}

const isStopping = (store: Store, { name, dagRunId }: RunRecord): boolean =>
  JSON.stringify(store.runs.get([name, dagRunId])?.open?.value ?? '').includes('"stopping')
const ENDED: RunStatus[] = ['succeeded', 'failed', 'canceled', 'partially_succeeded']
export const hasEnded = ({ status }: RunRecord): boolean => ENDED.includes(status)

export function openRunRules(findings: Findings): RunRules {
  let runs = new Map<string, Known>()
  const promised = new Set<string>()
  /** Attempts of runs whose end was on the disk when the power went. */
  const ended = new Map<string, number>()
  /** By the folder of its logs. */
  const folders = new Map<string, string>()
  const counts = { runs: 0, executions: 0 }

  function record(record: RunRecord): void {
    const id = idOf(record)
    const before = runs.get(id)
    if (!before) counts.runs++
    else if (hasEnded(before.record)) {
      const again = record.attempt === before.record.attempt + 1
      if (!again && record.status !== before.record.status)
        findings.add('4.9 what has ended stays as it ended', `${id}: ${before.record.status}, then ${record.status}`)
    } else if (before.record.status === 'running' && record.status === 'queued')
      findings.add('4.9 a running run does not wait again', id)
    if (hasEnded(record) && record.finishedAt === undefined)
      findings.add('4.9 a run that has ended says when', `${id}: ${record.status}`)
    const isSame = before?.record.attempt === record.attempt
    const [isAsked, isStopped] = [isSame && before.isAsked, isSame && before.isStopped]
    runs.set(id, { record, seq: before?.seq ?? 0, isAsked, isStopped })
    folders.set(record.nodeLogs, id)
  }

  function journal({ journal }: Changes): void {
    const last = new Map<string, number>()
    for (const { run, seq, actor, to, event } of journal.toSorted((a, b) => a.seq - b.seq)) {
      if (!run) continue
      const id = idOf(run)
      const latest = last.get(id) ?? runs.get(id)?.seq ?? 0
      if (seq <= latest) findings.add('P5 each transition is stored once', `${id}: number ${seq} after ${latest}`)
      last.set(id, seq)
      const known = runs.get(id)
      if (!known || actor !== `run/${id}`) continue
      if (event === 'run.stop') known.isAsked = true
      if (to.startsWith('stopping')) known.isStopped = true
    }
    for (const [id, seq] of last) {
      const known = runs.get(id)
      if (known) known.seq = seq
    }
  }

  return {
    get runs() {
      return runs
    },
    counts,
    committed(changes) {
      for (const { value } of changes.runs.values()) record(value.record)
      journal(changes)
      for (const gone of changes.removed) {
        runs.delete(idOf(gone))
        promised.delete(idOf(gone))
      }
    },
    acknowledged: (key) => {
      promised.add(idOf(key))
      if (!runs.has(idOf(key))) findings.add('P1 no acknowledged run is lost', `${idOf(key)} is not stored`)
    },
    stopped(key) {
      const run = runs.get(idOf(key))
      if (run && !hasEnded(run.record) && !run.isAsked)
        findings.add('7.3 a run that is asked to stop stops', `${idOf(key)} has not heard of it`)
    },
    began(state, step) {
      counts.executions++
      const id = folders.get(dirname(state))
      const run = id === undefined ? undefined : runs.get(id)
      if (run?.record.status !== 'running')
        findings.add('P3 nothing begins before it is stored', `${state}: ${run?.record.status ?? 'no run'}`)
      if (run?.isStopped && !step.startsWith('on')) findings.add('7.3 a stopped run begins no step', `${id}: ${step}`)
    },
    flushed(records) {
      for (const record of records) if (hasEnded(record)) ended.set(idOf(record), record.attempt)
    },
    reopened(store, lossy) {
      const stored = new Map(
        Array.from(store.runs.getRange(), ({ value: { record } }) => [
          idOf(record),
          { record, seq: latestSeq(store, record) }
        ])
      )
      for (const [id, { record, seq }] of runs) {
        const found = stored.get(id)
        if (!found) {
          if (!lossy || promised.has(id)) findings.add('P1 no acknowledged run is lost', `${id} after a restart`)
        } else if (!lossy && (found.record.status !== record.status || found.seq !== seq))
          findings.add(
            'P3 a later read never shows an older state',
            `${id}: ${record.status} ${seq}, then ${found.record.status} ${found.seq}`
          )
      }
      for (const [id, attempt] of ended) {
        const found = stored.get(id)?.record
        if (found && !hasEnded(found) && found.attempt <= attempt)
          findings.add('P3 a later read never shows an older state', `${id} had ended, then ${found.status}`)
      }
      ended.clear()
      for (const { message } of brokenIndexes(store)) findings.add('P5 every run is listed as what it is', message)
      if (!lossy)
        for (const id of stored.keys())
          if (!runs.has(id)) findings.add('14.1 what was removed stays removed', `${id} after a restart`)
      runs = new Map(
        Array.from(stored, ([id, found]) => {
          const { seq = 0, isAsked = false, isStopped = false } = runs.get(id) ?? {}
          // A power loss may lose a stop that was not acknowledged: that of a time limit recurs by the clock.
          return [
            id,
            { ...found, isAsked, isStopped: isStopped && (found.seq === seq || isStopping(store, found.record)) }
          ]
        })
      )
    },
    quiet(isOpen, isInQueue) {
      for (const [id, { record }] of runs) {
        if (record.status === 'running' && !isOpen(record))
          findings.add('P8 every run that is open is resumed or marked', `${id} is running, and nobody runs it`)
        if (record.status === 'queued' && !isInQueue(record))
          findings.add('12.11 a queued run waits, or fails', `${id} is queued, in no queue`)
      }
    },
    over() {
      for (const [id, { record }] of runs)
        if (!hasEnded(record)) findings.add('every run ends once faults stop', `${id} is ${record.status}`)
    }
  }
}
