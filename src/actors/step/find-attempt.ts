/** Looks for the execution that an earlier engine may have begun for an attempt. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { Step } from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import type { ExecutionEnd, Executor, Traces } from '../../executors/executor.ts'
import { recorded } from '../../executors/frame/in-process.ts'
import { hasRecord } from '../../executors/processes/state-file.ts'
import type { Secrets } from '../../masking/secrets.ts'
import { nodeFiles } from '../run/log-names.ts'
import { wereRemovedSince } from '../run/removed-logs.ts'
import type { RunScope } from '../run/run-scope.ts'
import type { AttemptWork } from './attempt-state.ts'
import { endOf } from './begin-attempt.ts'
import { maskingOf } from './prepare-step.ts'

const RECORD_GONE = ': its log folder was removed, and the record of it with that'
// D892: a step whose captured output was removed while it ran fails
const OUTPUT_GONE = 'interrupted: outcome unknown: its output is gone with its log folder'

/** Undefined: none has begun. @throws TroupeError when nobody can know how it ended */
export async function findAttempt(work: AttemptWork, executor: Executor): Promise<ExecutionEnd | undefined> {
  const { services, input, scope, step, state, tell } = work
  await services.mayLook()
  if (state.phase.name === 'left') return new Promise(() => {}) // the next engine looks
  const isLost = isRecordLost(scope, step, input)
  const traces = { ...tracesOf(scope.nodeLogs, step, input, scope.secrets), ...(isLost ? { isLost } : {}) }
  const found = await services.diskSpace.take(() => executor.find(traces), state.abandoned) // it may have to write
  const running = found ?? (isLost ? recorded({ offset: 0 }, services.clock.now(), RECORD_GONE) : undefined)
  if (!running) return undefined
  state.executing(running)
  // An execution that nobody is at work for, and that may go on, leaves nothing to be decided before its end.
  if (!(await running.over) && !(running.isGone && input.mayResume))
    tell(running.isHosted && input.died ? 'attempt.died' : 'attempt.found')
  const end = await endOf(work, running)
  if (running.isOutputLost && isCaptured(step)) throw new TroupeError('internal_error', OUTPUT_GONE)
  return end
}

/** Whether others want its output: it must not succeed with half of it. */
const isCaptured = ({ output, continueOn }: Step): boolean => output !== undefined || continueOn.outputs.length > 0

const tracesOf = (nodeLogs: string, step: Step, { attempt, stopped }: AttemptInput, secrets: Secrets): Traces => {
  const { stdout, stderr, state } = nodeFiles(nodeLogs, step.name)
  const asked = stopped ? { stopped: step.signalOnStop ?? 'SIGTERM' } : {}
  return { stdout, stderr, state: state(attempt), ...asked, ...maskingOf(step, secrets) }
}

/** Nothing is on record of an execution that had begun before the folder of its run was removed. */
function isRecordLost(
  { isLost = false, nodes, nodeLogs, runLog }: RunScope,
  { name }: Step,
  { place, attempt }: AttemptInput
): boolean {
  if (isLost) return true
  const { startedAt } = nodes.get(place) ?? {}
  if (startedAt === undefined || hasRecord(nodeFiles(nodeLogs, name).state(attempt))) return false
  return wereRemovedSince(runLog, startedAt)
}
