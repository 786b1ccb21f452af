/** Does the tasks of a worker by the code that does an engine's own work. Source: distribution 5. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { NodePlace, Plan, RunKey } from '../../../machines/vocabulary.ts'
import { nodeFiles } from '../../actors/run/log-names.ts'
import { isInside, runLabel } from '../../actors/run/run-container.ts'
import { type RunScope, stepAt } from '../../actors/run/run-scope.ts'
import type { OpenJob, StepJob, TaskKind } from '../../bus/jobs.ts'
import { messageOf } from '../../errors.ts'
import { LABEL } from '../../executors/docker/connection.ts'
import { executionId } from '../../executors/docker/docker.ts'
import type { Fence, Fenced } from '../../executors/fence/fence.ts'
import { hasRecord } from '../../executors/processes/state-file.ts'
import type { Log } from '../../log.ts'
import { failed } from '../tasks/held-task.ts'
import type { TaskRecord } from '../tasks/record.ts'
import { idOf } from '../tasks/spool.ts'
import { type Doing, runOf, type Work } from '../tasks/work.ts'
import type { RunFolders } from './kept-run.ts'
import type { Machine } from './machine.ts'
import { notedLogs } from './noted-logs.ts'
import { closeRun, openRun } from './open-close.ts'
import type { Runs } from './runs.ts'
import { performStep } from './step-task.ts'
import { checkStep, conditionsOf, expandStep, repeatStep, type TaskServices } from './text-tasks.ts'

export interface WorkParts {
  machine: Machine
  runs: Runs
  folders: RunFolders
  log: Pick<Log, 'error'>
  /** Runs that it takes at a time; absent: as many as it is given. */
  slots?: number
  fence: Pick<Fence, 'list'>
  /** For a run more. */
  hasSpace(): boolean
}

export function runWork({ machine, runs, folders, log, slots, hasSpace, fence }: WorkParts): Work {
  const { services } = machine
  const { clock } = services

  function refusalOf(run: string, what: TaskKind, job?: string): ReturnType<Work['refusal']> {
    if (what === 'close') return undefined // of one that is not open, nothing is left to be closed
    if (what !== 'open') return runs.has(run) ? undefined : 'run'
    if (runs.has(run) || job === undefined) return undefined
    const asked = JSON.parse(job) as OpenJob
    if (runs.isBelow(asked)) return undefined
    if (!hasSpace()) return 'disk'
    return slots !== undefined && runs.taken() >= slots && asked.slot === undefined ? 'full' : undefined
  }

  /** @param how gets the services of this task, and what kills it */
  function doing(task: TaskRecord, how: (work: TaskServices) => Promise<object>): Doing {
    const abandoned = new AbortController()
    const logs = notedLogs(services.logs)
    const id = runOf(task)
    let scope: RunScope | undefined
    const work: TaskServices = {
      id,
      abandoned,
      runs,
      logs,
      async scope() {
        scope = await runs.scope(id)
        return scope
      },
      servicesOf: (one) => ({ ...services, logs, scope: () => one })
    }
    async function result(): Promise<object> {
      try {
        return { ...(await how(work)), notes: masked() }
      } catch (error) {
        const message = abandoned.signal.aborted ? `it was stopped: ${messageOf(error)}` : messageOf(error)
        return failed(task.what, (scope?.secrets.mask(message) ?? message).slice(0, MOST_ERROR), masked())
      }
    }
    const masked = () => {
      if (scope) logs.mask(scope.secrets.mask)
      return logs.notes
    }
    return {
      ended: result().then((result) => ({ result, at: clock.now() })),
      hear: () => abandoned.abort(),
      leave: () => abandoned.abort()
    }
  }

  const DO: Record<Exclude<TaskKind, 'step'>, (task: TaskRecord) => (work: TaskServices) => Promise<object>> = {
    open:
      ({ job }) =>
      (work) =>
        openRun(work, JSON.parse(job) as OpenJob),
    conditions: () => conditionsOf,
    check: (task) => (work) => checkStep(work, inputOf(task), jobOf(task)),
    repeat: (task) => (work) => repeatStep(work, inputOf(task), jobOf(task)),
    expand: (task) => (work) => expandStep(work, inputOf(task), jobOf(task)),
    close: () => (work) => closeRun(work, services)
  }
  const jobOf = ({ job }: TaskRecord): StepJob => JSON.parse(job) // checked when it was taken
  function inputOf(task: TaskRecord, resumed = false): AttemptInput {
    const { place, attempt, runStatus, over } = jobOf(task)
    return {
      run: keyOf(task),
      place,
      attempt,
      ...(runStatus === undefined ? {} : { runStatus }),
      ...(over ? { over } : {}),
      ...(resumed ? { resumed } : {}),
      ...(task.mayResume ? { mayResume: true } : {}),
      ...(task.asked || task.stopped !== undefined ? { stopped: true } : {})
    }
  }
  function keyOf(task: TaskRecord): RunKey {
    const run = runs.job(runOf(task))?.run
    if (run) return run
    throw new Error('its run is not open here any more')
  }

  const baseOf = (task: TaskRecord, plan: Plan) => {
    const { place, attempt } = jobOf(task)
    return nodeFiles(folders.of(runOf(task)).logs, stepAt(plan, place).name).state(attempt)
  }
  /** The part of a task that the fence can end. */
  function fencedOf(task: TaskRecord, plan: Plan): Fenced {
    const state = baseOf(task, plan)
    const step = stepAt(plan, jobOf(task).place)
    const { type } = step.executor
    const label = isInside(plan, step) ? `run=${runLabel(keyOf(task))}` : `execution=${executionId({ state })}`
    return {
      state,
      ...(type === 'docker' ? { label: `${LABEL}${label}` } : {}),
      ...(OUTSIDE.has(type) ? {} : { isInside: true })
    }
  }

  /** A task at work is on the list; the fence of this process has to know its deadline. */
  function relist(task: TaskRecord, plan: Plan): void {
    try {
      fence.list(idOf(task), fencedOf(task, plan))
    } catch (error) {
      log.error('what is at work is not listed again for the fence', { task: task.name, reason: messageOf(error) })
    }
  }

  return {
    isOpen: runs.has,
    refusal: refusalOf,
    isAtWork(task) {
      const plan = runs.job(runOf(task))?.plan
      if (task.what !== 'step' || !task.began || !plan) return false
      return hasRecord(baseOf(task, plan))
    },
    logsOf(task) {
      const plan = runs.job(runOf(task))?.plan
      if (!plan) throw new Error('its run is not open here any more')
      const place: NodePlace = jobOf(task).place
      const { stdout, stderr } = nodeFiles(folders.of(runOf(task)).logs, stepAt(plan, place).name)
      return [stdout, stderr]
    },
    begin(task, resumed, tell) {
      if (task.what !== 'step') return doing(task, DO[task.what](task))
      const plan = runs.job(runOf(task))?.plan
      if (plan && !task.unfenced && !resumed) fence.list(idOf(task), fencedOf(task, plan))
      else if (plan && !task.unfenced) relist(task, plan)
      return performStep({
        task,
        resumed,
        tell,
        runs,
        services,
        job: jobOf(task),
        input: inputOf(task, resumed)
      })
    },
    forget: (run) =>
      void runs.forget(run).catch((error) => log.error('a run cannot be removed', { reason: messageOf(error) }))
  }
}

const MOST_ERROR = 60_000
/** Types of steps that are not at work in this process. */
const OUTSIDE: ReadonlySet<string> = new Set(['shell', 'docker', 'ssh'])
