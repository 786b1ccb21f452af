/** Notes every transition of a node: its journal record, its state to be stored, the line in the log of its run, its span. */
import type { SnapshotFrom } from 'xstate'
import { runId } from '../../../machines/engine.ts'
import type { nodeMachine } from '../../../machines/node.ts'
import type { NodePlace, NodeRecord, RunKey } from '../../../machines/vocabulary.ts'
import type { StoredNode } from '../../store/stored.ts'
import type { OpenRun } from '../root/open-run.ts'
import { foundOnce, type Journal, type Watch } from './journal.ts'
import { remembered } from './memory.ts'
import { nodeRecord, storedNode } from './persisted.ts'
import type { Recorder } from './recorded.ts'
import type { Transactions } from './transactions.ts'

type NodeSnapshot = SnapshotFrom<typeof nodeMachine>

/** Members that follow from the plan or from the node's record, and an output, which may be large. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'run',
  'place',
  'step',
  'cleanUpMs',
  'onInterrupt',
  'onWorkerLost',
  'placement',
  'startedAt',
  'output',
  'outputMarks',
  'thrown'
])

// D214: the journal stores status and step beside the state path
export function nodeRecorder(
  journal: Journal,
  { transactions, logs, runs, meters, notices, stepped }: Watch
): Recorder {
  function save(run: OpenRun, address: string, snapshot: NodeSnapshot): NodeRecord {
    const { place } = snapshot.context
    const record = nodeRecord(snapshot, run.record.nodeLogs)
    run.scope?.nodes.set(place, record)
    transactions.save(address, () => saveNode(transactions, run, place, storedNode(snapshot, record)))
    return record
  }

  function log({ record }: OpenRun, from: NodeSnapshot | undefined, to: NodeSnapshot, node: NodeRecord): void {
    const { step, status, error } = node
    // A waiting node may hear of something meanwhile, such as the end of a call.
    const enters = (state: 'waiting' | 'repeating') => to.matches(state) && !from?.matches(state)
    if (!from) logs.write(record.log, 'INFO', 'step started', { step })
    else if (enters('waiting'))
      logs.write(record.log, 'WARN', 'step failed and is tried again', { step, retry: to.context.retryCount })
    else if (enters('repeating')) logs.write(record.log, 'INFO', 'step repeats', { step, done: to.context.doneCount })
    else if (to.status === 'done')
      logs.write(record.log, status === 'failed' ? 'ERROR' : 'INFO', 'step finished', {
        step,
        status,
        ...(error ? { error } : {})
      })
  }

  /** Handlers have no spans, and neither has a step that was skipped or canceled before its first execution. */
  function trace(run: OpenRun, snapshot: NodeSnapshot): void {
    const { place, attempt } = snapshot.context
    const node = nodeRecord(snapshot, run.record.nodeLogs)
    if (typeof place === 'number' && (attempt > 0 || node.status === 'failed'))
      transactions.afterCommit(() => stepped(run, node))
  }

  function measure(
    from: NodeSnapshot | undefined,
    to: NodeSnapshot,
    { status, startedAt, finishedAt }: NodeRecord
  ): void {
    const { type } = to.context.step.executor
    if (to.matches('waiting') && !from?.matches('waiting')) meters.note({ what: 'retry', type })
    if (to.status !== 'done' || startedAt === undefined || finishedAt === undefined) return
    transactions.afterCommit(() => meters.note({ what: 'step', type, status, ms: finishedAt - startedAt }))
  }

  return journal.recorder({
    whose: foundOnce(({ id, _parent: parent }) => {
      const run = parent && runs.get(parent.id)
      return run && { run, address: `${parent.id}/${id}` }
    }),
    memory: ({ isKnown }, from, to) => remembered(LEFT_OUT, from, to, isKnown),
    noted({ run, address }, record, { order }, from: NodeSnapshot | undefined, snapshot: NodeSnapshot) {
      const node = save(run, address, snapshot)
      record.status = node.status
      record.step = node.step
      journal.note(record, order)
      notices?.noted(transactions, record, { ...run, node })
      log(run, from, snapshot, node)
      if (meters.isOn) measure(from, snapshot, node)
      if (run.scope?.trace && snapshot.status === 'done') trace(run, snapshot)
    },
    stored({ id, _parent: parent }) {
      const nodes = parent && runs.get(parent.id)?.storedNodes
      const stored = nodes?.get(id)
      nodes?.delete(id)
      return stored
    }
  })
}

/** @param run its record has its key */
export function saveNode(
  { changes }: Transactions,
  { record }: { record: RunKey },
  place: NodePlace,
  value: StoredNode
): void {
  const { name, dagRunId } = record
  changes.nodes.set(`${runId(record)}/${place}`, { key: [name, dagRunId, place], value })
}
