/** Notes every transition of queues, runs and nodes: its journal record, the state to be stored, the line in the run log. Source: architecture 1. */
import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, SnapshotFrom } from 'xstate'
import type { callMachine } from '../../../machines/call.ts'
import { runId } from '../../../machines/engine.ts'
import type { NodePlace, nodeMachine } from '../../../machines/node.ts'
import type { runMachine } from '../../../machines/run.ts'
import type { ChurnMap } from '../../../machines/tables/churn-map.ts'
import type { JournalRecord, NodeRecord, RunKey, RunStatus } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import type { OpenRun } from '../root/open-run.ts'
import type { RunLogs } from '../run/run-log.ts'
import { keptNodes, placeIn, remembered } from './memory.ts'
import { nodeRecord, type RunProgress, runOpenState, runProgress, storedNode } from './persisted.ts'
import { pathOf, type Recorder, type Transition } from './recorded.ts'
import type { Transactions } from './transactions.ts'

/** What subscribers are told of: a journal record. */
export type RunEvent = JournalRecord

export interface Watch {
  clock: Clock
  transactions: Transactions
  logs: RunLogs
  /** Open runs by `runId`. */
  runs: ChurnMap<OpenRun>
  /** Told of each record when it is committed. */
  publish(event: RunEvent): void
  /** Told of each step of a traced run that has ended after it was executed, when that is committed. */
  stepped(run: OpenRun, node: NodeRecord): void
  /** Told of each run that has ended, when that is committed. */
  ended(run: OpenRun, status: RunStatus): void
  /** Told of it again when readers see it; of a root run when it has reached the disk. */
  over(run: OpenRun): void
}

/** Whose transition it is. */
interface Who {
  run: OpenRun
  address: string
  kind: 'queue' | 'run' | 'node' | 'call'
  /** The journal has its memory up to its latest transition. */
  isKnown?: true
}
type NodeSnapshot = SnapshotFrom<typeof nodeMachine>
type CallSnapshot = SnapshotFrom<typeof callMachine>
type RunSnapshot = SnapshotFrom<typeof runMachine>

// D214
export function openRecorder({ clock, transactions, logs, runs, publish, stepped, ended, over }: Watch): Recorder {
  const known = new WeakMap<AnyActorRef, Who>()
  let begun = 0
  /** Of the turns at hand: told when they are committed, in the order in which they began. */
  type Unpublished = { order: number; event: RunEvent }[]
  let unpublished: Unpublished | undefined

  function tell(order: number, event: RunEvent): void {
    if (!unpublished) {
      const together: Unpublished = []
      unpublished = together
      transactions.save('unpublished', () => {
        unpublished = undefined // what comes now belongs to the next commit
      })
      // When the store shows it too: nobody who hears of a state reads an older one.
      transactions.whenShown(() => {
        together.sort((a, b) => a.order - b.order) // a transition is noted when it is over
        for (const { event } of together) publish(event)
      })
    }
    unpublished.push({ order, event })
  }

  function whoIs(actor: AnyActorRef, event: AnyEventObject): Who | undefined {
    const who = known.get(actor)
    if (who) return who
    const { id, _parent: parent } = actor
    if (id.startsWith('queue/')) {
      const run = event.key && runs.get(runId(event.key as RunKey))
      return run && { run, address: id, kind: 'queue' }
    }
    const above = parent && whoIs(parent, event)
    const run = above?.run ?? runs.get(id)
    if (!run) return undefined
    const found: Who = above
      ? { run, address: `${above.address}/${id}`, kind: above.kind === 'run' ? 'node' : 'call' }
      : { run, address: id, kind: 'run' }
    known.set(actor, found)
    return found
  }

  function causeOf({ run, address }: Who, { type, actorId }: AnyEventObject): number | undefined {
    if (!type.startsWith('xstate.done.actor.') && !type.startsWith('xstate.error.actor.')) return recorder.cause?.seq
    const child = `${address}/${actorId}`
    const seq = run.ended.get(child)
    run.ended.delete(child)
    return seq
  }

  function saveRun(run: OpenRun, snapshot: RunSnapshot, progress: RunProgress): void {
    const { key } = snapshot.context
    transactions.save(runId(key), () => {
      run.record = { ...run.record, ...progress }
      const open = runOpenState(snapshot)
      const value = { record: run.record, seq: run.seq, ...(open ? { open } : {}) }
      transactions.changes.runs.set(runId(key), { value, ...(run.indexed ? { indexed: run.indexed } : {}) })
      run.indexed = run.record.status
    })
  }

  /** Nodes that rules settled without an actor. */
  function noteSettled(run: OpenRun, { context: { plan, runState } }: RunSnapshot, cause: number): void {
    for (const { index, ...settled } of runState.settled.splice(0)) {
      const step = plan.steps[index]?.name ?? ''
      const actor = `${runId(run.record)}/node/${step}`
      // With the states of actors: a retry resets its nodes in the turn in which its run begins.
      transactions.save(actor, () =>
        saveNode(run, index, { record: { step, ...settled, retryCount: 0, doneCount: 0 } })
      )
      const { status, ...context } = settled
      note(++begun, { ...recordOf(run, ++run.seq, actor, 'node.settled'), to: status, cause, context, status, step })
    }
  }

  function saveNode(
    run: OpenRun,
    place: NodePlace,
    value: Parameters<typeof transactions.changes.nodes.set>[1]['value']
  ): void {
    const { name, dagRunId } = run.record
    transactions.changes.nodes.set(`${runId(run.record)}/${place}`, { key: [name, dagRunId, place], value })
  }

  /** What is called is stored when it is known, and whether anything more is begun: the rest is in the sub runs' own records. */
  function saveCall(run: OpenRun, snapshot: CallSnapshot): void {
    if (!snapshot.matches('working') && !snapshot.matches('stopping')) return
    const { name, dagRunId, attempt: runAttempt } = run.record
    const { place, attempt, plan, maxConcurrent, items, pass, stopped, offset } = snapshot.context
    transactions.changes.calls.set(`${runId(run.record)}/${place}/${attempt}`, {
      key: [name, dagRunId, place, runAttempt, attempt],
      value: { plan, maxConcurrent, items, pass, stopped, offset }
    })
  }

  /** A caller goes on as soon as the end of its sub run is committed: its own end waits for the disk. */
  function end(run: OpenRun, status: RunStatus): void {
    transactions.afterCommit(() => ended(run, status))
    if (run.record.caller) transactions.whenShown(() => over(run))
    else transactions.afterFlush(() => over(run))
  }

  function recordOf({ record: { name, dagRunId } }: OpenRun, seq: number, actor: string, event: string): JournalRecord {
    return { run: { name, dagRunId }, seq, at: clock.now(), actor, event, from: '', to: '' }
  }

  function note(order: number, record: JournalRecord): void {
    transactions.changes.journal.push(record)
    tell(order, record)
  }

  function nodeNoted(run: OpenRun, address: string, snapshot: NodeSnapshot): NodeRecord {
    const { place } = snapshot.context
    const record = nodeRecord(snapshot, run.record.nodeLogs)
    run.scope?.nodes.set(place, record)
    transactions.save(address, () => saveNode(run, place, storedNode(snapshot, record)))
    return record
  }

  /** Handlers have no spans, and neither has a step that was skipped or canceled before its first execution. */
  function traceNode(run: OpenRun, snapshot: NodeSnapshot): void {
    const { place, attempt } = snapshot.context
    const node = nodeRecord(snapshot, run.record.nodeLogs)
    if (typeof place === 'number' && (attempt > 0 || node.status === 'failed'))
      transactions.afterCommit(() => stepped(run, node))
  }

  const recorder: Recorder = {
    cause: undefined,
    stored(actor) {
      const run = runs.get(actor.id)
      const stored = run?.stored
      if (run) run.stored = undefined // `delete` would make a table of it
      return stored
    },
    begin(actor, event): Transition | undefined {
      const who = whoIs(actor, event)
      return who && { seq: ++who.run.seq, order: ++begun, event: event.type, cause: causeOf(who, event), who }
    },
    noted(
      { seq, order, event, cause, who: whose },
      _actor,
      from: AnyMachineSnapshot | undefined,
      to: AnyMachineSnapshot
    ) {
      const who = whose as Who
      const { run, address, kind } = who
      // Its members one by one: gathered from other objects they cost as much as all the rest of this.
      const record = recordOf(run, seq, address, event)
      if (from) record.from = pathOf(from.value)
      record.to = pathOf(to.value)
      if (cause !== undefined) record.cause = cause
      const { context, whole } = kind === 'queue' ? placeIn(to, run) : remembered(kind, from, to, who.isKnown)
      if (context) record.context = context
      if (whole) record.whole = whole
      who.isKnown = true
      if (to.status !== 'active') run.ended.set(address, seq)
      if (kind === 'queue') {
        if (to.context.moves > (from?.context.moves ?? 0)) note(order, record) // a refused run has no journal
      } else if (kind === 'run') {
        const snapshot = to as RunSnapshot
        const progress = runProgress(snapshot)
        if (!from) Object.assign(record, keptNodes(run))
        record.status = progress.status
        note(order, record)
        noteSettled(run, snapshot, seq)
        saveRun(run, snapshot, progress)
        tellOfRun(run, from, snapshot, progress)
        if (snapshot.status === 'done') end(run, progress.status)
      } else if (kind === 'call') {
        note(order, record)
        if (record.from !== record.to) saveCall(run, to as CallSnapshot)
      } else {
        const seen = nodeNoted(run, address, to as NodeSnapshot)
        record.status = seen.status
        record.step = seen.step
        note(order, record)
        tellOfNode(run, from as NodeSnapshot | undefined, to as NodeSnapshot, seen)
        if (run.scope?.trace && to.status === 'done') traceNode(run, to as NodeSnapshot)
      }
    }
  }

  function tellOfRun(
    { record }: OpenRun,
    from: AnyMachineSnapshot | undefined,
    to: RunSnapshot,
    { status, error }: RunProgress
  ): void {
    if (!from)
      logs.write(record.log, 'INFO', 'run started', {
        name: record.name,
        run: record.dagRunId,
        attempt: record.attempt
      })
    else if (to.status === 'done')
      logs.write(record.log, status === 'failed' ? 'ERROR' : 'INFO', 'run finished', {
        status,
        ...(error ? { error } : {})
      })
    else if (to.matches('stopping') && !from.matches('stopping')) logs.write(record.log, 'WARN', 'run is being stopped')
  }

  function tellOfNode(
    { record }: OpenRun,
    from: NodeSnapshot | undefined,
    to: NodeSnapshot,
    { step, status, error }: NodeRecord
  ): void {
    // It may hear of something meanwhile: in a wait a call tells that it is over.
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

  return recorder
}
