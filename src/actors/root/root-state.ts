/** What can be seen of the root actor and its children: whether they work, and how long the queues are. */
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import type { engineMachine } from '../../../machines/engine.ts'
import type { queueMachine } from '../../../machines/queue.ts'
import type { schedulerMachine } from '../../../machines/scheduler.ts'
import { firstInLine } from '../../../machines/tables/waiting-line.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { SCHEDULER_STOPPED, schedulerFault } from '../schedule/scheduler-fault.ts'

type Root = ActorRefFrom<typeof engineMachine>

export interface QueueLength {
  name: string
  /** Runs that wait. */
  waiting: number
  /** Runs that hold a slot. */
  running: number
  /** The run that waits in the first place; absent: none waits. */
  first?: RunKey
}

/** Costs more with the DAG names in them, not with the runs that wait. */
export function queueLengths(root: Root): QueueLength[] {
  return Object.entries(root.getSnapshot().children).flatMap(([id, child]) => {
    if (!id.startsWith('queue/') || !child) return []
    // A child that is spawned by its name has lost its type.
    const { line } = (child.getSnapshot() as SnapshotFrom<typeof queueMachine>).context
    const first = firstInLine(line)
    const waiting = [...line.byRun.values()].reduce((sum, { size }) => sum + size, 0)
    return [{ name: line.name, waiting, running: line.holders.size, ...(first ? { first: first.key } : {}) }]
  })
}

export function schedulerFaultOf(root: Root, now: number): string | undefined {
  const { children, context } = root.getSnapshot()
  const scheduler = children.scheduler?.getSnapshot() as SnapshotFrom<typeof schedulerMachine> | undefined // as above
  return schedulerFault(scheduler?.context, context.restartedAt.scheduler?.at(-1), now)
}

// D1411: `/health/live` fails only when a restart of the process helps
export function failureOf(root: Root): string | undefined {
  const { status, children } = root.getSnapshot()
  if (status !== 'active') return 'the engine has failed and is stopped: the log says why; restart it'
  return children.scheduler ? undefined : SCHEDULER_STOPPED
}
