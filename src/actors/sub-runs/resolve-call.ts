/** Resolves what a step calls: the plan of the sub workflow, and the sub runs with their ids. Source: execution-semantics 9.1, 9.2, 9.4. */
import type { CallInput, ResolvedCall } from '../../../machines/call.ts'
import type { Plan, SubRunRef } from '../../../machines/vocabulary.ts'
import type { StoredPlan } from '../../store/stored.ts'
import type { Services } from '../root/services.ts'
import { needsWorker } from '../run/needs-worker.ts'
import { planHash } from '../run/plan-hash.ts'
import { stepAt } from '../run/run-scope.ts'
import type { SubRunIds } from './sub-run-ids.ts'

/** Maximum levels of sub DAG runs below a root run. */
const MAX_DEPTH = 32

// D711, D758: what a sub workflow sees of its caller is evaluated once per execution
/** @throws Error why nothing can be called */
export async function resolveCall(
  services: Services,
  ids: SubRunIds,
  input: CallInput,
  signal: AbortSignal
): Promise<{ call: Omit<ResolvedCall, 'offset'>; workflow: StoredPlan }> {
  const scope = services.scope(input.run)
  if (scope.depth >= MAX_DEPTH) throw new Error(`sub workflow nesting exceeds ${MAX_DEPTH}`)
  const step = stepAt(scope.plan, input.place)
  const { target, refs } = await services.runnerOf(input.run).expand(input, signal)
  const local = scope.plan.locals.find(({ name }) => name === target)
  const starter = services.starterOf(input.run)
  let missing: unknown
  const load = async (): Promise<StoredPlan | undefined> => {
    if (local) return { plan: ofOneFile(scope.plan, local, scope.workingDir), spec: scope.spec }
    try {
      return await services.workflow(target, scope.workingDir, scope.plan.sourceDir, starter)
    } catch (error) {
      if (starter) throw error // an earlier text may be of what is hidden from them
      missing = error // a workflow that was called before needs no file
      return undefined
    }
  }
  const found = await load()
  if (found && !services.hasWorkers() && needsWorker(found.plan))
    throw new Error(
      `no worker has the labels that ${found.plan.name} asks for (workerSelector): no coordinator is running`
    )
  const repetition = repetitionOf(input, scope.runAttempt)
  // A retried sub run uses its earlier text (1.1.9), even if its file is gone or now defines another DAG.
  const before = (params: string): StoredPlan | undefined => {
    if (local) return undefined
    const workflow = ids.before(scope.key, step.name, params, repetition)
    const isSame = !/[$`]/.test(step.call ?? '') || workflow?.plan.name === target
    return isSame ? workflow : undefined
  }
  // D1773: items that a function has answered are called one by one, equal ones, too
  const isAnswered = input.answers?.items !== undefined
  const once = isAnswered ? refs : [...new Map(refs.map((one) => [one.params, one])).values()]
  const called = once.map((one) => ({ ...one, workflow: before(one.params) ?? found }))
  const [workflow = found] = called.flatMap(({ workflow }) => found ?? workflow ?? [])
  if (!workflow || called.some(({ workflow }) => !workflow)) throw missing
  const seen = new Map<string, number>()
  const calls = called.map(({ params, written, workflow: { plan } = workflow }): SubRunRef => {
    const { name } = plan
    const equal = seen.get(params) ?? 0
    seen.set(params, equal + 1)
    const which = equal === 0 ? repetition : `${repetition ?? ''}:${equal}`
    const dagRunId = ids.idOf(scope.key, step.name, name, params, which)
    return { name, dagRunId, params, ...(written.length > 0 ? { written } : {}) }
  })
  return {
    call: { items: calls, plan: planHash(workflow), maxConcurrent: step.parallel?.maxConcurrent ?? 1 },
    workflow
  }
}

/**
 * Distinguishes the sub runs of a later pass from those of earlier passes, and those of a handler in a retried run from those of
 * earlier attempts (8.12). Deterministic, so that retries of the step within the pass find them again (6.1.9).
 */
const repetitionOf = ({ place, pass }: CallInput, runAttempt: number): string | undefined =>
  pass > 0 || (typeof place === 'string' && runAttempt > 1) ? `${runAttempt}:${pass}` : undefined

/** Workflows of one file can call each other, also from inside a sub run. The same object for the same parent and folder. */
function ofOneFile(parent: Plan, local: Plan, folder: string): Plan {
  const made = derived.get(local) ?? new Map<string, Plan>()
  derived.set(local, made)
  const plan = made.get(folder) ?? { ...local, locals: parent.locals, home: folder }
  made.set(folder, plan)
  return plan
}
const derived = new WeakMap<Plan, Map<string, Plan>>()
