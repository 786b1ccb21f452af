/** Evaluates the condition of a repeat policy after a pass, with the variables of its step and its output. Source: execution-semantics 6.2.1. */
import { fromCallback } from 'xstate'
import type { AttemptInput } from '../../../machines/node.ts'
import type { Services } from '../root/services.ts'
import { stepAt } from '../run/run-scope.ts'
import { checkConditions } from './conditions.ts'
import { surroundingsOf } from './prepare-step.ts'

export const repetition = (services: Services) =>
  fromCallback<{ type: 'repetition.stop' }, AttemptInput>(({ input, sendBack }) => {
    const { clock, transactions, logs } = services
    const abandoned = new AbortController()

    async function check(): Promise<boolean> {
      const { scope, step, view, workingDir, shells } = await surroundingsOf(services, input, abandoned)
      const { met, error } = await checkConditions(services, step.repeat?.condition ? [step.repeat.condition] : [], {
        ...view,
        env: view.variables.all,
        workingDir,
        shells,
        maxLine: scope.plan.maxOutputSize,
        secrets: scope.secrets,
        signal: abandoned.signal
      })
      if (error !== undefined) warn(error)
      return met
    }
    /** A condition that cannot be evaluated does not hold (5.6.8); the run log says why. */
    function warn(error: string): void {
      const { plan, runLog } = services.scope(input.run)
      logs.write(runLog, 'WARN', 'the condition of repeatPolicy does not hold', {
        step: stepAt(plan, input.place).name,
        error
      })
    }

    transactions.afterCommit(
      () =>
        void check()
          .catch((error: Error) => {
            warn(error.message)
            return false
          })
          .then((met) => transactions.take(() => sendBack({ type: 'condition.checked', at: clock.now(), met })))
    )
    return () => abandoned.abort()
  })
