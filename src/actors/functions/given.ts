/** What functions of a host application get of their run: its params, the results of the steps before, an idempotency key. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { Json, NodePlace, RunKey, Step } from '../../../machines/vocabulary.ts'
import { expandDeep } from '../../definition/text/expand-deep.ts'
import { isOpen } from '../../executors/function/params.ts'
import { resultOfStep } from '../../store/step-result.ts'
import type { Abandoned } from '../pace/disk-space.ts'
import type { StepServices } from '../root/step-services.ts'
import { type RunScope, stepAt } from '../run/run-scope.ts'
import { viewOf } from '../step/lookups.ts'

/** The results of the steps that a step depends on, by name; a handler sees those of all steps. Each is parsed when it is read. */
export function resultsFor(scope: RunScope, place: NodePlace): object {
  const { plan, indexOf } = scope
  const names = typeof place === 'number' ? stepAt(plan, place).depends : plan.steps.map(({ name }) => name)
  const results: object = {}
  for (const name of names)
    Object.defineProperty(results, name, {
      enumerable: true,
      get: () => resultOf(scope, stepAt(plan, indexOf.get(name) ?? -1), indexOf.get(name) ?? -1)
    })
  return results
}

/** As `resultOfStep` says; null: there is none. */
function resultOf({ nodes, secrets }: RunScope, step: Step, place: NodePlace): unknown {
  const { output, outputMarks, given } = nodes.get(place) ?? {}
  if (output === undefined) return null
  return resultOfStep(step, { output: secrets.uncover(output, outputMarks), ...(given ? { given } : {}) })
}

/** The params of the run, by name; of a definition in code as its schema made them. */
export const paramsOfRun = ({ params }: RunScope): Record<string, Json> =>
  Object.fromEntries(params.map(({ name, value, isJson }) => [name, isJson ? JSON.parse(value) : value]))

/** The params of the function of a step: as answered, or as written, with all texts expanded. */
export async function paramsFor(
  services: StepServices,
  scope: RunScope,
  input: AttemptInput,
  step: Step,
  abandoned: Abandoned
): Promise<unknown> {
  if (input.answers && 'params' in input.answers) return structuredClone(input.answers.params)
  const { params = {} } = step.executor.config
  if (!hasOpenParams(step)) return structuredClone(params)
  const view = await viewOf(services, scope, input, step, abandoned)
  const { isSecret: _, ...look } = view.all // they stay in this process
  return (await expandDeep({ params }, look)).params
}

/** A step does not change, and may be executed again and again. */
const open = new WeakMap<Step, boolean>()
function hasOpenParams(step: Step): boolean {
  const known = open.get(step) ?? isOpen(step.executor.config.params)
  open.set(step, known)
  return known
}

// D1054: the idempotency key does not change with attempts
/** A key for every attempt of a step, also when its run is retried or restored; another one for each pass and item. */
export const idempotencyKey = ({ name, dagRunId }: RunKey, step: string, pass: number, item?: number): string =>
  [name, dagRunId, step, pass, ...(item === undefined ? [] : [item])].map(encodeURIComponent).join('/')

/** Number of the step's passes that have ended. */
export const passOf = ({ nodes }: RunScope, place: NodePlace): number => nodes.get(place)?.doneCount ?? 0
