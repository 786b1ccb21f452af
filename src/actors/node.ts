/** Fills the slots of the node machine. */
import { fromCallback } from 'xstate'
import { type AttemptInput, nodeMachine } from '../../machines/node.ts'
import type { RetryPlan, Step } from '../../machines/vocabulary.ts'
import { expandField } from '../spec/variables.ts'
import { alarm } from './alarm.ts'
import { attempt } from './attempt.ts'
import { checkConditions } from './conditions.ts'
import type { Hands } from './hands.ts'
import { type StepView, viewOf } from './lookups.ts'
import { prepareStep } from './prepare-step.ts'
import { type Recorder, recorded } from './recorded.ts'
import { stepAt } from './run-scope.ts'

export const nodeLogic = (hands: Hands, recorder: Recorder) =>
  recorded(
    nodeMachine.provide({ actors: { attempt: attempt(hands), preparation: preparation(hands), alarm: alarm(hands) } }),
    recorder
  )

/** Looks at a step's preconditions and evaluates the texts of its retry policy, before the first attempt. */
const preparation = (hands: Hands) =>
  fromCallback<{ type: 'preparation.stop' }, AttemptInput>(({ input, sendBack }) => {
    const { clock, turns } = hands
    const abandoned = new AbortController()
    async function prepare() {
      const scope = hands.scope(input.run)
      const step = stepAt(scope.plan, input.place)
      const view = await viewOf(hands, scope, input.place, step, input.runStatus, abandoned.signal)
      const retry = await retryPlan(step, view)
      if (step.preconditions.length === 0) return { retry, met: true, conditions: [] }
      // The step's own surroundings: its folder exists, its shells are known.
      const { workingDir, env, shells } = await prepareStep(hands, input, abandoned.signal)
      const surroundings = { ...view, env, workingDir, shells, maxLine: scope.plan.maxOutputSize, signal: abandoned.signal }
      return { retry, ...(await checkConditions(hands, step.preconditions, surroundings)) }
    }
    const answer = (event: { type: string }) => turns.take(() => sendBack({ ...event, at: clock.now() }))
    turns.afterCommit(
      () =>
        void prepare().then(
          (prepared) => answer({ type: 'node.prepared', ...prepared }),
          (error: Error) => answer({ type: 'node.unprepared', ...{ error: error.message } })
        )
    )
    return () => abandoned.abort()
  })

/** @throws Error for a text that is no integer */
async function retryPlan({ retry }: Step, { all }: StepView): Promise<RetryPlan> {
  const number = async (name: string, given: number | string, unit: number) => {
    if (typeof given === 'number') return given
    const text = (await expandField(given, all)).trim()
    if (!/^\d+$/.test(text)) throw new Error(`retryPolicy.${name}: wanted an integer, found "${text}"`)
    return Number(text) * unit
  }
  return {
    ...retry,
    limit: await number('limit', retry.limit, 1),
    interval: await number('intervalSec', retry.interval, 1_000)
  }
}
