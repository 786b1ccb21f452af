/** What functions of a host application get of their run: its params, how the steps before have ended, an idempotency key. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { Json, NodePlace, NodeRecord, RunKey, Step, Thrown } from '../../../machines/vocabulary.ts'
import { expandDeep } from '../../definition/text/expand-deep.ts'
import { isOpen } from '../../executors/function/params.ts'
import type { Given, StepError } from '../../executors/function/types.ts'
import { resultOfStep } from '../../store/step-result.ts'
import type { Abandoned } from '../pace/disk-space.ts'
import type { StepServices } from '../root/step-services.ts'
import { type RunScope, stepAt } from '../run/run-scope.ts'
import { viewOf } from '../step/lookups.ts'

/**
 * By name, the results of the steps that a step depends on, and why those of them that failed have; a handler sees those of all steps. Each
 * result is parsed when it is read.
 */
export function endsBefore(scope: RunScope, place: NodePlace): Pick<Given<unknown>, 'results' | 'errors'> {
  const { plan, indexOf } = scope
  const names = typeof place === 'number' ? stepAt(plan, place).depends : plan.steps.map(({ name }) => name)
  const results: object = {}
  const errors: [string, StepError][] = []
  for (const name of names) {
    const at = indexOf.get(name) ?? -1
    Object.defineProperty(results, name, { enumerable: true, get: () => resultOf(scope, stepAt(plan, at), at) })
    const node = scope.nodes.get(at)
    if (node?.status === 'failed') errors.push([name, errorOf(stepAt(plan, at), node)])
  }
  return { results, errors: Object.fromEntries(errors) }
}

function errorOf({ name: step, wait }: Step, { thrown, error = 'failed', exitCode }: NodeRecord): StepError {
  const { name, message, code }: Pick<Thrown, 'name' | 'message' | 'code'> = thrown ?? {
    name: 'StepFailed',
    message: error,
    ...(exitCode === undefined || wait ? {} : { code: String(exitCode) })
  }
  return { step, name, message, ...(code === undefined ? {} : { code }) }
}

/** As `resultOfStep` says; null: there is none. */
function resultOf({ nodes, secrets }: RunScope, step: Step, place: NodePlace): unknown {
  const node = nodes.get(place)
  if (node?.output === undefined) return null
  return resultOfStep(step, { ...node, output: secrets.uncover(node.output, node.outputMarks) })
}

/** The result of the latest pass of a step that has ended; null: none has. */
export const lastResult = (scope: RunScope, step: Step, place: NodePlace): unknown =>
  passOf(scope, place) === 0 ? null : resultOf(scope, step, place)

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
