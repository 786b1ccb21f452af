/** What runs wait for, read off their charts and the queue of sub runs at this moment, and kept nowhere. Source: distribution 1. */
import type { AnyActorRef } from 'xstate'
import type { CallContext } from '../call.ts'
import type { QueueContext } from '../queue.ts'
import { getOf } from '../tables/by-run.ts'
import type { Waits } from '../tables/fleet.ts'
import { SUB_RUNS } from '../tables/run-counts.ts'
import type { RunKey } from '../vocabulary.ts'
import { queueId, runId } from './engine-context.ts'

type Children = Record<string, AnyActorRef | undefined>

/** @param children of the engine */
export const waitsOf = (children: () => Children): Waits => ({
  subRunsOf: (key) => subRunsOf(children()[runId(key)]),
  needsOf(key) {
    const queue = children()[queueId(SUB_RUNS)]
    const { line }: Partial<QueueContext> = queue?.getSnapshot().context ?? {}
    return line && getOf(line.byRun, key)?.needs
  }
})

/** Undefined: one of its nodes does something else, or there is none. */
function subRunsOf(run: AnyActorRef | undefined): RunKey[] | undefined {
  const children: Children = run?.getSnapshot().children ?? {}
  const nodes = Object.entries(children).filter(([id]) => id.startsWith('node/') || id.startsWith('handler/'))
  const called = nodes.map(([, node]) => calledBy(node))
  return called.length > 0 && called.every((keys) => keys !== undefined) ? called.flat() : undefined
}

function calledBy(node: AnyActorRef | undefined): RunKey[] | undefined {
  const attempt: AnyActorRef | undefined = node?.getSnapshot().children.attempt
  const call = attempt?.getSnapshot()
  if (call?.machine?.id !== 'call' || call.value !== 'working') return undefined
  const { items }: CallContext = call.context
  const waited = items.filter((_, index) => `sub/${index}` in call.children)
  return waited.length > 0 ? waited : undefined
}
