/** A run that cannot go on is parked: it has failed with the reason, its nodes are settled, what they had at work is ended. Source: architecture 3, 5. */
import { runId } from '../../machines/engine.ts'
import type { NodePlace } from '../../machines/node.ts'
import { nodeId } from '../../machines/run.ts'
import type { JournalRecord, RunKey, RunRecord } from '../../machines/vocabulary.ts'
import { indexedStatus, keepBytes, readRun, UNREADABLE } from '../store/damaged.ts'
import { nodesOf, planOf } from '../store/history.ts'
import type { OpenState, StoredRun } from '../store/open.ts'
import { nodeFiles } from './log-names.ts'
import type { OpenRun } from './open-run.ts'
import { nextAfter } from './recovery.ts'
import { stepAt } from './run-scope.ts'
import type { SystemParts } from './system-parts.ts'
import type { Turns } from './turns.ts'

type Parts = Pick<SystemParts, 'store' | 'executors' | 'logs' | 'publish'>
type Parked = Pick<OpenRun, 'record' | 'seq' | 'indexed'>

/** Records a run as failed with the reason, within a turn. */
export function parkRun(parts: Parts, turns: Turns, run: Parked, at: number, error: string): void {
  const told = settleNodes(parts, turns, run, at)
  const record: RunRecord = { ...run.record, status: 'failed', finishedAt: at, error }
  told.push({
    run: keyOf(record),
    seq: ++run.seq,
    at,
    actor: runId(record),
    event: 'run.parked',
    from: '',
    to: 'failed',
    status: 'failed',
    context: { error }
  })
  if (record.log) parts.logs.write(record.log, 'ERROR', 'run is given up', { error })
  const { journal, runs } = turns.changes
  journal.push(...told)
  const value: StoredRun = { record, seq: run.seq }
  runs.set(runId(record), { value, ...(run.indexed ? { indexed: run.indexed } : {}) })
  turns.whenShown(() => told.forEach(parts.publish))
}

/** Nodes that were open say that they were given up; nobody would ever hear how their executions end, so they are killed. */
function settleNodes({ store, executors }: Parts, turns: Turns, run: Parked, at: number): JournalRecord[] {
  const key = keyOf(run.record)
  const plan = planOf(store, run.record.plan)?.plan
  if (!plan) return []
  return Array.from(nodesOf(store, key)).flatMap(([place, { record, open }]) => {
    if (!open) return []
    const step = stepAt(plan, place as NodePlace)
    const { stdout, stderr, state } = nodeFiles(run.record.nodeLogs, step.name)
    for (const attempt of executionsOf(open))
      turns.afterCommit(() => executors.get(step.executor.type)?.abandon?.({ stdout, stderr, state: state(attempt) }))
    const said = { status: 'failed' as const, finishedAt: at, error: GIVEN_UP }
    const value = { record: { ...record, ...said } }
    turns.changes.nodes.set(`${runId(key)}/${place}`, { key: [key.name, key.dagRunId, place], value })
    const { status, ...context } = said
    const actor = `${runId(key)}/${nodeId(place as NodePlace, step)}`
    const seq = ++run.seq
    return { run: key, seq, at, actor, step: step.name, event: 'node.settled', from: '', to: status, status, context }
  })
}

const GIVEN_UP = 'interrupted: the run was given up'

const executionsOf = ({ children }: OpenState): number[] =>
  Object.values(children)
    .filter(({ src }) => src === 'attempt')
    .map(({ input }) => (input as { attempt: number }).attempt)

/** A run whose state cannot be used stays listed, as failed with `state unreadable`. Source: reliability P7. */
export function parkUnreadable(parts: Parts, turns: Turns, key: RunKey, at: number, error: string): void {
  const { store } = parts
  const stored = readRun(store, key)
  if (!stored) return
  const { record } = stored
  if (record.error === UNREADABLE) keepBytes(store, 'runs', [key.name, key.dagRunId])
  const indexed = indexedStatus(store, record.createdAt, key)
  const run = { record, seq: nextAfter(store, stored), ...(indexed ? { indexed } : {}) }
  parkRun(parts, turns, run, at, `${UNREADABLE}: ${error}`)
}

const keyOf = ({ name, dagRunId }: RunKey): RunKey => ({ name, dagRunId })
