/** The engine of the owner of a home: commands become messages, answers wait until durable. Source: architecture "In one paragraph". */
import { rmSync } from 'node:fs'
import type { RunKey } from '../../machines/vocabulary.ts'
import { setStatus } from '../actors/root/manual-status.ts'
import type { RunRequest } from '../actors/root/system.ts'
import { leaveLogFolder } from '../actors/run/log-folder.ts'
import { keyOfLabel } from '../actors/run/run-container.ts'
import { renameDefinition } from '../definitions/rename-definition.ts'
import { messageOf, TroupeError } from '../errors.ts'
import { hostCode, refuseUnsupported } from '../executors/function/missing-code.ts'
import { refuseForbidden } from '../executors/limits/open-policy.ts'
import { oneAtATime } from '../platform/one-at-a-time.ts'
import type { Changes } from '../store/changes.ts'
import { isActive } from '../store/commit.ts'
import { subRunOf } from '../store/history.ts'
import { VERSION } from '../version.ts'
import { auditOf } from './audit/audit-log.ts'
import { definitionChanges } from './definition-changes.ts'
import { versionNotes } from './definition-versions.ts'
import type { Engine, Started, StartRequest } from './engine.ts'
import { engineFacts } from './engine-facts.ts'
import type { EngineParts } from './engine-parts.ts'
import { openKeyRing } from './keys/key-ring.ts'
import { ownHome } from './own-home.ts'
import { meteringOf } from './read-metering.ts'
import { unreadyOf } from './readiness.ts'
import { readingEngine } from './reading-engine.ts'
import { openMonitor } from './resources.ts'
import { giveSignal } from './signals.ts'
import { admissionTo, isBounded, refusal } from './start/admission.ts'
import { askedFor, checkKey, startsOnce } from './start/once.ts'
import { placeFor } from './start/place.ts'
import { rescheduleRequest } from './start/reschedule-run.ts'
import { earlierWorkflow, restartRequest } from './start/restart-run.ts'
import { alreadyRunning, hasNoPlace, idIsTaken, retryRequest } from './start/retry-run.ts'
import { runRequest, workflowFor } from './start/start-run.ts'
import { stopperOf } from './start/trigger.ts'
import { stopRuns } from './stop-runs.ts'
import { changedDeliveries, targetViews } from './views/delivery-view.ts'
import { settableStep } from './views/node-status.ts'
import { recordOf, viewOfRun } from './views/run-view.ts'
import { manualOutput } from './views/values/manual-output.ts'
import { everyWait, waitingPart } from './views/waiting-view.ts'
import { openCoordination } from './workers/coordination.ts'

/** Resumes open runs. @throws TroupeError service_unavailable: another engine owns the home */
export async function owningEngine(parts: EngineParts): Promise<Engine> {
  const { config, clock, log, store, definitions, flags, temporary, monitoring } = parts
  const home = await (parts.openHome ?? ownHome)(parts)
  const { system, logs, containers, publish, subscribe } = home
  const { admit, check } = admissionTo(store, system)
  const versions = versionNotes(parts)
  definitions.watch(versions.found)
  const audit = await auditOf(parts)
  const startedAt = clock.now()
  const recovered = system.recover()
  // Runs of the previous engine hold their slots by now.
  const coordination = openCoordination(parts, {
    ...system,
    noteLateEnd: (late) =>
      oneByOne.take(rootOf(late.key).name, async () => {
        await gone(late.key)
        await system.noteLateEnd(late)
      })
  })
  void recovered.then(() => parts.whole?.recovered())
  // A server answers while the runs of the previous engine, maybe thousands, are restored.
  if (!parts.schedules) await recovered
  // A server parses definitions before they are requested.
  if (parts.schedules) void definitions.ready().catch((error) => log.warn(`definitions: ${messageOf(error)}`))
  const monitor = monitoring && openMonitor(clock, config.dataDir, monitoring)
  const closing = new AbortController()
  /** Serializes, by DAG name, changes of runs that have ended. */
  const oneByOne = oneAtATime()
  /** Readers see the end of a run just before its actor is gone. */
  const gone = async (key: RunKey | undefined) => {
    const record = key && recordOf(store, key)
    if (record && !isActive(record)) await system.ended(record)
  }
  const rootOf = (key: RunKey): RunKey => recordOf(store, key)?.caller?.root ?? key
  /** What is acknowledged now was stored in files that have just been checked. */
  const checkHome = () => {
    const fault = home.lost()
    if (fault !== undefined) throw new TroupeError('service_unavailable', fault)
  }
  const checkStorage = () => {
    checkHome()
    if (system.stalled) throw new TroupeError('service_unavailable', system.stalled)
  }
  const admitted: typeof admit = async (wanted, stored) => {
    const key = await admit(wanted, stored)
    checkHome()
    return key
  }
  void recovered
    .then(() => (closing.signal.aborted ? undefined : containers.sweep((run) => system.isOpen(keyOfLabel(run)))))
    .catch((error) => log.warn(`containers of earlier runs may be left: ${messageOf(error)}`))

  const supported = (wanted: RunRequest): RunRequest => {
    refuseUnsupported(wanted.plan.plan, hostCode(parts))
    refuseForbidden(wanted.plan.plan, parts.policy)
    return wanted
  }
  const once = startsOnce(store, clock)
  /** @param waiting what is added where the run is to wait in its queue */
  async function begin(request: StartRequest, waiting?: (found: RunRequest) => Partial<RunRequest>): Promise<Started> {
    checkStorage()
    checkKey(request)
    placeFor(request, config, {}, clock.now()) // before anything is evaluated
    const { fromRun } = request
    const earlier = fromRun && earlierWorkflow(store, fromRun, request)
    const workflow = earlier ?? (await workflowFor(request, definitions))
    const go = async (note?: (changes: Changes, dagRunId: string) => void): Promise<Started> => {
      const found = supported(
        fromRun
          ? await restartRequest(store, fromRun, request, config, clock, 'restart', earlier)
          : await runRequest(request, workflow, definitions, config, clock)
      )
      const noted = note && { note: (changes: Changes) => note(changes, found.record.dagRunId) }
      const wanted = { ...found, ...waiting?.(found), ...noted }
      return request.dryRun
        ? check(wanted, request, config.queues, clock.now())
        : admitted(wanted, request.fileName !== undefined)
    }
    return request.idempotencyKey === undefined ? go() : once(request, askedFor(request, workflow), go)
  }
  const start = (request: StartRequest) => begin(request)

  const targets = () => targetViews(store, config.notify, home.deliveries?.figures())
  const changeDeliveries = async (how: 'retry' | 'remove', target: string, id: string | undefined): Promise<number> => {
    checkStorage()
    return changedDeliveries(home.deliveries, targets(), how, target, id)
  }
  const keys = openKeyRing({ store, clock, warn: (text) => log.warn(text), check: checkHome })
  const facts = engineFacts(parts, true, { workers: coordination.seen, heldBackWith: system.heldBackWith })
  const engine: Engine = {
    ...readingEngine(parts),
    ...definitionChanges(parts, versions),
    ...(home.measured ? { metering: meteringOf(parts, { system, measured: home.measured }) } : {}),
    ...(audit ? { audit: audit.log } : {}),
    facts,
    keys,
    inspect: facts.run,
    closing: closing.signal,
    resumed: recovered,
    start,
    async enqueue(request) {
      if (request.noQueue) return start(request)
      checkStorage()
      if (!config.queues.enabled) throw new TroupeError('bad_request', 'queues are disabled in configuration')
      return begin(request, (found) => ({ enqueue: { bounded: isBounded(request, found) } }))
    },
    async dequeue({ name, dagRunId }) {
      checkHome()
      const record = recordOf(store, { name, dagRunId })
      if (!record || dagRunId === 'latest') throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
      if (record.caller)
        throw new TroupeError('not_found', `run ${dagRunId} of ${name} is a sub DAG run: stop the run that called it`)
      if (record.status !== 'queued' || !(await system.dequeue(record)))
        throw new TroupeError('not_found', `run ${dagRunId} of ${name} is not queued`)
    },
    async retry(key, { unlimited = false, ...request } = {}) {
      const retried = await oneByOne.take(key.name, async () => {
        checkStorage()
        await gone(key)
        const wanted = supported(retryRequest(store, key, request, config, clock))
        try {
          if (system.isTaken(wanted.record))
            throw wanted.record.dagRunId === key.dagRunId ? alreadyRunning(key) : idIsTaken(wanted.record)
          const admission = await system.start({ ...wanted, unlimited })
          if (admission.type !== 'start.refused') return { name: key.name, dagRunId: wanted.record.dagRunId }
          const refused = refusal(admission, false)
          throw admission.reason === 'queue_faulted' ? refused : hasNoPlace(key, refused)
        } catch (error) {
          if (wanted.plan.plan.logDir !== undefined) leaveLogFolder(wanted.record.log)
          throw error
        }
      })
      checkHome()
      return retried
    },
    reschedule: (key, names = {}) =>
      oneByOne.take(key.name, async () => {
        checkStorage()
        return admitted(supported(await rescheduleRequest(store, key, names, config, clock)), false)
      }),
    setNodeStatus: (key, status, output) =>
      oneByOne.take(key.root.name, async () => {
        checkStorage()
        await gone(key.root)
        const { root, subRunId, by, step } = key
        if (subRunId !== undefined && !system.isOpen(root)) await gone(subRunOf(store, root, subRunId))
        const found = settableStep(store, key, system.isOpen)
        const { record, place } = found
        const captured = output === undefined ? {} : await manualOutput(parts, found, status, output)
        const at = clock.now()
        const set = { place, step, status, at, captured }
        await setStatus({ store, transactions: system.transactions, publish }, record, set)
        logs.write(record.log, 'WARN', 'step status set by hand', { step, status, ...(by ? { by } : {}) })
      }),
    renameDefinition: (fileName, newFileName) => {
      const name = definitions.get(fileName).definition.name || fileName
      return oneByOne.take(name, () =>
        versions.renaming(fileName, newFileName, () =>
          renameDefinition({ store, definitions, flags, clock }, fileName, newFileName)
        )
      )
    },
    async stop({ name, dagRunId }, { force, ...requested } = {}) {
      const record = recordOf(store, { name, dagRunId })
      if (!record || dagRunId === 'latest') throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
      if (record.caller)
        throw new TroupeError('not_found', `run ${dagRunId} of ${name} is a sub DAG run: stop the run that called it`)
      if (record.status !== 'running' || !system.isOpen(record))
        throw new TroupeError('not_running', `run ${dagRunId} of ${name} is not running: it is ${record.status}`)
      await system.stop(record, { force: force ?? false, from: stopperOf(requested) })
    },
    waiting: (filter) => everyWait(store, filter, system.openRun),
    waitingPart: (filter, limit, after) => waitingPart(store, filter, limit, after, system.openRun),
    async signal(step, payload, options) {
      checkStorage()
      await giveSignal({ store, system, clock, definitions }, step, payload, options)
      checkHome()
    },
    async result(asked) {
      const { name, dagRunId } = recordOf(store, asked) ?? asked // another run may be the latest when this one has ended
      await system.ended({ name, dagRunId })
      const record = recordOf(store, { name, dagRunId })
      if (!record) throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
      return viewOfRun(store, record)
    },
    subscribe,
    async health() {
      const now = clock.now()
      const fault = system.schedulerFault()
      const [lost, stalled, rival] = [home.lost(), system.stalled, coordination.rival()]
      const error = lost ?? stalled ?? fault ?? rival
      const healthy = error === undefined
      const isClosing = closing.signal.aborted
      const dead = isClosing ? undefined : system.failed()
      const isComplete = system.isComplete()
      const unready = unreadyOf({ isClosing, dead, lost, stalled, isComplete, scheduler: fault, rival })
      return {
        healthy,
        ...(error ? { error } : {}),
        version: VERSION,
        startedAt,
        now,
        scheduling: fault === undefined,
        ...(unready ? { unready } : {}),
        ...(dead === undefined ? {} : { dead })
      }
    },
    workers: coordination.workers,
    drainWorker: coordination.drainWorker,
    bus: coordination.bus,
    targets,
    retryDeliveries: (target, id) => changeDeliveries('retry', target, id),
    removeDeliveries: (target, id) => changeDeliveries('remove', target, id),
    resources: (durationMs) => monitor?.history(durationMs) ?? [],
    async close({ runs = temporary ? 'stop' : 'leave' } = {}) {
      closing.abort()
      monitor?.close()
      // D1621: what waits for a commit that cannot come is left to the next engine.
      const left = system.transactions.leave()
      await Promise.race([oneByOne.settled(), left])
      await versions.close()
      if (runs === 'stop') await Promise.race([stopRuns(store, home, parts.schedules), left])
      await coordination.close()
      await keys.close()
      await audit?.close()
      await home.close()
      if (temporary) rmSync(config.home, { recursive: true, force: true })
    }
  }
  return audit ? audit.entering(engine) : engine
}
