/** Begins the execution of an attempt, and again while the disk has no space for its record. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { Step } from '../../../machines/vocabulary.ts'
import type { Execution, ExecutionEnd, Executor, Running } from '../../executors/executor.ts'
import { Unrecorded } from '../../executors/frame/unrecorded.ts'
import { noteExecution } from '../../platform/note-times.ts'
import { withLogFolder } from '../run/removed-logs.ts'
import type { AttemptWork } from './attempt-state.ts'
import { prepareStep } from './prepare-step.ts'

/** Undefined: it was stopped before it began. @throws Error why it cannot begin, or how it ended cannot be known */
export async function beginAttempt(work: AttemptWork, executor: Executor): Promise<ExecutionEnd | undefined> {
  const { services, input, scope, step, state } = work
  const { abandoned } = state
  if (readsRunLog(step, input)) await services.logs.flushed(scope.runLog)
  const execution = await prepareStep(services, input, abandoned)
  while (!state.stopSignal) {
    await withLogFolder(services, scope, abandoned, services.logFolders)
    try {
      await noteBegin(execution, input.attempt)
      const running = await services.diskSpace.take(() => executor.start(execution), abandoned)
      state.executing(running)
      return await endOf(work, running)
    } catch (error) {
      if (!(error instanceof Unrecorded)) throw error
      state.unrecorded()
      await withLogFolder(services, scope, abandoned, services.logFolders) // that may be why
      await services.diskSpace.take(() => error.tryAgain(), abandoned)
    }
  }
  return undefined
}

/** From where on its logs are its own: those of earlier executions are in the same files. */
async function noteBegin({ stdout, stderr, copies }: Execution, execution: number): Promise<void> {
  if (execution === 1) return
  const logs = [stdout, stderr, ...(copies?.both === undefined ? [] : [copies.both])]
  await Promise.all(logs.map((log) => noteExecution(log, execution)))
}

/** The end of an execution that is at work; what was asked of the attempt before is asked of it now. */
export function endOf({ step, state, tell }: AttemptWork, running: Running): Promise<ExecutionEnd> {
  state.passOn(running)
  if (step.timeoutMs > 0) void running.began.then((at) => tell('attempt.began', at))
  return running.ended
}

/** Handlers are there to tell what has happened; lines are written a moment late otherwise. Source: execution-semantics 3.6. */
const readsRunLog = (step: Step, { place }: AttemptInput): boolean => typeof place === 'string' || namesRunLog(step)

/** A step does not change, and may be executed again and again. */
const named = new WeakMap<Step, boolean>()
function namesRunLog(step: Step): boolean {
  const known = named.get(step) ?? JSON.stringify(step).includes('DAG_RUN_LOG_FILE')
  named.set(step, known)
  return known
}
