/** One attempt of a node: hands the step to its executor and reports how that ended. Decides nothing. */
import { existsSync } from 'node:fs'
import { fromCallback } from 'xstate'
import type { AttemptCommand, AttemptEnded, AttemptInput } from '../../../machines/node.ts'
import type { Step } from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import type { Execution, ExecutionEnd, Executor, Running, Traces } from '../../executors/executor.ts'
import { recorded } from '../../executors/frame/in-process.ts'
import { Unrecorded } from '../../executors/frame/unrecorded.ts'
import { NO_LOG } from '../../executors/launcher/job.ts'
import { forgetState, hasRecord } from '../../executors/processes/state-file.ts'
import type { Secrets } from '../../masking/secrets.ts'
import type { Abandoned } from '../pace/log-room.ts'
import type { Services } from '../root/services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { wereRemovedSince, withLogFolder } from '../run/removed-logs.ts'
import { type RunScope, stepAt } from '../run/run-scope.ts'
import { append } from './append.ts'
import { captureOutput, looksForMatch, matchesLog, refusedLog, tailOf, tooLarge } from './attempt-output.ts'
import { maskingOf, prepareStep } from './prepare-step.ts'

export const attempt = (services: Services) =>
  fromCallback<AttemptCommand, AttemptInput>(({ input, sendBack, receive }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    let running: Running | undefined
    let stopSignal: string | undefined
    let killed = false
    let isOver = false
    let mask = (text: string) => text
    receive((command) => {
      if (command.type === 'attempt.kill') {
        killed = true
        running?.kill()
      } else {
        stopSignal = command.signal
        running?.stop(command.signal)
      }
      if (!running) abandoned.abort()
    })

    async function perform(): Promise<Omit<AttemptEnded, 'type'>> {
      const scope = services.scope(input.run)
      const { plan, nodeLogs, secrets } = scope
      mask = secrets.mask
      const step = stepAt(plan, input.place)
      if (!services.supports(step)) return unsupported()
      if (input.unsupported) transactions.take(() => sendBack({ type: 'attempt.supported', at: clock.now() }))
      const executor = services.executorFor(step)
      // Its end is stored: a step that repeats for months must not leave a record of each pass behind.
      if (input.attempt > 1) void forgetState(nodeFiles(nodeLogs, step.name).state(input.attempt - 1)).catch(() => {})
      if (input.resumed) {
        await services.mayLook()
        if (isOver) return new Promise(() => {}) // the engine has closed: the next one looks
        const isLost = isRecordLost(scope, step, input)
        const traces = { ...tracesOf(nodeLogs, step, input, secrets), ...(isLost ? { isLost } : {}) }
        const found = await services.room.take(() => executor.find(traces), abandoned) // it may have to write
        running = found ?? (isLost ? recorded({ offset: 0 }, clock.now(), RECORD_GONE) : undefined)
      }
      // Of one that nobody is at work for, and that may go on, there is nothing to be decided before its end.
      if (running && !(await running.over) && !(running.isGone && input.mayResume))
        transactions.take(() => sendBack({ type: 'attempt.found', at: clock.now() }))
      let end = running && (await endOf(running, step))
      if (end && running?.isOutputLost && isCaptured(step)) throw new TroupeError('internal_error', OUTPUT_GONE)
      if (!end && input.stopped) return { at: clock.now(), exitCode: -1, error: TERMINATED }
      if (!end) {
        if (readsRunLog(step, input)) await services.logs.flushed(services.scope(input.run).runLog)
        const execution = await prepareStep(services, input, abandoned.signal)
        end = await executed(execution, executor, scope)
        if (!end) return { at: clock.now(), exitCode: -1, error: TERMINATED }
      }
      return report(services, input, step, end, stopSignal !== undefined || killed || input.stopped === true)
    }

    /** Who cannot run it does not end it: only a stop does. */
    async function unsupported(): Promise<Omit<AttemptEnded, 'type'>> {
      if (!input.stopped) {
        transactions.take(() => sendBack({ type: 'attempt.unsupported', at: clock.now() }))
        await aborted(abandoned.signal)
        if (isOver) return new Promise(() => {}) // the engine has closed: the next one looks
      }
      return { at: clock.now(), exitCode: -1, error: TERMINATED }
    }

    /** Undefined: it was stopped before it began. */
    async function executed(
      execution: Execution,
      executor: Executor,
      scope: RunScope
    ): Promise<ExecutionEnd | undefined> {
      while (!stopSignal) {
        await withLogFolder(services, scope, abandoned)
        try {
          running = await services.room.take(() => executor.start(execution), abandoned)
          return await endOf(running, execution.step)
        } catch (error) {
          if (!(error instanceof Unrecorded)) throw error
          running = undefined
          await withLogFolder(services, scope, abandoned) // that may be why
          await services.room.take(() => error.tryAgain(), abandoned)
        }
      }
      return undefined
    }

    function endOf(running: Running, { timeoutMs }: Step): Promise<ExecutionEnd> {
      if (stopSignal) running.stop(stopSignal)
      if (killed) running.kill()
      if (timeoutMs > 0)
        void running.began.then((at) => transactions.take(() => sendBack({ type: 'attempt.began', at })))
      return running.ended
    }

    const ended = (end: Omit<AttemptEnded, 'type'>) => {
      const heard = input.resumed ? { heardAt: clock.now() } : {}
      transactions.take(() => sendBack({ type: 'attempt.ended', ...end, ...heard }))
    }
    // The attempt is on record when this effect happens: after a crash it is looked for, not started twice.
    transactions.afterCommit(
      () =>
        void perform()
          .then(ended, async (error: NodeJS.ErrnoException) => {
            const isOfFiles = !running && error.errno !== undefined
            const refused = isOfFiles ? await refusedLog(logsOf(services, input)) : undefined
            const message = mask(refused ?? error.message)
            if (!running) await tell(services, input, message, abandoned)
            if (stopSignal && !running) return ended({ at: clock.now(), exitCode: -1, error: TERMINATED })
            const said = running || killed ? message : failureOf(stepOf(services, input), message)
            ended({ at: clock.now(), exitCode: stopSignal ? -1 : 1, error: said })
          })
          // Whatever cannot be told of: the step fails, not the engine.
          .catch(({ message }: Error) => ended({ at: clock.now(), exitCode: 1, error: mask(message) }))
    )
    return () => {
      isOver = true
      if (!running) abandoned.abort()
    }
  })

/** Handlers are there to tell what has happened; lines are written a moment late otherwise. Source: execution-semantics 3.6. */
const readsRunLog = (step: Step, { place }: AttemptInput): boolean =>
  typeof place === 'string' || JSON.stringify(step).includes('DAG_RUN_LOG_FILE')

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const TERMINATED = 'signal: terminated'
const RECORD_GONE = ': its log folder was removed, and the record of it with that'
const LOG_GONE = 'its output is gone: its log was removed while it ran'
// D892
const OUTPUT_GONE = 'interrupted: outcome unknown: its output is gone with its log folder'

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
) {
  if (isLost) return true
  const { startedAt } = nodes.get(place) ?? {}
  if (startedAt === undefined || hasRecord(nodeFiles(nodeLogs, name).state(attempt))) return false
  return wereRemovedSince(runLog, startedAt)
}

const stepOf = (services: Services, { run, place }: AttemptInput): Step => stepAt(services.scope(run).plan, place)

/** Source: execution-semantics 4.5.10. */
export const failureOf = ({ name }: Step, cause: string): string => `failed to execute step "${name}": ${cause}`

const logsOf = (services: Services, { run, place }: AttemptInput): [stdout: string, stderr: string] => {
  const { plan, nodeLogs } = services.scope(run)
  const { stdout, stderr } = nodeFiles(nodeLogs, stepAt(plan, place).name)
  return [stdout, stderr]
}

/** An execution that never was has logs all the same: they say why. */
async function tell(services: Services, input: AttemptInput, message: string, abandoned: Abandoned): Promise<void> {
  const [stdout, stderr] = logsOf(services, input)
  await withLogFolder(services, services.scope(input.run), abandoned).catch(() => {})
  const written = [append(stdout, ''), append(stderr, `${message}\n`)]
  await Promise.allSettled(written) // a log that cannot be written is no reason not to report
}

/** The facts of an execution that has ended. */
async function report(
  services: Services,
  input: AttemptInput,
  step: Step,
  end: ExecutionEnd,
  stopped: boolean
): Promise<Omit<AttemptEnded, 'type'>> {
  const { plan, nodeLogs, secrets } = services.scope(input.run)
  const { stdout, stderr } = nodeFiles(nodeLogs, step.name)
  const { exitCode, signal, at, offset, outputFrom = offset, cause: said = `exit status ${exitCode}` } = end
  const facts: Omit<AttemptEnded, 'type'> = { at, exitCode, ...(signal === undefined ? {} : { signal }) }
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
  const cause = signal === undefined ? said : `signal: ${signal}`
  if (stopped) return { ...facts, error: cause }
  const tail = await tailOf(stderr)
  return {
    ...facts,
    error: failureOf(step, `${cause}${tail && `\nrecent stderr (tail):\n${tail}`}`)
  }
}
