/** One execution of a step on this machine: it is found after a restart, or begins, and its end is reported. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { Executor } from '../../executors/executor.ts'
import { forgetState } from '../../executors/processes/state-file.ts'
import type { StepServices } from '../root/step-services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { stepAt } from '../run/run-scope.ts'
import type { Attempt } from '../runner/runner.ts'
import { type AttemptEnd, type AttemptWork, attemptState, type Tell } from './attempt-state.ts'
import { beginAttempt } from './begin-attempt.ts'
import { findAttempt } from './find-attempt.ts'
import { reportAttempt, reportFailure, terminated } from './report-attempt.ts'

export function performAttempt(services: StepServices, input: AttemptInput, tell: Tell): Attempt {
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
  const { services, input, scope, step, tell } = work
  if (!services.supports(step)) return endUnsupported(work)
  if (input.unsupported) tell('attempt.supported')
  const executor = services.executorFor(step)
  // Its end is stored: a step that repeats for months must not leave a record of each pass behind.
  if (input.attempt > 1) void forgetState(nodeFiles(scope.nodeLogs, step.name).state(input.attempt - 1)).catch(() => {})
  const end = await executed(work, executor)
  return end ? reportAttempt(work, end) : terminated(services)
}

/** Undefined: it was stopped before it began. */
async function executed(work: AttemptWork, executor: Executor) {
  const { resumed, stopped } = work.input
  const found = resumed ? await findAttempt(work, executor) : undefined
  return found ?? (stopped ? undefined : beginAttempt(work, executor))
}

/** Who cannot run it does not end it: only a stop does. */
async function endUnsupported({ services, input, state, tell }: AttemptWork): Promise<AttemptEnd> {
  if (!input.stopped) {
    tell('attempt.unsupported')
    await aborted(state.abandoned.signal)
    if (state.phase.name === 'left') return new Promise(() => {}) // the next engine looks
  }
  return terminated(services)
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
