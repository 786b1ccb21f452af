/** One execution of a step on this worker: begun, or found after a restart. Source: distribution 3, 5, D3. */
import type { AttemptCommand, AttemptInput } from '../../../machines/node.ts'
import type { MissingCode } from '../../../machines/vocabulary.ts'
import type { StepServices } from '../../actors/root/step-services.ts'
import { type RunScope, stepAt } from '../../actors/run/run-scope.ts'
import type { Attempt } from '../../actors/runner/runner.ts'
import { append } from '../../actors/step/append.ts'
import type { AttemptEnd, Tell } from '../../actors/step/attempt-state.ts'
import { commandBuffer } from '../../actors/step/command-buffer.ts'
import { performAttempt } from '../../actors/step/perform-attempt.ts'
import type { StepJob } from '../../bus/jobs.ts'
import { messageOf } from '../../errors.ts'
import type { Stopped, TaskRecord } from '../tasks/record.ts'
import { type Doing, runOf } from '../tasks/work.ts'
import { notedLogs } from './noted-logs.ts'
import type { Runs } from './runs.ts'
import { scopeSeeing } from './text-tasks.ts'

/** A step that has ended by then is told of by its end alone. One with a time limit is told of at once. */
const TOLD_MS = 250

export interface StepTask {
  task: TaskRecord
  input: AttemptInput
  job: StepJob
  resumed: boolean
  tell(what: 'began' | 'found', at?: number): void
  runs: Runs
  services: Omit<StepServices, 'scope'>
}

const MISSING: Record<MissingCode['kind'], (name: string) => string> = {
  executor: (type) => `executor type "${type}" is not registered on this worker`,
  function: (name) => `the function "${name}" exists in the process of its application, and not on a worker`
}

export function performStep({ task, input, job, resumed, tell, runs, services }: StepTask): Doing {
  const { clock } = services
  const { refused: _, ...begun } = services // what has been taken is done
  const logs = notedLogs(services.logs)
  const commands = commandBuffer()
  let attempt: Attempt | undefined
  let isLeft = false
  let cancelTell = () => {}

  async function perform(): Promise<AttemptEnd> {
    const known = await runs.scope(runOf(task))
    const { name, timeoutMs } = stepAt(known.plan, input.place)
    const asked: Tell = (type, at) => {
      if (type === 'attempt.began') tell('began', at)
      else if (type === 'attempt.found') tell('found', at)
    }
    try {
      const scope = seen(scopeSeeing(known, job))
      const missing = services.missing(stepAt(known.plan, input.place))
      if (missing) throw new Error(MISSING[missing.kind](missing.name))
      const { refused } = (resumed ? undefined : services.refused?.(known.plan, stepAt(known.plan, input.place))) ?? {}
      if (refused !== undefined) throw new Error(refused)
      if (isLeft) return await new Promise<never>(() => {}) // the next process looks
      attempt = performAttempt({ ...begun, logs, scope: () => scope }, input, asked)
      // A step with a time limit is told of when it has left the starting window.
      if (timeoutMs <= 0) cancelTell = clock.after(TOLD_MS, () => tell('began', task.began?.at))
      commands.begun(attempt)
      return await attempt.ended
    } catch (error) {
      const message = known.secrets.mask(messageOf(error))
      await append(task.began?.logs[1] ?? known.runLog, `${message}\n`).catch(() => {}) // told all the same
      return { at: clock.now(), exitCode: 1, error: `failed to execute step "${name}": ${message}` }
    } finally {
      cancelTell()
      logs.mask(known.secrets.mask)
    }
  }
  /** A restart must be able to tell whether its logs were removed since it began. */
  function seen(scope: RunScope): RunScope {
    const before = scope.nodes.get(input.place)
    if (resumed && task.began)
      scope.nodes.set(input.place, {
        step: stepAt(scope.plan, input.place).name,
        status: 'running',
        retryCount: 0,
        doneCount: 0,
        ...before,
        startedAt: task.began.at
      })
    return scope
  }

  const ended = perform()
    .catch((error): AttemptEnd => ({ at: clock.now(), exitCode: 1, error: messageOf(error) }))
    .then(({ at, partial: _, ...end }) => ({ result: { ...end, notes: logs.notes }, at }))
  const commandOf = ({ signal, kill, force }: Stopped): AttemptCommand =>
    kill
      ? { type: 'attempt.kill', at: clock.now(), ...(force ? { force } : {}) }
      : { type: 'attempt.stop', signal, at: clock.now() }
  if (task.asked?.kill) commands.hear(commandOf(task.asked)) // it was not on its way yet
  return {
    ended,
    hear: (asked) => commands.hear(commandOf(asked)),
    leave() {
      isLeft = true
      cancelTell()
      attempt?.leave()
    }
  }
}
