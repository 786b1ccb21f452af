/** Queues as a reader sees them, from the records alone. Source: api-semantics 6.1. */
import type { RunRecord } from '../machines/vocabulary.ts'
import type { Config } from './config.ts'
import type { QueueView } from './engine.ts'
import { findRuns, planOf } from './store/history.ts'
import type { Store } from './store/open.ts'

/** Configured queues come first, in the order of the configuration; none when queues are disabled. */
export function queuesOf(store: Store, { enabled, config }: Config['queues']): QueueView[] {
  const views = new Map<string, QueueView>()
  for (const { name, maxConcurrency } of enabled ? config : [])
    views.set(name, { name, maxConcurrency, running: [], queued: [], capacity: maxConcurrency })
  const active = findRuns(store, { status: ['running'] }).concat(findRuns(store, { status: ['queued'] }))
  const others = new Map<string, QueueView>()
  for (const run of active) {
    const name = run.queue ?? run.name
    const view = views.get(name) ?? others.get(name) ?? { name, running: [], queued: [], capacity: 0 }
    if (!views.has(name)) others.set(name, view)
    view[run.status === 'queued' ? 'queued' : 'running'].push(run)
    if (view.maxConcurrency === undefined) view.capacity = Math.max(view.capacity, limitOf(store, run))
  }
  const byName = [...others.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return [...views.values(), ...byName].map((view) => ({
    ...view,
    running: view.running.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)),
    queued: view.queued.sort((a, b) => (a.order ?? 0) - (b.order ?? 0))
  }))
}

const limitOf = (store: Store, { plan }: RunRecord) => Math.max(0, planOf(store, plan)?.plan.maxActiveRuns ?? 1)
