/** Evaluates preconditions of a step and texts of its retry policy, before the first attempt. Source: execution-semantics 5.6, 6.1.6. */
import type { Answers, AttemptInput } from '../../../machines/node.ts'
import { hasOpenTexts, SLEEP_FORM, wakeAt } from '../../../machines/policy/waits.ts'
import type { RetryPlan, Step, Wait, WaitTexts } from '../../../machines/vocabulary.ts'
import { MAX_SECONDS } from '../../definition/fields/values.ts'
import { expandField, expandOwnText } from '../../definition/text/variables.ts'
import { messageOf } from '../../errors.ts'
import { FUNCTION } from '../../executors/function/missing-code.ts'
import type { Secrets } from '../../masking/secrets.ts'
import { answersFor, NoAnswer } from '../functions/answers.ts'
import { mustHaveCode } from '../functions/lacking.ts'
import type { Abandoned } from '../pace/disk-space.ts'
import type { StepServices } from '../root/step-services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { withLogFolder } from '../run/removed-logs.ts'
import { append } from '../step/append.ts'
import { checkConditions } from '../step/conditions.ts'
import type { StepView } from '../step/lookups.ts'
import { surroundingsOf } from '../step/prepare-step.ts'
import type { Prepared } from './runner.ts'

/** @throws LackingCode, or Error why it cannot be evaluated, secrets masked */
export async function prepareNode(
  services: StepServices,
  input: AttemptInput,
  abandoned: Abandoned
): Promise<Prepared> {
  const { mask } = services.scope(input.run).secrets
  mustHaveCode(services, input)
  try {
    const { scope, step, view, workingDir, shells } = await surroundingsOf(services, input, abandoned)
    const { stdout, stderr } = nodeFiles(scope.nodeLogs, step.name)
    // A skipped step has logs, too: empty ones. A wait and a function have none.
    if (!step.wait && step.executor.type !== FUNCTION) {
      await withLogFolder(services, scope, abandoned)
      for (const path of [stdout, stderr]) await services.diskSpace.take(() => append(path, ''), abandoned)
    }
    const retry = await retryPlan(step, view)
    const context = {
      ...view,
      env: view.variables.all,
      workingDir,
      shells,
      maxLine: scope.plan.maxOutputSize,
      signal: abandoned.signal,
      secrets: scope.secrets,
      commands: services.commands?.(scope.plan)
    }
    const checked = await checkConditions(services, step.preconditions, context)
    if (!checked.met) return { retry, ...checked }
    const { answers, refusedBy } = step.functions ? await answersFor(services, scope, input, step) : {}
    if (refusedBy !== undefined) return { retry, ...checked, met: false, error: `the function "${refusedBy}" said no` }
    const wait = step.wait ? await waitTexts(step.wait, answers, view, services.clock.now(), mask) : undefined
    return { retry, ...checked, ...(wait ? { wait } : {}), ...(answers ? { answers } : {}) }
  } catch (cause) {
    if (cause instanceof NoAnswer) throw cause
    throw new Error(mask(messageOf(cause)), { cause })
  }
}

/** Characters of a question: an output in it may be large. */
const MAX_ASK = 2_000

/** The texts of a wait that have variables; others stand in the plan. @throws Error for one that says no time */
async function waitTexts(
  wait: Wait,
  answers: Answers | undefined,
  { all }: StepView,
  at: number,
  mask: Secrets['mask']
): Promise<WaitTexts | undefined> {
  if (wait.kind !== 'sleep' && answers?.ask !== undefined) return { ask: answers.ask.slice(0, MAX_ASK) }
  if (answers?.for === undefined && !hasOpenTexts(wait)) return undefined
  if (wait.kind !== 'sleep') return { ask: mask(await expandOwnText(wait.ask ?? '', all)).slice(0, MAX_ASK) }
  const text = answers?.for ?? (await expandField(wait.for ?? '', all))
  if (wakeAt(text, at) === undefined) throw new Error(`executor.config.for: wanted ${SLEEP_FORM}, found "${text}"`)
  return { for: text }
}

/** @throws Error for any other text. Source: execution-semantics 6.1.6 */
async function retryPlan({ retry }: Step, { all }: StepView): Promise<RetryPlan> {
  const number = async (name: string, value: number | string, unit: number, most?: number) => {
    if (typeof value === 'number') return value
    const text = (await expandField(value, all)).trim()
    if (/^\d+$/.test(text) && Number(text) <= (most ?? Number.MAX_SAFE_INTEGER)) return Number(text) * unit
    const wanted = `an integer from 0${most === undefined ? '' : ` to ${most}`}`
    throw new Error(`retryPolicy.${name}: wanted ${wanted}, found "${text}"`)
  }
  return {
    ...retry,
    limit: await number('limit', retry.limit, 1),
    interval: await number('intervalSec', retry.interval, 1_000, MAX_SECONDS)
  }
}
