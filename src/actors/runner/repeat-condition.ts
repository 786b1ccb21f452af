/** Evaluates the condition of a repeat policy after a pass, with the step's variables and output. Source: execution-semantics 6.2.1. */
import type { AttemptInput } from '../../../machines/node.ts'
import { messageOf } from '../../errors.ts'
import type { Abandoned } from '../pace/disk-space.ts'
import type { StepServices } from '../root/step-services.ts'
import { stepAt } from '../run/run-scope.ts'
import { checkConditions } from '../step/conditions.ts'
import { surroundingsOf } from '../step/prepare-step.ts'

/** A condition that cannot be evaluated does not hold (5.6.8); the run log says why. */
export async function conditionHolds(
  services: StepServices,
  input: AttemptInput,
  abandoned: Abandoned
): Promise<boolean> {
  function warn(error: string): void {
    const { plan, runLog } = services.scope(input.run)
    services.logs.write(runLog, 'WARN', 'the condition of repeatPolicy does not hold', {
      step: stepAt(plan, input.place).name,
      error
    })
  }
  try {
    const { scope, step, view, workingDir, shells } = await surroundingsOf(services, input, abandoned)
    const { met, error } = await checkConditions(services, step.repeat?.condition ? [step.repeat.condition] : [], {
      ...view,
      env: view.variables.all,
      workingDir,
      shells,
      maxLine: scope.plan.maxOutputSize,
      secrets: scope.secrets,
      commands: services.commands?.(scope.plan),
      signal: abandoned.signal
    })
    if (error !== undefined) warn(error)
    return met
  } catch (error) {
    warn(messageOf(error))
    return false
  }
}
