/** Calls a function of the host application for a step, and tells how that ended. */
import { existsSync } from 'node:fs'
import type { AttemptInput } from '../../../machines/node.ts'
import type { Json, Step } from '../../../machines/vocabulary.ts'
import { isFinal } from '../../executors/function/errors.ts'
import type { HostFunction } from '../../executors/function/function.ts'
import { checkedParams } from '../../executors/function/params.ts'
import { resultText } from '../../executors/function/result.ts'
import { saidBy, thrownOf } from '../../executors/function/thrown.ts'
import type { Call } from '../../executors/function/types.ts'
import type { StepServices } from '../root/step-services.ts'
import { nodeFiles } from '../run/log-names.ts'
import type { RunScope } from '../run/run-scope.ts'
import { looksForMatch, matchesLog } from '../step/attempt-output.ts'
import type { AttemptEnd, Tell } from '../step/attempt-state.ts'
import { terminated } from '../step/report-attempt.ts'
import { endsBefore, idempotencyKey, lastResult, paramsFor, paramsOfRun, passOf } from './given.ts'
import { type StepLog, sizeOf, stepLog } from './step-log.ts'

export interface FunctionWork {
  services: StepServices
  input: AttemptInput
  scope: RunScope
  step: Step
  tell: Tell
  /** The item of a step with `each`. */
  item?: { index: number; value: Json }
}

/** Never rejects: whatever a function does is an end of its step. */
export async function callFunction(work: FunctionWork, fn: HostFunction, signal: AbortSignal): Promise<AttemptEnd> {
  const { services, input, scope, step, item } = work
  const { clock } = services
  const files = nodeFiles(scope.nodeLogs, step.name)
  const fault = () => noteInRunLog(work, fn, 'the log of a function cannot be written')
  const log = stepLog(files, scope.secrets.mask, clock, fault, item ? undefined : input.attempt)
  const offset = step.continueOn.outputs.length > 0 ? sizeOf(files.stdout) : 0
  const end = await endOfCall(work, fn, signal, log)
  log.end()
  if (!looksForMatch(step, end.exitCode !== 0 || signal.aborted)) return end
  const { maxOutputSize } = scope.plan
  const isMatch = await matchesLog(files.stdout, offset, step.continueOn.outputs, maxOutputSize).catch(() => false)
  return { ...end, outputMatched: isMatch }
}

async function endOfCall(
  work: FunctionWork,
  fn: HostFunction,
  signal: AbortSignal,
  { log }: StepLog
): Promise<AttemptEnd> {
  const { services, input, scope, step, tell, item } = work
  const { clock } = services
  const { plan, secrets } = scope
  try {
    const params = fn.isOfRun
      ? paramsOfRun(scope)
      : await checkedParams(fn, await paramsFor(services, scope, input, step, { signal }))
    if (signal.aborted) return terminated(services)
    if (step.timeoutMs > 0) tell('attempt.began')
    const { name, dagRunId } = scope.key
    const call: Call<unknown> = {
      params,
      ...endsBefore(scope, input.place),
      run: { name, dagRunId, ...(input.runStatus === undefined ? {} : { status: input.runStatus }) },
      step: step.name,
      attempt: input.attempt,
      idempotencyKey: idempotencyKey(scope.key, step.name, passOf(scope, input.place), item?.index),
      signal,
      log,
      now: () => clock.now(),
      ...(step.repeat ? { pass: passOf(scope, input.place) + 1, last: lastResult(scope, step, input.place) } : {}),
      ...(item ? { item: structuredClone(item.value), index: item.index } : {})
    }
    const result = await watched(work, fn, call)
    const { text, marks } = secrets.cover(resultText(result, plan.maxOutputSize))
    return { at: clock.now(), exitCode: 0, output: text, ...(marks.length > 0 ? { outputMarks: marks } : {}) }
  } catch (error) {
    if (signal.aborted) return terminated(services)
    const thrown = thrownOf(error, secrets.mask)
    return {
      at: clock.now(),
      exitCode: 1,
      error: `failed to execute step "${step.name}": ${saidBy(thrown)}`,
      thrown,
      ...(isFinal(error) ? { isFinal: true } : {})
    }
  }
}

// D1642: the event loop was held, so the alarm could not ring in time
/** Calls the function. One that blocks the process past its time limit is not heard to end before that: the chart fails its step. */
async function watched(work: FunctionWork, fn: HostFunction, call: Call<unknown>): Promise<unknown> {
  const { services, scope, step } = work
  const { clock, logs } = services
  const { timeoutMs } = step
  const began = clock.now()
  let heldMs = 0
  try {
    let answer: unknown
    try {
      answer = fn.run(call)
    } finally {
      heldMs = clock.now() - began
    }
    return await answer
  } finally {
    const lateMs = clock.now() - began - timeoutMs
    // The alarm of the limit would have aborted it, had anything else run since.
    if (timeoutMs > 0 && lateMs > 0 && !call.signal.aborted)
      logs.write(scope.runLog, 'WARN', heldText(Math.max(heldMs, lateMs), timeoutMs), {
        step: step.name,
        function: fn.name
      })
  }
}

const heldText = (heldMs: number, timeoutMs: number): string =>
  `a function held the event loop for at least ${(heldMs / 1_000).toFixed(1)} s, so its timeoutSec of ${timeoutMs / 1_000} could not end it: work in pieces with an await between them, in a worker thread or in a process`

/** A line in the log of its run, while there is one: it may have been removed with the home. */
export function noteInRunLog({ services, scope, step }: FunctionWork, fn: HostFunction, message: string): void {
  if (existsSync(scope.runLog))
    services.logs.write(scope.runLog, 'WARN', message, { step: step.name, function: fn.name })
}
