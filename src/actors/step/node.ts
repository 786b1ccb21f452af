/** Implements the actors of the node machine. */
import { fromCallback } from 'xstate'
import type { callMachine } from '../../../machines/call.ts'
import { type AttemptInput, nodeMachine } from '../../../machines/node.ts'
import type { RetryPlan, Step } from '../../../machines/vocabulary.ts'
import { MAX_SECONDS } from '../../definition/fields/field-forms.ts'
import { expandField } from '../../definition/text/variables.ts'
import { quickAssigns } from '../journal/quick-assigns.ts'
import { type Recorder, recorded } from '../journal/recorded.ts'
import { alarm } from '../pace/alarm.ts'
import type { Services } from '../root/services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { withLogFolder } from '../run/removed-logs.ts'
import { append } from './append.ts'
import { attempt } from './attempt.ts'
import { checkConditions } from './conditions.ts'
import type { StepView } from './lookups.ts'
import { surroundingsOf } from './prepare-step.ts'
import { repetition } from './repetition.ts'

export const nodeLogic = (services: Services, recorder: Recorder, call: typeof callMachine) =>
  recorded(
    nodeMachine.provide({
      actions: quickAssigns(nodeMachine),
      actors: {
        attempt: attempt(services),
        call,
        preparation: preparation(services),
        repetition: repetition(services),
        alarm: alarm(services)
      }
    }),
    recorder
  )

/** Evaluates the preconditions of a step and the texts of its retry policy, before the first attempt. */
const preparation = (services: Services) =>
  fromCallback<{ type: 'preparation.stop' }, AttemptInput>(({ input, sendBack }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    let mask = (text: string) => text
    async function prepare() {
      mask = services.scope(input.run).secrets.mask
      const { scope, step, view, workingDir, shells } = await surroundingsOf(services, input, abandoned)
      const { stdout, stderr } = nodeFiles(scope.nodeLogs, step.name)
      // A skipped step has logs, too: empty ones.
      await withLogFolder(services, scope, abandoned)
      for (const path of [stdout, stderr]) await services.diskSpace.take(() => append(path, ''), abandoned)
      const retry = await retryPlan(step, view)
      const env = view.variables.all
      const context = {
        ...view,
        env,
        workingDir,
        shells,
        maxLine: scope.plan.maxOutputSize,
        signal: abandoned.signal,
        secrets: scope.secrets
      }
      return { retry, ...(await checkConditions(services, step.preconditions, context)) }
    }
    const answer = (event: { type: string }) => transactions.take(() => sendBack({ at: clock.now(), ...event }))
    transactions.afterCommit(
      () =>
        void prepare().then(
          (prepared) => answer({ type: 'node.prepared', ...prepared }),
          (error: Error) => answer({ type: 'node.unprepared', ...{ error: mask(error.message) } })
        )
    )
    return () => abandoned.abort()
  })

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
