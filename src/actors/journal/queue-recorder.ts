/** Notes what a queue does with a run, in the journal of that run. Nothing is stored of a queue: it is made of the runs in it. */
import { runId } from '../../../machines/engine.ts'
import type { QueueEvent } from '../../../machines/queue/queue-events.ts'
import type { QueueContext } from '../../../machines/queue.ts'
import { isWaiting } from '../../../machines/tables/waiting-line.ts'
import type { Journal, Watch } from './journal.ts'
import type { Recorder } from './recorded.ts'

const REQUESTS: ReadonlySet<string> = new Set<QueueEvent['type']>(['start.requested', 'enqueue.requested'])

export const queueRecorder = (journal: Journal, { runs, transactions, notices }: Watch): Recorder =>
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
