/** The work of a run that belongs to this machine. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { StepServices } from '../root/step-services.ts'
import { openRunContainer, releaseRunContainer } from '../run/run-container.ts'
import type { RunScope } from '../run/run-scope.ts'
import { performAttempt } from '../step/perform-attempt.ts'
import { expandCall } from '../sub-runs/expand-call.ts'
import { prepareNode } from './prepare-node.ts'
import { conditionHolds } from './repeat-condition.ts'
import { checkRunConditions } from './run-conditions.ts'
import type { Runner } from './runner.ts'

/** @param openScope evaluates the variables of a run, which `services.scope` answers from then on */
export const localRunner = (
  services: StepServices,
  openScope: (key: RunKey, signal: AbortSignal) => Promise<RunScope>
): Runner => ({
  async open(key, signal) {
    await openRunContainer(services, await openScope(key, signal), signal)
  },
  conditions: (key, signal) => checkRunConditions(services, key, signal),
  prepare: (input, abandoned) => prepareNode(services, input, abandoned),
  attempt: (input, tell) => performAttempt(services, input, tell),
  repeats: (input, abandoned) => conditionHolds(services, input, abandoned),
  expand: (input, signal) => expandCall(services, input, signal),
  release: (key) => releaseRunContainer(services, key)
})
