/** Steps and conditions as JSON; of a step, what is empty is left out. Source: http-api "Step (as returned)", api-semantics V5, A6. */
import type { Condition, ConditionResult, ContinueOn, Repeat, Retry, Step } from '../../../machines/vocabulary.ts'
import { defaultParamsText } from '../../definition/dag/params.ts'
import { splitWords } from '../../definition/shell/words.ts'
import type { Shape } from '../../schema/schema.ts'
import type { Condition as ConditionSchema, Step as StepSchema } from '../contract/run-shapes.ts'
import { turns } from '../turns.ts'

/** @param results of the step's preconditions in one run; absent: the step of a definition, with its author's messages */
export function stepShape(step: Step, results?: readonly ConditionResult[]): Shape<typeof StepSchema> {
  if (step.preconditions.length > 0) return made(step, results)
  const known = shapes.get(step) ?? made(step)
  shapes.set(step, known)
  return known
}

/** Computes `stepShape` of many steps; yields to the event loop in between. */
export async function shapeSteps(steps: readonly Step[]): Promise<void> {
  const turn = turns()
  for (const step of steps) {
    stepShape(step)
    await turn()
  }
}

/** Cached, because a step has the same shape in every run and clients that watch a run read all steps repeatedly. */
const shapes = new WeakMap<Step, Shape<typeof StepSchema>>()

function made(step: Step, results?: readonly ConditionResult[]): Shape<typeof StepSchema> {
  const [command, ...args] = step.argv ?? splitWords(step.command ?? '')
  return {
    name: step.name,
    ...filled({
      id: step.id,
      description: step.description,
      dir: step.dir,
      command,
      args: [...args, ...step.args],
      cmdWithArgs: [...(step.argv ?? [step.command ?? '']), ...step.args].join(' '),
      script: step.script,
      stdout: step.stdout,
      stderr: step.stderr,
      output: step.output,
      depends: step.depends,
      run: step.call,
      call: step.call,
      params: step.params && defaultParamsText(step.params),
      parallel: step.parallel,
      preconditions: step.preconditions.map((condition, at) => {
        if (!results) return conditionShape(condition, condition.error)
        const result = results[at]
        return { ...conditionShape(condition, result?.error), ...(result ? { matched: result.matched } : {}) }
      }),
      repeatPolicy: step.repeat && repeatShape(step.repeat),
      mailOnError: step.mailOnError || undefined,
      executor: step.executor.type === 'shell' ? undefined : { type: step.executor.type },
      retryPolicy: retryShape(step.retry),
      continueOn: continueOnShape(step.continueOn)
    })
  }
}

/** @param error message of the failure, or of its author */
export const conditionShape = (
  { condition, expected, negate }: Condition,
  error = ''
): Shape<typeof ConditionSchema> => ({
  condition,
  expected: expected ?? '',
  error,
  ...(negate ? { negate } : {})
})

/** Without the members that hold nothing. */
const filled = <M extends Record<string, unknown>>(members: M) =>
  // The filter leaves some of the members.
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value))) as {
    [K in keyof M]?: Exclude<M[K], undefined>
  }

const isEmpty = (value: unknown) => value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

const retryShape = ({ limit, interval, exitCodes, backoff, maxIntervalMs }: Retry) =>
  limit === 0
    ? undefined
    : {
        limit,
        intervalSec: typeof interval === 'number' ? interval / 1_000 : interval,
        exitCodes,
        backoff,
        maxIntervalSec: maxIntervalMs / 1_000
      }

/** `interval` in whole seconds; `condition` as one is written anywhere else. Source: execution-semantics 6.2.8. */
const repeatShape = ({ mode, condition, function: asked, exitCodes, intervalMs, limit }: Repeat) => ({
  repeat: true,
  interval: Math.ceil(intervalMs / 1_000),
  mode,
  limit,
  ...filled({ exitCode: exitCodes }),
  ...(condition ? { condition: conditionShape(condition) } : {}),
  ...(asked === undefined ? {} : { function: asked })
})

const continueOnShape = ({ failure, skipped, exitCodes, outputs, markSuccess }: ContinueOn) =>
  failure || skipped || markSuccess || exitCodes.length > 0 || outputs.length > 0
    ? { failure, skipped, exitCode: exitCodes, output: outputs, markSuccess }
    : undefined
