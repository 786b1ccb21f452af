/** What a node is told of an attempt that is over: the facts of its execution, or why there was none. */
import { existsSync } from 'node:fs'
import type { Step } from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import type { ExecutionEnd } from '../../executors/executor.ts'
import { NO_LOG } from '../../executors/launcher/job.ts'
import { noteExecution } from '../../platform/note-times.ts'
import type { StepServices } from '../root/step-services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { withLogFolder } from '../run/removed-logs.ts'
import { append } from './append.ts'
import { captureOutput, looksForMatch, matchesLog, refusedLog, tailOf, tooLarge } from './attempt-output.ts'
import type { AttemptEnd, AttemptWork } from './attempt-state.ts'

const LOG_GONE = 'its output is gone: its log was removed while it ran'

/** The end of an attempt that was asked to stop while nothing was at work. */
export const terminated = ({ clock }: Pick<StepServices, 'clock'>): AttemptEnd => ({
  at: clock.now(),
  exitCode: -1,
  error: 'signal: terminated'
})

/** The facts of an execution that has ended. @throws TroupeError when its output is gone */
export async function reportAttempt(work: AttemptWork, end: ExecutionEnd): Promise<AttemptEnd> {
  const { input, scope, step, state } = work
  const { plan, secrets } = scope
  const { stdout, stderr } = nodeFiles(scope.nodeLogs, step.name)
  const stopped = state.stopSignal !== undefined || state.isKilled || input.stopped === true
  const { exitCode, signal, at, offset, outputFrom = offset, cause: said = `exit status ${exitCode}` } = end
  const facts: AttemptEnd = { at, exitCode, ...(signal === undefined ? {} : { signal }) }
  if (exitCode === NO_LOG && !stopped) {
    const refused = await refusedLog([stdout, stderr])
    if (refused) return { ...facts, error: failureOf(step, `${said}: ${refused}`) }
  }
  if (step.output !== undefined && exitCode === 0 && !stopped && !existsSync(stdout))
    throw new TroupeError('internal_error', failureOf(step, LOG_GONE))
  const captured = step.output === undefined ? {} : await captureOutput(stdout, outputFrom, plan.maxOutputSize, secrets)
  if (looksForMatch(step, exitCode !== 0 || stopped || !captured))
    facts.outputMatched = await matchesLog(stdout, offset, step.continueOn.outputs, plan.maxOutputSize)
  if (!captured) return { ...facts, exitCode: exitCode === 0 ? 1 : exitCode, error: tooLarge(plan.maxOutputSize) }
  Object.assign(facts, captured)
  if (exitCode === 0) return facts
  const how = signal === undefined ? said : `signal: ${signal}`
  const cause = end.limit === undefined ? how : `${how}: ${end.limit}`
  if (stopped) return { ...facts, error: cause }
  const tail = await tailOf(stderr)
  return {
    ...facts,
    error: failureOf(step, `${cause}${tail && `\nrecent stderr (tail):\n${tail}`}`)
  }
}

/** Why an attempt has failed: nothing could begin, or nobody can know how its execution ended. */
export async function reportFailure(work: AttemptWork, error: NodeJS.ErrnoException): Promise<AttemptEnd> {
  const { services, scope, step, state } = work
  const { mask } = scope.secrets
  const isExecuting = state.phase.name === 'executing'
  if (isExecuting) return failed(work, mask(error.message))
  const { stdout, stderr } = nodeFiles(scope.nodeLogs, step.name)
  const refused = error.errno === undefined ? undefined : await refusedLog([stdout, stderr])
  const message = mask(refused ?? error.message)
  await logFailure(work, message)
  if (state.stopSignal) return terminated(services)
  return failed(work, state.isKilled ? message : failureOf(step, message))
}

const failed = ({ services: { clock }, state: { stopSignal } }: AttemptWork, error: string): AttemptEnd => ({
  at: clock.now(),
  exitCode: stopSignal ? -1 : 1,
  error
})

/** An execution that never was has logs all the same: they say why. */
async function logFailure({ services, input, scope, step, state }: AttemptWork, message: string): Promise<void> {
  const { stdout, stderr } = nodeFiles(scope.nodeLogs, step.name)
  await withLogFolder(services, scope, state.abandoned).catch(() => {})
  await Promise.all([stdout, stderr].map((log) => noteExecution(log, input.attempt)))
  const written = [append(stdout, ''), append(stderr, `${message}\n`)]
  await Promise.allSettled(written) // a log that cannot be written is no reason not to report
}

/** Source: execution-semantics 4.5.10. */
const failureOf = ({ name }: Step, cause: string): string => `failed to execute step "${name}": ${cause}`
