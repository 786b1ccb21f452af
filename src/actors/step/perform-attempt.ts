/** One execution of a step on this machine: it is found after a restart, or begins, and its end is reported. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { MissingCode, Step } from '../../../machines/vocabulary.ts'
import type { ExecutionEnd, Executor } from '../../executors/executor.ts'
import { FUNCTION, functionName } from '../../executors/function/missing-code.ts'
import { forgetState } from '../../executors/processes/state-file.ts'
import { missingAt, refusedAt } from '../functions/lacking.ts'
import { performFunction } from '../functions/perform-function.ts'
import type { StepServices } from '../root/step-services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { stepAt } from '../run/run-scope.ts'
import type { Attempt } from '../runner/runner.ts'
import { type AttemptEnd, type AttemptWork, attemptState, type Tell } from './attempt-state.ts'
import { beginAttempt } from './begin-attempt.ts'
import { findAttempt } from './find-attempt.ts'
import { reportAttempt, reportFailure, terminated } from './report-attempt.ts'

export function performAttempt(services: StepServices, input: AttemptInput, tell: Tell): Attempt {
  const work = functionWork(services, input, tell)
  return work ? performFunction(work, work.fn) : performExecution(services, input, tell)
}

/** Undefined: it is no function, or it cannot be called here. */
function functionWork(services: StepServices, input: AttemptInput, tell: Tell) {
  const scope = services.scope(input.run)
  const step = stepAt(scope.plan, input.place)
  const fn = step.executor.type === FUNCTION ? services.functions.get(functionName(step)) : undefined
  const isHere = fn && !missingBefore(services, input, step) && !refusedAt(services, input)
  return isHere ? { services, input, scope, step, tell, fn } : undefined
}

/** Executes a step by its executor, or not at all where code for the run is missing. */
function performExecution(services: StepServices, input: AttemptInput, tell: Tell): Attempt {
  const state = attemptState()
  async function perform(): Promise<AttemptEnd> {
    const scope = services.scope(input.run)
    const work = { services, input, scope, step: stepAt(scope.plan, input.place), state, tell }
    return endOfAttempt(work).catch((error) => reportFailure(work, error))
  }
  // Whatever cannot be told of: the step fails, not the engine.
  const ended = perform().catch(({ message }: Error) => ({ at: services.clock.now(), exitCode: 1, error: message }))
  return { ended, hear: state.hear, leave: state.leave }
}

async function endOfAttempt(work: AttemptWork): Promise<AttemptEnd> {
  const { services, input, scope, step } = work
  const isNew = !input.resumed || step.executor.type === FUNCTION
  const missing = missingBefore(services, input, step) ?? (isNew ? refusedAt(services, input) : undefined)
  if (missing && !input.stopped) await waitFor(work, missing, input.resumed === true)
  if (missing) return terminated(services) // who cannot run it does not end it: only a stop does
  const executor = services.executorFor(step)
  // The end of the execution before is stored: a step that repeats for months must not leave a record of each pass behind.
  if (input.attempt > 1) void forgetState(nodeFiles(scope.nodeLogs, step.name).state(input.attempt - 1)).catch(() => {})
  const end = await executed(work, executor)
  return end ? reportAttempt(work, end) : terminated(services)
}

/** Undefined: it was stopped before it began. */
async function executed(work: AttemptWork, executor: Executor): Promise<ExecutionEnd | undefined> {
  const { services, input } = work
  const found = input.resumed ? await findAttempt(work, executor) : undefined
  if (found || input.stopped) return found
  const missing = missingAt(services, input) ?? refusedAt(services, input)
  if (missing) await waitFor(work, missing, false)
  return missing ? undefined : beginAttempt(work, executor)
}

/** An execution that has begun outside of this process is looked for, even where another step of its run cannot be executed. */
const missingBefore = (services: StepServices, input: AttemptInput, step: Step): MissingCode | undefined =>
  step.executor.type === FUNCTION ? missingAt(services, input) : services.missing(step)

/** The node waits in this attempt's place, and ends it; a pass that is the last one waits here until it is killed. */
async function waitFor({ input, state, tell }: AttemptWork, code: MissingCode, mayHaveBegun: boolean): Promise<void> {
  // What the host application has as code was at work in a process that has ended.
  tell('attempt.missing', undefined, { code, mayHaveBegun, ...(mayHaveBegun && input.died ? { died: true } : {}) })
  await aborted(state.abandoned.signal)
  if (state.phase.name === 'left') await new Promise<never>(() => {}) // the next engine looks
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
