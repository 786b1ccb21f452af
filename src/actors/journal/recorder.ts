/** The recorders: whoever makes an actor hands it the one of its machine. Each notes every transition of such an actor. */
import type { SnapshotFrom } from 'xstate'
import type { callMachine } from '../../../machines/call.ts'
import { runId } from '../../../machines/engine.ts'
import type { QueueEvent } from '../../../machines/queue/queue-events.ts'
import type { QueueContext } from '../../../machines/queue.ts'
import { isWaiting } from '../../../machines/tables/waiting-line.ts'
import type { OpenRun } from '../root/open-run.ts'
import { foundOnce, type Journal, openJournal, type Watch } from './journal.ts'
import { remembered } from './memory.ts'
import { nodeRecorder } from './node-recorder.ts'
import type { Recorder } from './recorded.ts'
import { runRecorder } from './run-recorder.ts'

export type Recorders = Readonly<Record<'queue' | 'run' | 'node' | 'call', Recorder>>

export function openRecorders(watch: Watch, journal = openJournal(watch)): Recorders {
  return {
    queue: queueRecorder(journal, watch),
    run: runRecorder(journal, watch),
    node: nodeRecorder(journal, watch),
    call: callRecorder(journal, watch)
  }
}

/** Notes what a queue does with a run, in the journal of that run. Nothing is stored of a queue: it is made of the runs in it. */
const REQUESTS: ReadonlySet<string> = new Set<QueueEvent['type']>(['start.requested', 'enqueue.requested'])

const queueRecorder = (journal: Journal, { runs, transactions, notices }: Watch): Recorder =>
  journal.recorder({
    whose({ id }, { key }) {
      const run = key && runs.get(runId(key))
      return run && { run, address: id }
    },
    /** Whether the run waits in it. */
    memory({ run }, _from, to) {
      const { line }: QueueContext = to.context
      return isWaiting(line, run.record) ? { context: { waits: true } } : {}
    },
    noted({ run }, record, { order }, from, to) {
      if (to.context.moves === (from?.context.moves ?? 0)) return // a refused run has no journal
      const { trigger } = run.record
      journal.note(trigger && REQUESTS.has(record.event) ? { ...record, trigger } : record, order)
      notices?.noted(transactions, record, { ...run, record: { ...run.record, status: 'queued' } })
    }
  })

/** Notes every transition of a node's call: its journal record, and what it has called. */
type CallSnapshot = SnapshotFrom<typeof callMachine>

/** Members left out follow from the plan or from the records of its sub runs. */
const LEFT_OUT: ReadonlySet<string> = new Set(['run', 'place', 'parallel', 'items', 'plan', 'facts'])

function callRecorder(journal: Journal, { transactions, runs }: Watch): Recorder {
  /** What is called is stored when it is known, and whether anything more is begun: the rest is in the sub runs' own records. */
  function save(run: OpenRun, snapshot: CallSnapshot): void {
    if (!snapshot.matches('working') && !snapshot.matches('stopping')) return
    const { name, dagRunId, attempt: runAttempt } = run.record
    const { place, attempt, plan, maxConcurrent, items, pass, stopped, offset } = snapshot.context
    transactions.changes.calls.set(`${runId(run.record)}/${place}/${attempt}`, {
      key: [name, dagRunId, place, runAttempt, attempt],
      value: { plan, maxConcurrent, items, pass, stopped, offset }
    })
  }

  return journal.recorder({
    whose: foundOnce(({ id, _parent: node }) => {
      const above = node?._parent
      const run = above && runs.get(above.id)
      return run && { run, address: `${above.id}/${node.id}/${id}` }
    }),
    memory: ({ isKnown }, from, to) => remembered(LEFT_OUT, from, to, isKnown),
    noted({ run }, record, { order }, _from, to: CallSnapshot) {
      journal.note(record, order)
      if (record.from !== record.to) save(run, to)
    }
  })
}
