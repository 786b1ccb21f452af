/** Tasks that evaluate texts of a step or of its DAG. Source: distribution 3. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { StepServices } from '../../actors/root/step-services.ts'
import type { RunScope } from '../../actors/run/run-scope.ts'
import { prepareNode } from '../../actors/runner/prepare-node.ts'
import { conditionHolds } from '../../actors/runner/repeat-condition.ts'
import { checkRunConditions } from '../../actors/runner/run-conditions.ts'
import { expandCall } from '../../actors/sub-runs/expand-call.ts'
import type { StepJob } from '../../bus/jobs.ts'
import type { NotedLogs } from './noted-logs.ts'
import type { Runs } from './runs.ts'
import { checkOutputs, nodesHere } from './seen-nodes.ts'

/** What one task works with. */
export interface TaskServices {
  /** Id of the run. */
  id: string
  runs: Runs
  logs: NotedLogs
  /** Aborts when it is stopped. */
  abandoned: AbortController
  /** The scope of the run. @throws Error */
  scope(): Promise<RunScope>
  servicesOf(scope: RunScope): StepServices
}

export async function conditionsOf(work: TaskServices): Promise<object> {
  const scope = await work.scope()
  const { met, conditions } = await checkRunConditions(work.servicesOf(scope), scope.key, work.abandoned.signal)
  return { met, conditions }
}

export async function checkStep(work: TaskServices, input: AttemptInput, job: StepJob): Promise<object> {
  const { met, conditions, retry, wait, error } = await prepareNode(await seeing(work, job), input, work.abandoned)
  return { met, conditions, retry, ...(wait ? { wait } : {}), ...(error === undefined ? {} : { message: error }) }
}

export const repeatStep = async (work: TaskServices, input: AttemptInput, job: StepJob): Promise<object> => ({
  met: await conditionHolds(await seeing(work, job), input, work.abandoned)
})

export async function expandStep(work: TaskServices, input: AttemptInput, job: StepJob): Promise<object> {
  const expanded = await expandCall(await seeing(work, job), input, work.abandoned.signal)
  await work.runs.note(work.id, job.nodes)
  return expanded
}

/** Services whose scope has the nodes of a job. @throws Error for an output that this worker cannot read */
async function seeing(work: TaskServices, job: StepJob): Promise<StepServices> {
  return work.servicesOf(scopeSeeing(await work.scope(), job))
}

export function scopeSeeing(scope: RunScope, job: StepJob): RunScope {
  const nodes = nodesHere(scope, job.nodes)
  checkOutputs(scope, nodes.values())
  return { ...scope, nodes }
}
