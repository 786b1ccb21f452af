/**
 * The end of an execution that was given up, as its worker says after all: an entry in the journal and in the log of its run, and nothing
 * else. Source: distribution 1 (D6).
 */
import type { ActorRefFrom, AnyActorRef, SnapshotFrom } from 'xstate'
import { runId } from '../../../machines/engine.ts'
import type { AttemptLate } from '../../../machines/node/node-context.ts'
import type { nodeMachine } from '../../../machines/node.ts'
import { nodeId, type runMachine } from '../../../machines/run.ts'
import type { LateEnd, NodePlace, RunKey, Step } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import { latestSeq, runRecord } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { Journal } from '../journal/journal.ts'
import { saveNode } from '../journal/node-recorder.ts'
import type { Transactions } from '../journal/transactions.ts'
import type { RunLogs } from '../run/run-log.ts'
import type { OpenRun } from './open-run.ts'

export interface LateEndOf {
  key: RunKey
  place: NodePlace
  step: Step
  /** Number of the execution. */
  attempt: number
  late: LateEnd
}

export interface LateEndParts {
  store: Store
  clock: Clock
  transactions: Transactions
  journal: Journal
  logs: RunLogs
  root: { getSnapshot(): { children: Record<string, AnyActorRef | undefined> } }
  /** The run, while it is open. */
  open: OpenRun | undefined
}

/** Resolves when it is on disk and readers see it. @throws Error when it cannot be written down now */
export async function noteLateEnd(parts: LateEndParts, { key, place, step, attempt, late }: LateEndOf): Promise<void> {
  const { store, clock, transactions, journal, logs, root, open } = parts
  const run = root.getSnapshot().children[runId(key)]?.getSnapshot() as SnapshotFrom<typeof runMachine> | undefined
  const node = run?.children[nodeId(place, step)] as ActorRefFrom<typeof nodeMachine> | undefined
  const event: AttemptLate = { type: 'attempt.late', at: clock.now(), attempt, late }
  const stored = runRecord(store, key)
  const found = store.nodes.get([key.name, key.dagRunId, place])
  const isAlive = node?.getSnapshot().status === 'active'
  if (!stored || !found || (!isAlive && found.open)) throw new Error(`what became of ${step.name} is not known yet`)
  const { record } = found

  /** Notes the late end of a node whose actor is gone. */
  function append(run: Pick<OpenRun, 'seq' | 'scope'> & { record: RunKey }): void {
    const givenUp = (record.givenUp ?? []).map((one) => (one.attempt === attempt && !one.late ? { ...one, late } : one))
    const after = { ...record, givenUp }
    run.scope?.nodes.set(place, after)
    saveNode(transactions, run, place, { record: after })
    const { status } = record
    const address = `${runId(key)}/${nodeId(place, step)}`
    const entry = journal.next(run, address, event.type)
    journal.note({ ...entry, from: status, to: status, status, step: step.name, context: { givenUp } })
  }
  await new Promise<void>((resolve) => {
    transactions.take(() => {
      if (isAlive) node.send(event)
      else append(open ?? { record: key, seq: latestSeq(store, key) })
      transactions.afterFlush(resolve)
    })
  })
  const { exitCode, signal, error } = late
  logs.write(stored.log, 'WARN', 'an execution that was given up has ended, and nothing follows from it', {
    step: step.name,
    attempt,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(error === undefined ? {} : { error })
  })
}
