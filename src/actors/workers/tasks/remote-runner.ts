/**
 * The work of runs that were placed on workers: each piece of it is a task for the worker of the run. The worker evaluates and executes;
 * what follows is decided here, by the same charts as for a run of this machine. Source: distribution 0.5, 4, 5.
 */
import type { AttemptInput } from '../../../../machines/node.ts'
import type { RunKey } from '../../../../machines/vocabulary.ts'
import type { OpenJob, StepJob, TaskKind } from '../../../bus/jobs.ts'
import type { ResultOf } from '../../../bus/results.ts'
import { pause } from '../../../clock.ts'
import { messageOf, TroupeError } from '../../../errors.ts'
import { nodeFiles } from '../../run/log-names.ts'
import { withLogFolder } from '../../run/removed-logs.ts'
import { type RunScope, stepAt } from '../../run/run-scope.ts'
import type { Prepared, Runner } from '../../runner/runner.ts'
import { append } from '../../step/append.ts'
import type { TaskRequest } from './asked-task.ts'
import { whenAway } from './away-bus.ts'
import { beginTask, Refused } from './one-task.ts'
import { POSTPONED, remoteAttempt } from './remote-attempt.ts'
import type { RemoteParts } from './remote-parts.ts'
import { nodesSeen } from './seen-nodes.ts'
import { runOnBus, taskOnBus } from './task-ids.ts'

// D986: the work of a run is behind one interface, which an engine or a worker fulfils
export function remoteRunner(parts: RemoteParts): Runner {
  const { services, dispatcher, inheritedBy, placementOf, isAway } = parts
  const { clock, logs } = services

  const requestOf = <K extends TaskKind>(
    key: RunKey,
    what: K,
    job: object,
    which: number,
    place?: AttemptInput['place']
  ) => {
    const { plan, runAttempt } = services.scope(key)
    const run = runOnBus(key, runAttempt)
    const about = place === undefined ? '' : `/node/${stepAt(plan, place).name}`
    const task = taskOnBus(run, what, which, place)
    const name = `run/${key.name}/${key.dagRunId}${about}`
    return {
      placement: placementOf(key),
      what,
      task,
      run,
      name,
      job,
      ...(plan.onWorkerLost === 'wait' ? { unfenced: true as const } : {})
    }
  }
  const jobOf = (input: AttemptInput): StepJob => {
    const { run, place, attempt, runStatus, over } = input
    return {
      place,
      attempt,
      nodes: nodesSeen(services.scope(run), place, over),
      ...(runStatus === undefined ? {} : { runStatus }),
      ...(over ? { over } : {})
    }
  }

  /** A task that may be done again after a crash: its result counts as soon as it is here. @throws Error its error */
  async function done<K extends Exclude<TaskKind, 'step'>>(
    key: RunKey,
    request: TaskRequest & { what: K },
    signal: AbortSignal,
    isHandler = false
  ): Promise<ResultOf<K>> {
    const { runLog } = services.scope(key)
    const { task, ended } = beginTask(dispatcher, clock, request, signal, {
      postponed: (reason) => logs.write(runLog, 'WARN', POSTPONED, { worker: request.placement.id, reason })
    })
    const { away, cancel } = whenAway({ clock, isAway }, request.placement.id, () => isHandler)
    let abandon = () => {}
    // The task is left, not stopped: an engine that only closes asks for it again. With its run, what is at work for it ends.
    const abandoned = new Promise<never>((_, reject) => {
      abandon = () => reject(new Error('nobody waits for it any more'))
    })
    signal.addEventListener('abort', abandon, { once: true })
    try {
      const { result } = await Promise.race([ended, away, abandoned])
      for (const { level, message, fields } of result.notes) logs.write(runLog, level, message, fields)
      if (result.error !== undefined) throw new TroupeError('internal_error', result.error)
      return result
    } finally {
      cancel()
      signal.removeEventListener('abort', abandon)
      task.settled()
    }
  }

  /** How often each run was opened: a worker that has lost it is asked to open it anew. */
  const opened = new Map<string, number>()
  async function open(key: RunKey, signal: AbortSignal): Promise<void> {
    const scope = services.scope(key)
    const id = runOnBus(key, scope.runAttempt)
    const count = (opened.get(id) ?? 0) + 1
    opened.set(id, count)
    const { caller, inherited, slot } = await inheritedBy(key)
    const { locals: _, ...plan } = scope.plan
    const job: OpenJob = {
      run: key,
      runAttempt: scope.runAttempt,
      plan: { ...plan, locals: [] },
      params: scope.params,
      ...traceIn(scope),
      ...(caller ? { caller } : {}),
      ...(inherited ? { inherited } : {}),
      ...(slot ? { slot } : {})
    }
    await done(key, requestOf(key, 'open', job, count), signal)
  }

  /** Does a task that needs the run on its worker: the run is opened there if the worker has lost it. */
  async function inRun<K extends Exclude<TaskKind, 'step'>>(
    key: RunKey,
    request: TaskRequest & { what: K },
    signal: AbortSignal,
    place?: AttemptInput['place']
  ): Promise<ResultOf<K>> {
    for (;;)
      try {
        return await done(key, request, signal, typeof place === 'string')
      } catch (error) {
        if (!(error instanceof Refused && error.why === 'run')) throw error
        await open(key, signal)
      }
  }

  return {
    async open(key, signal) {
      await services.openScope(key, signal)
      signal.throwIfAborted() // nobody waits for it any more
      await open(key, signal)
    },
    async conditions(key, signal) {
      try {
        const { met, conditions } = await inRun(key, requestOf(key, 'conditions', {}, 1), signal)
        return { met, conditions }
      } catch (error) {
        // What cannot be evaluated does not hold, and says why. Source: execution-semantics 5.6.8
        const { preconditions } = services.scope(key).plan
        return { met: false, conditions: preconditions.map(() => ({ matched: false, error: messageOf(error) })) }
      }
    },
    async prepare(input, { signal }) {
      const scope = services.scope(input.run)
      const step = stepAt(scope.plan, input.place)
      const { stdout, stderr } = nodeFiles(scope.nodeLogs, step.name)
      if (!step.wait) {
        await withLogFolder(services, scope, { signal })
        for (const path of [stdout, stderr]) await services.diskSpace.take(() => append(path, ''), { signal })
      }
      const request = requestOf(input.run, 'check', jobOf(input), input.attempt, input.place)
      const {
        met = false,
        conditions = [],
        retry,
        wait,
        message
      } = await inRun(input.run, request, signal, input.place)
      const texts = wait ? { wait } : {}
      return { met, conditions, retry, ...texts, ...(message === undefined ? {} : { error: message }) } as Prepared // its worker runs our own code
    },
    attempt: (input, tell) =>
      remoteAttempt({
        ...parts,
        input,
        tell,
        request: requestOf(input.run, 'step', jobOf(input), input.attempt, input.place),
        reopen: (signal) => open(input.run, signal)
      }),
    async repeats(input, { signal }) {
      const request = requestOf(input.run, 'repeat', jobOf(input), input.attempt, input.place)
      try {
        return (await inRun(input.run, request, signal, input.place)).met
      } catch (error) {
        if (signal.aborted) return false
        const { runLog, plan } = services.scope(input.run)
        const step = stepAt(plan, input.place).name
        logs.write(runLog, 'WARN', 'the condition of repeatPolicy does not hold', { step, error: messageOf(error) })
        return false
      }
    },
    async expand(input, signal) {
      const request = requestOf(input.run, 'expand', jobOf(input), input.attempt, input.place)
      const { target = '', refs = [] } = await inRun(input.run, request, signal, input.place)
      return { target, refs }
    },
    over({ placement, attempt, ...key }) {
      if (placement) dispatcher.forget(placement.home, runOnBus(key, attempt))
    },
    async release(key) {
      const { runAttempt, runLog } = services.scope(key)
      opened.delete(runOnBus(key, runAttempt))
      const over = new AbortController()
      try {
        await Promise.race([
          done(key, requestOf(key, 'close', {}, 1), over.signal),
          pause(clock, RELEASE_MS, over.signal)
        ])
      } catch (error) {
        logs.write(runLog, 'WARN', 'the run could not be closed on its worker', { reason: messageOf(error) })
      }
      over.abort()
    }
  }
}

/** Without what a collector is told. */
function traceIn({ trace, passed }: Pick<RunScope, 'trace' | 'passed'>): Pick<OpenJob, 'trace'> {
  const place = trace ?? passed
  if (!place) return {}
  const { traceId, spanId, traceState } = place
  return { trace: { traceId, spanId, ...(traceState ? { traceState } : {}), ...(trace ? {} : { isPassed: true }) } }
}

/** The end of a run does not wait longer for its worker, which hears of it when it is back. */
const RELEASE_MS = 10_000
