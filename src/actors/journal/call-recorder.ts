/** Notes every transition of a node's call: its journal record, and what it has called. */
import type { SnapshotFrom } from 'xstate'
import type { callMachine } from '../../../machines/call.ts'
import { runId } from '../../../machines/engine.ts'
import type { OpenRun } from '../root/open-run.ts'
import { foundOnce, type Journal, type Watch } from './journal.ts'
import { remembered } from './memory.ts'
import type { Recorder } from './recorded.ts'

type CallSnapshot = SnapshotFrom<typeof callMachine>

/** Members that follow from the plan or from the records of the sub runs. */
const LEFT_OUT: ReadonlySet<string> = new Set(['run', 'place', 'parallel', 'items', 'plan', 'facts'])

export function callRecorder(journal: Journal, { transactions, runs }: Watch): Recorder {
  /** The call is stored when it is known, and whether anything more is begun: the rest is in the sub runs' own records. */
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
