/** What a run waits for, from its nodes and those of the runs that it has called. Source: docs/http-api.md "Waiting steps". */
import { runWait, waitIn } from '../../machines/policy/waits.ts'
import type { Awaits, NodePlace, Plan, RunKey, RunRecord, Step } from '../../machines/vocabulary.ts'
import { readEntry, readRange } from './damage/damaged.ts'
import { nodesOf, planOf, runRecord } from './history.ts'
import type { Store } from './open.ts'
import type { StoredNode } from './stored.ts'

/**
 * Undefined: for nothing outside. Of a run whose steps cannot wait only the plan is looked at; of another one the nodes that could, and
 * all of them when nothing is left but to find out whether it only sleeps.
 */
export function awaitedBy(store: Store, run: RunRecord): Awaits | undefined {
  const plan = run.status === 'running' ? planOf(store, run.plan)?.plan : undefined
  const steps = plan ? waitingSteps(plan) : NONE
  const atWork: (Awaits | undefined)[] = []
  for (const [place, step] of steps) {
    const node = readEntry(store.nodes, [run.name, run.dagRunId, place])
    if (!node?.open) continue
    const called = step.call === undefined ? [] : calledBy(store, run, place)
    if (called.length === 0) atWork.push(awaitedIn(step, node))
    for (const one of called) atWork.push(awaitedBy(store, one))
  }
  const found = runWait(atWork)
  return found?.for === 'sleep' && hasOthers(store, run, steps) ? undefined : found
}

function awaitedIn(step: Step, { open }: StoredNode): Awaits | undefined {
  const kind = waitIn(step, open?.value)
  const until = open?.context.dueAt
  return kind && { for: kind, ...(typeof until === 'number' && until > 0 ? { until } : {}) }
}

/** Open runs of the latest call of a node; none where their steps cannot wait: a call may have a thousand. */
function calledBy(store: Store, { name, dagRunId }: RunKey, place: NodePlace): RunRecord[] {
  const range = { start: [name, dagRunId, place, Number.MAX_VALUE, 0], end: [name, dagRunId, place, 0, 0] }
  const [latest] = readRange(store.calls, { ...range, reverse: true, limit: 1 })
  const plan = latest && planOf(store, latest.value.plan)?.plan
  if (!plan || waitingSteps(plan).size === 0) return []
  return latest.value.items.flatMap((item) =>
    store.open.doesExist([item.name, item.dagRunId]) ? (runRecord(store, item) ?? []) : []
  )
}

/** Whether a node is at work that can wait for nothing. */
function hasOthers(store: Store, run: RunKey, steps: ReadonlyMap<NodePlace, Step>): boolean {
  for (const [place, { open }] of nodesOf(store, run)) if (open && !steps.has(place)) return true
  return false
}

const NONE: ReadonlyMap<NodePlace, Step> = new Map()
const known = new WeakMap<Plan, ReadonlyMap<NodePlace, Step>>()

/** Steps and handlers that wait, or call what may; a plan does not change. */
function waitingSteps(plan: Plan): ReadonlyMap<NodePlace, Step> {
  const before = known.get(plan)
  if (before) return before
  const handlers = Object.values(plan.handlers).map((step) => [step.name as NodePlace, step] as const) // named after their kind
  const all = [...plan.steps.entries(), ...handlers]
  const found = new Map(all.filter(([, { wait, call }]) => wait !== undefined || call !== undefined))
  known.set(plan, found)
  return found
}
