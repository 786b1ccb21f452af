/** The real recorders around a run on a stage: what it writes to the journal, beside what is stored at that very instant. */
import type { AnyMachineSnapshot, SnapshotFrom } from 'xstate'
import type { nodeMachine } from '../../../machines/node.ts'
import type { runMachine } from '../../../machines/run.ts'
import { churnMap } from '../../../machines/tables/churn-map.ts'
import type { JournalRecord, Plan } from '../../../machines/vocabulary.ts'
import { nodeRecord, runOpenState, runProgress, storedNode } from '../../../src/actors/journal/persisted.ts'
import { pathOf } from '../../../src/actors/journal/recorded.ts'
import { openRecorders } from '../../../src/actors/journal/recorder.ts'
import type { Transactions } from '../../../src/actors/journal/transactions.ts'
import type { OpenRun } from '../../../src/actors/root/open-run.ts'
import { openMeters } from '../../../src/platform/meters.ts'
import { noChanges } from '../../../src/store/changes.ts'
import type { RunRecorders } from '../charts/charts.ts'
import { key } from '../charts/plans.ts'
import type { Stage } from '../charts/stage.ts'
import { simulatedClock } from '../simulated/simulated-clock.ts'

/** What the store receives of an actor with one of its transitions. */
export interface Written {
  address: string
  path: string
  /** Absent: it has come to its end. */
  context?: Record<string, unknown>
  /** A node's record, or the status of the run. */
  record: Record<string, unknown>
}

export interface NotedRun {
  recorders: RunRecorders
  /** In the order of their numbers, as the store gives them back. */
  journal(): JournalRecord[]
  written: Map<number, Written>
}

const LOGS = '/logs'
export const ADDRESS = 'run/dag/r1'

/** @param stage whose time it is */
export function notedRun(plan: Plan, stage: Stage): NotedRun {
  const changes = noChanges()
  const open: OpenRun = {
    record: { ...key(), status: 'running', attempt: 1, createdAt: 0, params: [], log: '', nodeLogs: LOGS, plan: '' },
    plan,
    spec: '',
    seq: 0,
    ended: new Map()
  }
  const transactions: Transactions = {
    take: (work) => work(),
    changes,
    save: () => {},
    afterCommit: () => {},
    afterCommitOrStall: () => {},
    afterFlush: () => {},
    whenShown: () => {},
    before: () => {},
    settled: async () => {},
    leave: () => new Promise<void>(() => {}),
    left: undefined,
    stalled: undefined
  }
  const runs = churnMap<OpenRun>()
  runs.set('run', open)
  const recorders = openRecorders({
    clock: { ...simulatedClock(), now: () => stage.now },
    transactions,
    logs: { write: () => {}, flushed: async () => {} },
    runs,
    publish: () => {},
    stepped: () => {},
    ended: () => {},
    meters: openMeters(),
    over: () => {}
  })
  const written = new Map<number, Written>()
  const { run, node } = recorders
  const { noted: runNoted } = run
  run.noted = (transition, actor, from, to) => {
    runNoted(transition, actor, from, to)
    written.set(transition.seq, structuredClone({ address: ADDRESS, ...ofRun(to) }))
  }
  const { noted: nodeNoted } = node
  node.noted = (transition, actor, from, to) => {
    nodeNoted(transition, actor, from, to)
    written.set(transition.seq, structuredClone({ address: `${ADDRESS}/${actor.id}`, ...ofNode(to) }))
  }
  return {
    recorders,
    journal: () =>
      changes.journal
        .map((record) => ({ ...record, actor: record.actor.replace(/^run(?=\/(?:node|handler)|$)/, ADDRESS) }))
        .map((record) => JSON.parse(JSON.stringify(record)) as JournalRecord)
        .sort((a, b) => a.seq - b.seq),
    written
  }
}

const ofRun = (snapshot: AnyMachineSnapshot): Omit<Written, 'address'> => {
  const run = snapshot as SnapshotFrom<typeof runMachine>
  const { key: _, ...context } = runOpenState(run)?.context ?? {}
  return {
    path: pathOf(run.value),
    ...(run.status === 'active' ? { context } : {}),
    record: { status: runProgress(run).status }
  }
}

const ofNode = (snapshot: AnyMachineSnapshot): Omit<Written, 'address'> => {
  const node = snapshot as SnapshotFrom<typeof nodeMachine>
  const { record, open } = storedNode(node, nodeRecord(node, LOGS))
  const { stdout: _stdout, stderr: _stderr, ...rest } = record
  return { path: pathOf(node.value), ...(open ? { context: open.context } : {}), record: rest }
}
