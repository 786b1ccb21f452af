/** Queues as shown to readers, from the records alone. Source: api-semantics 6.1. */
import { inTurn } from '../../../machines/policy/admission.ts'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { type Clock, nextTurn } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { MAX_ACTIVE_RUNS } from '../../definition/fields/defaults.ts'
import { findRuns, queuedPart } from '../../store/find-runs.ts'
import { planOf } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { QueueView } from '../engine.ts'

/** Configured queues come first, in the order of the configuration; none when queues are disabled. */
export const queuesOf = (store: Store, queues: Config['queues'], now: number): QueueView[] =>
  viewsOf(store, queues, now, findRuns(store, { status: ['running'] }).concat(findRuns(store, { status: ['queued'] })))

/** Runs that are read in one round of the event loop. */
const AT_ONCE = 500

/** Queues in batches, because 100,000 runs may be queued. A run that started in the meantime is shown once. */
export async function queuesInParts(store: Store, queues: Config['queues'], clock: Clock): Promise<QueueView[]> {
  let { runs: waiting, next } = queuedPart(store, undefined, AT_ONCE)
  while (next) {
    await nextTurn(clock)
    const part = queuedPart(store, next, AT_ONCE)
    for (const run of part.runs) waiting.push(run)
    next = part.next
  }
  const running = findRuns(store, { status: ['running'] })
  const gone = new Set(running.map(idOf))
  waiting = waiting.filter((run) => !gone.has(idOf(run)))
  return viewsOf(store, queues, clock.now(), running.concat(waiting))
}

const idOf = ({ name, dagRunId }: RunRecord) => `${name}/${dagRunId}`

function viewsOf(store: Store, { enabled, config }: Config['queues'], now: number, active: RunRecord[]): QueueView[] {
  const views = new Map<string, QueueView>()
  for (const { name, maxConcurrency } of enabled ? config : [])
    views.set(name, { name, maxConcurrency, running: [], queued: [], capacity: maxConcurrency })
  const limits = new Map<string, number>()
  const others = new Map<string, QueueView>()
  for (const run of active) {
    const name = run.queue ?? run.name
    const view = views.get(name) ?? others.get(name) ?? { name, running: [], queued: [], capacity: 0 }
    if (!views.has(name)) others.set(name, view)
    view[run.status === 'queued' ? 'queued' : 'running'].push(run)
    if (view.maxConcurrency === undefined) view.capacity = Math.max(view.capacity, limitOf(run))
  }
  function limitOf({ plan }: RunRecord): number {
    const limit = limits.get(plan) ?? Math.max(0, planOf(store, plan)?.plan.maxActiveRuns ?? MAX_ACTIVE_RUNS)
    limits.set(plan, limit)
    return limit
  }
  const byName = [...others.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return [...views.values(), ...byName].map((view) => ({
    ...view,
    running: view.running.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)),
    queued: view.queued.sort(inTurn(now))
  }))
}
