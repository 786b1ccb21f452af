/** What a run needs of a worker. Source: definition-format `workerSelector`, api-semantics 7.2 (selector match), distribution 1. */
import type { Plan, Step, WorkerNeeds, WorkerSelf } from '../vocabulary.ts'

// D773: a run with a `workerSelector` stays in its queue
/** Undefined: it runs in the engine. */
export function workerNeeds(plan: Plan): WorkerNeeds | undefined {
  const { workerSelector = {} } = plan
  const labels = sorted(Object.entries(workerSelector))
  if (labels.length === 0) return undefined
  return { labels: Object.fromEntries(labels), executors: [...executorsOf(plan)].sort() }
}

/** Workflows of the same file that it calls by name are placed with it, unless they have a selector of their own. */
function executorsOf(plan: Plan, locals = plan.locals, seen = new Set<string>()): Set<string> {
  const steps: Step[] = [...plan.steps, ...Object.values(plan.handlers)]
  const found = new Set<string>()
  for (const { executor, call, wait } of steps) {
    if (wait) continue // the engine waits
    if (call === undefined) {
      found.add(executor.type)
      continue
    }
    const called = locals.find(({ name }) => name === call)
    if (!called || seen.has(call) || Object.keys(called.workerSelector ?? {}).length > 0) continue
    seen.add(call)
    for (const type of executorsOf(called, locals, seen)) found.add(type)
  }
  return found
}

/** Runs with the same one need the same. */
export const keyOfNeeds = ({ labels, executors, around = [], after = '' }: WorkerNeeds): string =>
  JSON.stringify([labels, executors, around, after])

/** Whether a worker has every label with the equal value, and can run every type of step. */
export function canTake(
  { labels: own, executors: known }: Pick<WorkerSelf, 'labels' | 'executors'>,
  needs: WorkerNeeds
) {
  for (const label in needs.labels) if (own[label] !== needs.labels[label]) return false
  return needs.executors.every((type) => known.includes(type))
}

const sorted = (labels: [string, string][]) => labels.sort(([one], [other]) => (one < other ? -1 : 1))
