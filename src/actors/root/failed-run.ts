/** Fails a run that cannot continue: it gets the reason, its nodes are resolved, its executions are killed. Source: architecture 3, 5. */
import { runId } from '../../../machines/engine.ts'
import type { AttemptInput } from '../../../machines/node.ts'
import { nodeId } from '../../../machines/run.ts'
import type { JournalRecord, NodePlace, Plan, RunKey, RunRecord, Step } from '../../../machines/vocabulary.ts'
import { latestExecution } from '../../executors/processes/state-file.ts'
import {
  indexedStatus,
  isOf,
  isUnreadable,
  keepBytes,
  readEntry,
  readRun,
  UNREADABLE
} from '../../store/damage/damaged.ts'
import { nodesOf, planOf } from '../../store/history.ts'
import type { OpenState, StoredRun } from '../../store/stored.ts'
import type { Transactions } from '../journal/transactions.ts'
import { nextAfter } from '../recovery/recovery.ts'
import { nodeFiles } from '../run/log-names.ts'
import { stepAt } from '../run/run-scope.ts'
import { keyOf, type OpenRun } from './open-run.ts'
import type { SystemParts } from './system-parts.ts'

type Parts = Pick<SystemParts, 'store' | 'executors' | 'logs' | 'publish' | 'notices'>
type LostRun = Pick<OpenRun, 'record' | 'seq' | 'indexed'>

// D17, D863: a run that cannot be restored fails; a queue that throws restarts
/** Records a run as failed with the reason, within a transaction. */
export function failRun(parts: Parts, transactions: Transactions, run: LostRun, at: number, error: string): void {
  const events = resolveNodes(parts, transactions, run, at)
  const record: RunRecord = { ...run.record, status: 'failed', finishedAt: at, error }
  events.push({
    run: keyOf(record),
    seq: ++run.seq,
    at,
    actor: runId(record),
    // D905: a run that the engine gives up has a record `run.parked`
    event: 'run.parked',
    from: '',
    to: 'failed',
    status: 'failed',
    context: { error }
  })
  if (record.log) parts.logs.write(record.log, 'ERROR', 'run is given up', { error })
  const { journal, runs } = transactions.changes
  for (const event of events) {
    journal.push(event)
    parts.notices?.noted(transactions, event, { record })
  }
  const value: StoredRun = { record, seq: run.seq }
  runs.set(runId(record), { value, ...(run.indexed ? { indexed: run.indexed } : {}) })
  transactions.whenShown(() => events.forEach(parts.publish))
}

/**
 * Open nodes are recorded as given up, and their executions are killed, because their end would never be seen. Nothing is recorded for
 * a node that cannot be read, as it may have ended.
 */
function resolveNodes(parts: Parts, transactions: Transactions, run: LostRun, at: number): JournalRecord[] {
  const { store } = parts
  const key = keyOf(run.record)
  const plan = planOf(store, run.record.plan)?.plan
  if (!plan) abandonAll(parts, transactions, key)
  return [...nodesOf(store, key)].flatMap(([place, found]) => {
    const step = stepOf(plan, place)
    const node = isUnreadable(found.record) ? undefined : found
    if (!step || (node && !node.open && node.record.status !== 'running')) return []
    abandon(parts, transactions, run, step, node?.open)
    if (!node?.record) return []
    const said = { status: 'failed' as const, finishedAt: at, error: GIVEN_UP }
    const value = { record: { ...node.record, ...said } }
    transactions.changes.nodes.set(`${runId(key)}/${place}`, { key: [key.name, key.dagRunId, place], value })
    const { status, ...context } = said
    const actor = `${runId(key)}/${nodeId(place, step)}`
    const seq = ++run.seq
    return { run: key, seq, at, actor, step: step.name, event: 'node.settled', from: '', to: status, status, context }
  })
}

/** @param open undefined for a node that cannot be read: then the latest execution with a record is the running one, if any */
function abandon(
  { executors, logs }: Parts,
  transactions: Transactions,
  { record }: LostRun,
  step: Step,
  open?: Partial<OpenState>
): void {
  const { stdout, stderr, state } = nodeFiles(record.nodeLogs, step.name)
  transactions.afterCommit(() => {
    const execution = open?.children ? executionOf(open.children) : latestExecution(state)
    if (execution === undefined) return
    const killed = executors.get(step.executor.type)?.abandon?.({ stdout, stderr, state: state(execution) })
    void Promise.resolve(killed).catch(({ message }: Error) => {
      if (record.log)
        logs.write(record.log, 'WARN', 'a process of a step may continue: it cannot be killed', {
          step: step.name,
          error: message
        })
    })
  })
}

/** The steps of the run are not known any more; what they started is found by the run. */
const abandonAll = ({ executors }: Parts, transactions: Transactions, key: RunKey): void =>
  transactions.afterCommit(() => {
    for (const executor of executors.values()) executor.abandonRun?.(key)
  })

const GIVEN_UP = 'interrupted: the run was given up'

/** Undefined: none is running. */
const executionOf = (children: OpenState['children']): number | undefined =>
  Object.values(children)
    .filter(({ src }) => src === 'attempt')
    .map(({ input }) => (input as Partial<AttemptInput> | undefined)?.attempt) // as `openState` stored it
    .at(-1)

/** Undefined: the plan is damaged and has no such step. */
function stepOf(plan: Plan | undefined, place: NodePlace): Step | undefined {
  try {
    return plan && stepAt(plan, place)
  } catch {
    return undefined
  }
}

const isThere = ({ runs }: SystemParts['store'], { name, dagRunId }: RunKey): boolean =>
  readEntry(runs, [name, dagRunId], (entry) => isOf(entry, name, dagRunId)) !== undefined

/** A run whose state cannot be used stays listed as failed with `state unreadable`. Source: reliability P7. */
export function failUnreadable(parts: Parts, transactions: Transactions, key: RunKey, at: number, error: string): void {
  const { store } = parts
  const stored = readRun(store, key)
  if (!stored) return
  const { record } = stored
  // Already replaced, with the same information.
  if (isUnreadable(record) && !isThere(store, key)) keepBytes(store, 'runs', [key.name, key.dagRunId])
  const indexed = indexedStatus(store, record.createdAt, key)
  const run = { record, seq: nextAfter(store, stored), ...(indexed ? { indexed } : {}) }
  failRun(parts, transactions, run, at, `${UNREADABLE}: ${error}`)
}
