/** Requests a start from the actors, and turns a refusal into an error. Source: api-semantics 4.1, 4.2. */
import { holdsOf } from '../../../machines/policy/admission.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunRequest, System } from '../../actors/root/system.ts'
import { leaveLogFolder } from '../../actors/run/log-folder.ts'
import { needsWorker } from '../../actors/run/needs-worker.ts'
import type { Config } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { activeRuns, findRuns } from '../../store/find-runs.ts'
import type { Store } from '../../store/open.ts'
import type { Started, StartRequest } from '../engine.ts'
import { recordOf } from '../views/run-view.ts'

export function admissionTo(store: Store, system: System) {
  /** @param stored whether a stored definition is started. @throws TroupeError already_exists, max_run_reached, already_running */
  async function admit(wanted: RunRequest, stored: boolean): Promise<RunKey> {
    const { name, dagRunId, log: runLog } = wanted.record
    try {
      refuseKnown(wanted)
      const admission = await system.start(wanted)
      if (admission.type === 'start.refused') throw refusal(admission, stored)
      return { name, dagRunId }
    } catch (error) {
      if (wanted.plan.plan.logDir !== undefined) leaveLogFolder(runLog)
      throw error
    }
  }

  /** The result that a start would have now, and what would hold the run. @throws like `admit` */
  function check(wanted: RunRequest, { fileName }: StartRequest, queues: Config['queues'], at: number): Started {
    const { name, dagRunId, log: runLog } = wanted.record
    if (wanted.plan.plan.logDir !== undefined) leaveLogFolder(runLog)
    refuseKnown(wanted)
    const refused = dryRun(store, wanted)
    if (refused) throw refusal(refused, fileName !== undefined)
    const lacksWorker = system.lacksWorker(wanted.plan)
    const waitsFor = holdsOf(wanted.record, { at, lacksWorker, ...roomFor(store, wanted, queues) })
    return { name, dagRunId, ...(waitsFor.length > 0 ? { waitsFor } : {}) }
  }

  function refuseKnown({ record }: RunRequest): void {
    const { name, dagRunId } = record
    if (system.isTaken(record) || recordOf(store, { name, dagRunId }))
      throw new TroupeError('already_exists', `${name} already has a run with the id ${dagRunId}`)
  }

  return { admit, check }
}

/** Whether maxActiveRuns also limits queued runs. Source: api-semantics 4.2. */
export function isBounded({ spec }: StartRequest, { plan: { plan }, record }: RunRequest): boolean {
  if (spec !== undefined) return plan.statesMaxActiveRuns && plan.maxActiveRuns >= 1
  return record.queue !== undefined && record.queue !== record.name && plan.maxActiveRuns > 1
}

export function refusal(
  { key, reason, limit, active }: Extract<Awaited<ReturnType<System['start']>>, { type: 'start.refused' }>,
  stored: boolean
): TroupeError {
  const { running, queued } = active
  const runs = `${running + queued} active run${running + queued === 1 ? '' : 's'}`
  if (reason === 'queue_faulted')
    return new TroupeError('internal_error', 'internal error: the queue was not able to decide')
  if (reason === 'already_running')
    // Inline starts have one code for both reasons. Source: api-semantics 4.2.
    return new TroupeError(
      stored ? 'already_running' : 'max_run_reached',
      `${key.name} is running, and a singleton was asked for`,
      {
        details: { ...active }
      }
    )
  return new TroupeError('max_run_reached', `${key.name} already has ${runs} (limit ${limit})`, {
    details: { limit, running, queued }
  })
}

type Refused = Extract<Awaited<ReturnType<System['start']>>, { type: 'start.refused' }>

// D204: `dryRun: true` reserves nothing
/** The queue's answer to a hypothetical start. Nothing is reserved: a later answer may differ. Source: api-semantics 12 (dryRun), 4.2. */
function dryRun(store: Store, { record, plan: { plan }, singleton, ...way }: RunRequest): Refused | undefined {
  const enqueue = way.enqueue ?? (needsWorker(plan) ? { bounded: true } : undefined)
  const { name, dagRunId } = record
  const active = activeRuns(store, name).filter(({ superseded }) => !superseded)
  const running = active.filter(({ status }) => status === 'running').length
  const counts = { running, queued: active.length - running }
  const refused = { type: 'start.refused', key: { name, dagRunId }, limit: plan.maxActiveRuns, active: counts } as const
  if (enqueue && singleton && active.length > 0) return { ...refused, limit: 1, reason: 'max_run_reached' }
  if (enqueue && !enqueue.bounded) return undefined
  if (singleton && running > 0) return { ...refused, reason: 'already_running' }
  if (plan.maxActiveRuns > 0 && active.length >= plan.maxActiveRuns) return { ...refused, reason: 'max_run_reached' }
  return undefined
}

/** The room that a run would find now. A start that may not wait in its queue needs none there. */
function roomFor(store: Store, { record, plan: { plan }, ...way }: RunRequest, queues: Config['queues']) {
  const { name = record.name, maxConcurrency: capacity } = queues.config.find(({ name }) => name === record.queue) ?? {}
  const running = findRuns(store, { status: ['running'] }).filter(
    ({ queue, name: dag, superseded }) => !superseded && (queue ?? dag) === (record.queue ?? name)
  ).length
  const mayWait = way.mayWait && !way.singleton && !way.unlimited && plan.maxActiveRuns > 1
  const waits = way.enqueue !== undefined || (capacity !== undefined && mayWait)
  return waits ? { running, capacity, limit: plan.maxActiveRuns } : { running: 0, limit: -1 }
}
