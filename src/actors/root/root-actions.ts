/** Implements the actions of the engine chart: answer callers, load what is due, restore what has thrown, fail what is lost. */
import { type engineMachine, runId } from '../../../machines/engine.ts'
import { workerNeeds } from '../../../machines/policy/worker-needs.ts'
import type { RunKey, WorkerNeeds } from '../../../machines/vocabulary.ts'
import { messageOf } from '../../errors.ts'
import { runRecord } from '../../store/history.ts'
import { cannotGoOn, restoreRun, storedRun } from '../recovery/recovery.ts'
import { requeueWaiting, stopOrphans } from '../recovery/resume-runs.ts'
import { failRun, failUnreadable } from './failed-run.ts'
import type { OpenRun } from './open-run.ts'
import { cancelQueued, forgetQueued, loadQueued, storeQueued } from './queued-runs.ts'
import type { RootParts } from './root-parts.ts'
import { tellRelease } from './tell-release.ts'

type Actions = NonNullable<Parameters<typeof engineMachine.provide>[0]['actions']>

export function rootActions(root: RootParts) {
  const { parts, transactions, runs, arriving, makeScope, retention, ends, answers, dequeued, send } = root
  const { store, clock, fault } = parts
  /** Within a transaction. The record of a run that has just been enqueued is read once readers see it, which a slow disk may delay. */
  const whenSeen = (key: RunKey, work: () => void) => {
    if (arriving.has(runId(key))) transactions.afterFlush(() => transactions.take(work))
    else work()
  }
  /** A sub run waits for its worker: those who follow it, and a stop, find it as an open one. */
  function keepWaiting(run: OpenRun, { order, at }: { order: number; at: number }): void {
    const id = runId(run.record)
    storeQueued(transactions.changes, run, { order, at, only: undefined })
    run.record = { ...run.record, status: 'queued', queuedAt: at, order }
    run.indexed = 'queued'
    arriving.set(id, true)
    transactions.afterFlush(() => arriving.delete(id))
  }
  /** A run without a selector is where its caller is, and needs the same. */
  function needsOf(run: OpenRun | undefined): WorkerNeeds | undefined {
    if (!run) return undefined
    const { caller } = run.record
    return workerNeeds(run.plan) ?? (caller ? needsOf(runs.get(runId(caller.parent))) : undefined)
  }
  function cancelSub(run: OpenRun, at: number): void {
    const event = cancelQueued(transactions.changes, run, at)
    parts.notices?.noted(transactions, event, { ...run, record: { ...run.record, status: 'canceled', finishedAt: at } })
    transactions.whenShown(() => parts.publish(event))
    transactions.afterCommit(() => ends.ended(run, 'canceled'))
    transactions.whenShown(() => ends.over(run))
  }
  return {
    notePlaced(_, { key, placement }) {
      const run = placement && runs.get(runId(key))
      if (run) run.record = { ...run.record, placement }
    },
    lookUpNeeds(_, { key, at }) {
      const needs = needsOf(runs.get(runId(key)))
      if (needs) send({ type: 'move.requested', key, needs, at })
    },
    noteMoved(_, { key, placement }) {
      const run = runs.get(runId(key))
      if (!run) return
      const { id: before } = run.record.placement ?? {}
      run.record = { ...run.record, placement }
      parts.logs.write(run.record.log, 'WARN', 'the run goes on on another worker: its folder there is empty', {
        worker: placement.id,
        ...(before === undefined ? {} : { before })
      })
    },
    answer: (_, admission) => {
      const id = runId(admission.key)
      const sub = runs.get(id)
      if (admission.type === 'start.queued' && sub?.record.caller) return keepWaiting(sub, admission)
      if (admission.type === 'start.admitted' && sub) tellRelease(root, admission.key, sub.plan)
      const answer = answers.get(id)
      answers.delete(id)
      if (!answer) return
      if (admission.type !== 'start.refused') {
        answer.retried?.apply(transactions.changes)
        answer.note?.(transactions.changes)
        retention.look(admission.key.name)
      }
      if (admission.type === 'start.admitted') transactions.afterFlush(() => answer.resolve(admission))
      else if (admission.type === 'start.queued') {
        const run = runs.get(id)
        if (run)
          storeQueued(transactions.changes, run, {
            order: admission.order,
            at: admission.at,
            only: answer.retried?.only
          })
        runs.delete(id)
        arriving.set(id, true)
        transactions.afterFlush(() => {
          arriving.delete(id)
          answer.resolve(admission)
        })
      } else {
        runs.delete(id)
        transactions.afterCommit(() => answer.resolve(admission))
      }
    },
    reportFault: (_, { actorId, error }) => {
      fault(error)
      if (actorId === 'scheduler')
        transactions.afterCommit(() => transactions.take(() => send({ type: 'scheduler.faulted', at: clock.now() })))
      if (actorId.startsWith('queue/')) return requeueWaiting(root, actorId.slice('queue/'.length))
      const run = runs.get(actorId)
      if (!run) return
      transactions.afterFlush(() => {
        void restoreRun(parts, run.record, makeScope).then(
          (restored) => {
            runs.set(actorId, restored)
            const { plan, record: key } = restored
            const at = clock.now()
            transactions.take(() => send({ type: 'run.faulted', key, plan, at, error: String(error) }))
          },
          (cause) => {
            fault(cannotGoOn(run.record, cause))
            const at = clock.now()
            transactions.take(() => send({ type: 'run.lost', key: run.record, at, error: String(error) }))
          }
        )
      })
    },
    loadItem: (_, { key, placement }) => {
      // The record of the run may have just been committed: it is read once readers see it.
      transactions.afterFlush(() => {
        const at = clock.now()
        transactions.take(() => {
          try {
            const { run, ...retry } = loadQueued(store, key, at, placement)
            const placed = placement ? { placement } : {}
            const isStopping = runs.get(runId(key))?.stopAsked
            runs.set(runId(key), run)
            send({ type: 'item.loaded', key, plan: run.plan, at, ...retry, ...placed })
            tellRelease(root, key, run.plan)
            if (isStopping) send({ type: 'run.stop', key, at })
          } catch (error) {
            send({ type: 'item.unreadable', key, at, error: messageOf(error) })
          }
        })
      })
    },
    forgetItem: (_, { key, at }) =>
      whenSeen(key, () => {
        const isSub = runRecord(store, key)?.caller !== undefined
        const sub = isSub ? (runs.get(runId(key)) ?? storedRun(store, key)) : undefined
        if (sub) return cancelSub(sub, at)
        forgetQueued(store, transactions.changes, key)
        transactions.afterFlush(() => ends.withdrawn(key))
      }),
    answerDequeue: (_, { key, removed }) => {
      const answer = dequeued.get(runId(key))
      dequeued.delete(runId(key))
      whenSeen(key, () => transactions.afterFlush(() => answer?.(removed)))
    },
    failUnreadable: (_, { key, at, error }) => failUnreadable(parts, transactions, key, at, error),
    failRun(_, { key, at, error }) {
      const open = runs.get(runId(key))
      whenSeen(key, () => {
        const run = open ?? storedRun(store, key)
        if (!run) {
          failUnreadable(parts, transactions, key, at, error)
          transactions.afterFlush(() => ends.withdrawn(key))
          return
        }
        failRun(parts, transactions, run, at, error)
        transactions.afterCommit(() => ends.ended(run, 'failed'))
        transactions.afterFlush(() => {
          ends.over(run)
          stopOrphans(root)
        })
      })
    }
  } satisfies Actions
}
