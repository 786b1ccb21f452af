/** Events that a transition causes, for their targets: stored with it, in the same transaction. Source: docs/notifications.md "Events". */
import { type Notice, noticeOf } from '../../../machines/policy/notices.ts'
import type { JournalRecord, NodeRecord, RunRecord } from '../../../machines/vocabulary.ts'
import { type Clock, uuidV7 } from '../../clock.ts'
import { planOf } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import { putDelivery } from '../../store/tables/deliveries.ts'
import type { Transactions } from '../journal/transactions.ts'
import type { OpenRun } from '../root/open-run.ts'
import { type EventHead, runEvent, type Sender, workerEvent } from './cloud-event.ts'
import { type NotifyTarget, readyTarget } from './target.ts'

/** A run in the state in which its transition has left it. */
export type NoticedRun = { record: RunRecord; node?: NodeRecord } & Partial<Pick<OpenRun, 'plan' | 'scope'>>

export interface Notices {
  /** Within the transaction of that transition. */
  noted(transactions: Transactions, record: JournalRecord, run: NoticedRun): void
  /** A worker is lost or back. Resolves when that survives a crash. */
  worker(
    transactions: Transactions,
    notice: 'worker.lost' | 'worker.back',
    worker: { id: string; runs: number }
  ): Promise<void>
}

export interface NoticesParts {
  store: Store
  clock: Clock
  targets: readonly NotifyTarget[]
  sender: Sender
  /** Called for each event when readers see it. */
  added(target: string, id: string, dueAt: number): void
}

const failedIn = (scope: OpenRun['scope']): NodeRecord[] =>
  [...(scope?.nodes.values() ?? [])].filter(({ status }) => status === 'failed')

/** A step that was given up with its run has no record at hand. */
function settledNode({ step, at, context }: JournalRecord): NodeRecord | undefined {
  if (step === undefined) return undefined
  const error = typeof context?.error === 'string' ? { error: context.error } : {}
  return { step, status: 'failed', retryCount: 0, doneCount: 0, finishedAt: at, ...error }
}

export function openNotices({ store, clock, targets, sender, added }: NoticesParts): Notices {
  const ready = targets.map(readyTarget)

  function put(
    transactions: Transactions,
    { id, notice, at }: EventHead,
    target: NotifyTarget,
    body: string,
    run?: RunRecord
  ): void {
    const { name, dagRunId } = run?.caller?.root ?? run ?? {}
    putDelivery(transactions.changes, ['waiting', target.name, id], {
      event: notice,
      at,
      body,
      attempts: 0,
      dueAt: at,
      giveUpAt: at + target.giveUpAfterMs,
      ...(name === undefined || dagRunId === undefined ? {} : { run: { name, dagRunId } })
    })
    transactions.whenShown(() => added(target.name, id, at))
  }
  const headOf = (notice: Notice): EventHead => ({ id: uuidV7(clock), notice, at: clock.now() })

  return {
    noted(transactions, transition, { record, plan: known, scope, node }) {
      const notice = noticeOf(transition)
      if (notice === undefined) return
      const plan = () => known ?? planOf(store, record.plan)?.plan
      const of = { name: record.name, isSub: record.caller !== undefined, plan }
      const wanting = ready.filter(({ wants }) => wants(notice, of))
      if (wanting.length === 0) return
      const head = headOf(notice)
      const news = {
        record,
        plan: plan(),
        node: node ?? settledNode(transition),
        trace: scope?.trace,
        failed: record.finishedAt === undefined ? [] : failedIn(scope),
        mask: scope?.secrets.mask ?? ((text: string) => text)
      }
      for (const { target } of wanting)
        put(transactions, head, target, runEvent(head, sender, news, target.params), record)
    },
    worker: (transactions, notice, worker) =>
      new Promise((resolve) => {
        const wanting = ready.filter(({ wants }) => wants(notice))
        if (wanting.length === 0) return resolve()
        transactions.take(() => {
          const head = headOf(notice)
          for (const { target } of wanting) put(transactions, head, target, workerEvent(head, sender, worker))
          transactions.afterCommit(resolve)
        })
      })
  }
}
