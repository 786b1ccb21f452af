/** Notes every transition of a run: its journal record, its state to be stored, the lines in its log, its end. */
import type { AnyMachineSnapshot, SnapshotFrom } from 'xstate'
import { runId } from '../../../machines/engine.ts'
import type { runMachine } from '../../../machines/run.ts'
import type { RunStatus } from '../../../machines/vocabulary.ts'
import type { OpenRun } from '../root/open-run.ts'
import { foundOnce, type Journal, type Watch } from './journal.ts'
import { keptNodes, remembered } from './memory.ts'
import { saveNode } from './node-recorder.ts'
import { type RunProgress, runOpenState, runProgress } from './persisted.ts'
import type { Recorder } from './recorded.ts'

type RunSnapshot = SnapshotFrom<typeof runMachine>

/** Members that follow from the plan, from nodes or from the key. */
const LEFT_OUT: ReadonlySet<string> = new Set(['key', 'plan', 'runState'])

export function runRecorder(journal: Journal, { transactions, logs, runs, notices, ended, over }: Watch): Recorder {
  function saveRun(run: OpenRun, snapshot: RunSnapshot, progress: RunProgress): void {
    const { key } = snapshot.context
    transactions.save(runId(key), () => {
      run.record = { ...run.record, ...progress }
      if (!progress.superseded) delete run.record.superseded
      const open = runOpenState(snapshot)
      const value = { record: run.record, seq: run.seq, ...(open ? { open } : {}) }
      transactions.changes.runs.set(runId(key), { value, ...(run.indexed ? { indexed: run.indexed } : {}) })
      run.indexed = run.record.status
    })
  }

  /** Nodes that rules resolved without an actor. */
  function noteSettled(run: OpenRun, { context: { plan, runState } }: RunSnapshot, cause: number): void {
    for (const { index, ...resolved } of runState.resolved.splice(0)) {
      const step = plan.steps[index]?.name ?? ''
      const actor = `${runId(run.record)}/node/${step}`
      const record = { step, ...resolved, retryCount: 0, doneCount: 0 }
      // With the states of actors: a retry resets its nodes in the turn in which its run begins.
      transactions.save(actor, () => saveNode(transactions, run, index, { record }))
      const { status, ...context } = resolved
      journal.note({ ...journal.next(run, actor, 'node.settled'), to: status, cause, context, status, step })
    }
  }

  /** A caller goes on as soon as the end of its sub run is committed: its own end waits for the disk. */
  function end(run: OpenRun, status: RunStatus): void {
    transactions.afterCommit(() => ended(run, status))
    if (run.record.caller) transactions.whenShown(() => over(run))
    else transactions.afterFlush(() => over(run))
  }

  function log(
    { record }: OpenRun,
    from: AnyMachineSnapshot | undefined,
    to: RunSnapshot,
    progress: RunProgress
  ): void {
    const { status, error } = progress
    if (!from)
      logs.write(record.log, 'INFO', 'run started', {
        name: record.name,
        run: record.dagRunId,
        attempt: record.attempt,
        ...(record.placement ? { worker: record.placement.id } : {})
      })
    else if (to.status === 'done')
      logs.write(record.log, status === 'failed' ? 'ERROR' : 'INFO', 'run finished', {
        status,
        ...(error ? { error } : {})
      })
    else if (to.matches('stopping') && !from.matches('stopping')) logs.write(record.log, 'WARN', 'run is being stopped')
  }

  return journal.recorder({
    whose: foundOnce(({ id }) => {
      const run = runs.get(id)
      return run && { run, address: id }
    }),
    memory: ({ isKnown }, from, to) => remembered(LEFT_OUT, from, to, isKnown),
    noted({ run }, record, { order, seq }, from, snapshot: RunSnapshot) {
      const progress = runProgress(snapshot)
      if (!from) Object.assign(record, keptNodes(run))
      record.status = progress.status
      journal.note(record, order)
      if (notices) notices.noted(transactions, record, { ...run, record: { ...run.record, ...progress } })
      noteSettled(run, snapshot, seq)
      saveRun(run, snapshot, progress)
      log(run, from, snapshot, progress)
      if (snapshot.status === 'done') end(run, progress.status)
    },
    stored({ id }) {
      const run = runs.get(id)
      const stored = run?.stored
      if (run) run.stored = undefined // `delete` would make a table of it
      return stored
    }
  })
}
