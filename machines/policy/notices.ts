/** Which events of `notify` a transition causes. Source: docs/notifications.md "Events". */
import type { JournalRecord } from '../vocabulary.ts'

// D1516: events have the words of the API; sub DAG runs and params are told on request
export const NOTICES = [
  'run.queued',
  'run.started',
  'run.waiting',
  'run.succeeded',
  'run.partially_succeeded',
  'run.failed',
  'run.canceled',
  'step.retried',
  'step.failed',
  'worker.lost',
  'worker.back'
] as const
export type Notice = (typeof NOTICES)[number]

const ENDS: Readonly<Record<string, Notice>> = {
  succeeded: 'run.succeeded',
  partially_succeeded: 'run.partially_succeeded',
  failed: 'run.failed',
  canceled: 'run.canceled'
}

/** What puts a run into a queue. */
const ASKS: ReadonlySet<string> = new Set(['start.requested', 'enqueue.requested', 'sub.requested'])

/** Undefined: none. @param record a transition of a run, of a node of it, or of the queue that it waits in */
export function noticeOf({ actor, event, from, to, step, context }: JournalRecord): Notice | undefined {
  if (actor.startsWith('queue/')) return ASKS.has(event) && context?.waits === true ? 'run.queued' : undefined
  if (step === undefined) {
    if (event === 'xstate.init') return 'run.started'
    return from === to ? undefined : ENDS[to]
  }
  if (from === to) return undefined
  if (to === 'awaiting') return 'run.waiting'
  if (to === 'failed' && event !== 'node.set') return 'step.failed'
  return to === 'waiting' ? 'step.retried' : undefined
}
