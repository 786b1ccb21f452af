/** Opens an engine on a home: store, lock, launcher, actors; recovers what was open; closes all of it again. Source: architecture 5. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunKey } from '../machines/vocabulary.ts'
import { allowedEnvironment } from './actors/environment.ts'
import { ownFolder } from './actors/load-time.ts'
import { leaveLogFolder } from './actors/log-folder.ts'
import { setStatus } from './actors/manual-status.ts'
import { needsWorker } from './actors/needs-worker.ts'
import { keyOfLabel } from './actors/run-container.ts'
import { openRunLogs } from './actors/run-log.ts'
import { type Candidate, openSystem, type System } from './actors/system.ts'
import { calledWorkflow } from './called-workflow.ts'
import { type Clock, systemClock, uuidV7 } from './clock.ts'
import { type Config, readConfig, type Settings } from './config.ts'
import { type Definitions, openDefinitions } from './definitions.ts'
import { foreseen } from './dry-run.ts'
import type { Engine, EngineEvent, StartRequest } from './engine.ts'
import { TroupeError } from './errors.ts'
import { capturing } from './executors/capture.ts'
import { dockerEngine } from './executors/docker/connection.ts'
import { sharedContainers } from './executors/docker/shared-container.ts'
import { openExecutors } from './executors/index.ts'
import { openLauncher } from './executors/launcher.ts'
import { launcherFolder } from './executors/launcher-folder.ts'
import { type Log, openLog, silent } from './log.ts'
import { settableStep } from './node-status.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { loadParams, overrideOf } from './params.ts'
import { queuesOf } from './queue-view.ts'
import { relaunchCandidate } from './relaunch-run.ts'
import { renameDefinition, resumeMoves } from './rename-definition.ts'
import { rescheduleCandidate } from './reschedule-run.ts'
import { type MonitoringOptions, openMonitor } from './resources.ts'
import { alreadyRunning, retryCandidate } from './retry-run.ts'
import { recordOf, viewOfRun } from './run-view.ts'
import { schedulesOf } from './schedules.ts'
import { MAX_TEXT_BYTES } from './spec/nesting.ts'
import { candidate } from './start-run.ts'
import { commit, isActive } from './store/commit.ts'
import {
  countRuns,
  feedOf,
  findRuns,
  journalOf,
  latestRun,
  latestRunning,
  planOf,
  subRunOf,
  subRunsOf
} from './store/history.ts'
import { takeLock } from './store/lock.ts'
import { openStore, type Store } from './store/open.ts'
import { decisionsOf } from './store/scheduling.ts'
import { type SuspendFlags, suspendFlags } from './store/suspend-flags.ts'
import { entriesIn, openWriteAhead } from './store/write-ahead.ts'

export interface EngineOptions extends Settings {
  /** A home of its own that is removed at close. Runs are stopped then, unless `close` says otherwise. */
  temporary?: boolean
  /** Takes no lock, recovers nothing, and refuses to start or stop: for looking at a home that another engine may own. */
  readOnly?: boolean
  /** Looks at the machine's resources now and then; default: never. */
  monitoring?: MonitoringOptions
  /** Lets no queued run go: for a process that leaves soon. They wait for the next engine on this home. */
  holdQueues?: boolean
  /**
   * Starts, stops and restarts runs by the schedules of the stored definitions. Default: no, so that an engine in another
   * program, or for one run in the foreground, begins nothing by itself; `troupe start-all` and `server` say yes.
   */
  schedules?: boolean
  /** The time, waits and random numbers; default: the system's. */
  clock?: Clock
  /** Where the engine says what it does; default: nowhere. */
  log?: Log | 'stderr'
}

export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

/** What `POST /dags` without a spec writes. */
const GREETING = 'steps:\n  - echo "Hello from Troupe"\n'
/** A scheduler that has not ticked for so long is not alive. Source: api-semantics 3.1. */
const TICK_LIMIT_MS = 90_000

/** @throws TroupeError bad_request (settings), service_unavailable (the home is in use) */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const { temporary = false, readOnly = false, holdQueues = false } = options
  const home = temporary ? mkdtempSync(join(tmpdir(), 'troupe-')) : options.home
  const config = readConfig({ ...options, ...(home ? { home } : {}) })
  const { clock = systemClock } = options
  const log =
    options.log === 'stderr'
      ? openLog(clock, { format: config.logFormat, debug: config.debug })
      : (options.log ?? silent)
  mkdirSync(config.home, { recursive: true, mode: 0o700 })
  refuseUnread(config, readOnly)
  for (const warning of readOnly ? [] : config.warnings) log.warn(warning)
  const definitions = openDefinitions(config.dagsDir, config.baseConfig, clock)
  const store = openStore(config.dataDir, { readOnly })
  const flags = suspendFlags(join(config.home, 'suspend'))
  const { monitoring, schedules = false } = options
  const parts: Parts = {
    config,
    clock,
    log,
    store,
    definitions,
    flags,
    temporary,
    holdQueues,
    schedules,
    ...(monitoring ? { monitoring } : {})
  }
  return readOnly ? reader(parts) : owner(parts)
}

/** What may be set and this release does not do: refused, never ignored. Whoever only looks is not kept from it. */
function refuseUnread({ unsupported }: Config, readOnly: boolean): void {
  if (unsupported.length > 0 && !readOnly)
    throw new TroupeError('bad_request', `not supported yet: ${unsupported.join(', ')}`)
}

interface Parts {
  config: Config
  clock: Clock
  log: Log
  store: Store
  definitions: Definitions
  flags: SuspendFlags
  temporary: boolean
  holdQueues: boolean
  monitoring?: MonitoringOptions
  schedules: boolean
}

async function owner(parts: Parts): Promise<Engine> {
  const { config, clock, log, store, definitions, flags, temporary, holdQueues, monitoring } = parts
  let unlock: () => void
  try {
    unlock = takeLock(store)
  } catch (error) {
    definitions.close()
    await store.root.close()
    throw error
  }
  const aheadPath = join(config.dataDir, 'write-ahead')
  const left = entriesIn(aheadPath)
  if (left.length > 0) await commit(store, left, { again: true })
  await resumeMoves({ store, definitions })
  const ahead = openWriteAhead(aheadPath)
  const listeners = new Set<{ listen(event: EngineEvent): void; run?: RunKey }>()
  const publish = (event: EngineEvent) => {
    for (const { listen, run } of listeners)
      if (!run || (run.name === event.run?.name && run.dagRunId === event.run?.dagRunId)) listen(event)
  }
  const folder = join(launcherFolder(config.dataDir), uuidV7(clock))
  const launcher = openLauncher(folder, allowedEnvironment(config.environment), config.maxProcesses, clock)
  const logs = openRunLogs(clock, (path, error) =>
    log.error('a run log cannot be written', { path, error: String(error) })
  )
  const docker = dockerEngine(config.dataDir, config.environment, clock)
  const containers = sharedContainers(docker, clock)
  const executors = openExecutors(launcher, clock, docker)
  const system = openSystem({
    store,
    ahead,
    clock,
    logs,
    executors,
    capture: capturing(launcher, folder),
    containers,
    paramsOf: (plan, key, given, environment) =>
      loadParams(plan, overrideOf(plan, given), false, {
        environment,
        defaultShell: config.defaultShell,
        own: ownFolder(config.dataDir, key),
        clock
      }),
    workflow: (target, workingDir, besides) =>
      calledWorkflow(definitions, target, { workingDir, dagsDir: config.dagsDir, besides }),
    dataDir: config.dataDir,
    environment: config.environment,
    defaultShell: config.defaultShell,
    strict: config.durability === 'strict',
    queues: config.queues.enabled
      ? Object.fromEntries(config.queues.config.map((queue) => [queue.name, queue.maxConcurrency]))
      : {},
    holdQueues,
    ...(parts.schedules ? { scheduling: schedulesOf(parts, isBounded) } : {}),
    publish,
    fault: (error) =>
      log.error('a defect was survived', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error)
      })
  })
  const startedAt = clock.now()
  await system.recover()
  const monitor = monitoring && openMonitor(clock, config.dataDir, monitoring)
  const closing = new AbortController()
  /** By DAG name: what changes runs that have ended. */
  const inTurn = oneAtATime()
  /** Readers see the end of a run a moment before its actor is gone. */
  const gone = async (key: RunKey | undefined) => {
    const record = key && recordOf(store, key)
    if (record && !isActive(record)) await system.ended(record)
  }
  const checkStorage = () => {
    if (system.turns.stalled) throw new TroupeError('service_unavailable', system.turns.stalled)
  }
  void containers
    .sweep((run) => system.isOpen(keyOfLabel(run)))
    .catch((error) => log.warn(`containers of earlier runs may be left: ${(error as Error).message}`))

  const candidateBy = (request: StartRequest): Promise<Candidate> =>
    request.fromRun
      ? relaunchCandidate(store, request.fromRun, request, config, clock)
      : candidate(request, definitions, config, clock)

  /** @param stored the start was asked of a stored definition */
  async function admit(wanted: Candidate, stored: boolean): Promise<RunKey> {
    const { name, dagRunId, log: runLog } = wanted.record
    try {
      refuseKnown(wanted)
      const verdict = await system.start(wanted)
      if (verdict.type === 'start.refused') throw refusal(verdict, stored)
      return { name, dagRunId }
    } catch (error) {
      if (wanted.plan.plan.logDir !== undefined) leaveLogFolder(runLog)
      throw error
    }
  }

  /** The answer that a start would get now. */
  function foresee(wanted: Candidate, { fileName }: StartRequest): RunKey {
    const { name, dagRunId, log: runLog } = wanted.record
    if (wanted.plan.plan.logDir !== undefined) leaveLogFolder(runLog)
    refuseKnown(wanted)
    const refused = foreseen(store, wanted)
    if (refused) throw refusal(refused, fileName !== undefined)
    return { name, dagRunId }
  }

  function refuseKnown({ record }: Candidate): void {
    const { name, dagRunId } = record
    if (system.isOpen(record) || recordOf(store, { name, dagRunId }))
      throw new TroupeError('already_exists', `${name} already has a run with the id ${dagRunId}`)
  }

  return {
    ...reader(parts),
    closing: closing.signal,
    async start(request) {
      checkStorage()
      const wanted = await candidateBy(request)
      return request.dryRun ? foresee(wanted, request) : admit(wanted, request.fileName !== undefined)
    },
    async enqueue(request) {
      checkStorage()
      if (!config.queues.enabled) throw new TroupeError('bad_request', 'queues are disabled in configuration')
      const found = await candidateBy(request)
      const waits = { bounded: isBounded(request, found), needsWorker: needsWorker(found.plan.plan) }
      const wanted = { ...found, enqueue: waits }
      return request.dryRun ? foresee(wanted, request) : admit(wanted, request.fileName !== undefined)
    },
    async dequeue({ name, dagRunId }) {
      const record = recordOf(store, { name, dagRunId })
      if (!record || dagRunId === 'latest') throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
      if (record.status !== 'queued' || !(await system.dequeue(record)))
        throw new TroupeError('not_found', `run ${dagRunId} of ${name} is not queued`)
    },
    retry: (key, { dagRunId, stepName, unlimited = false } = {}) =>
      inTurn.take(key.name, async () => {
        checkStorage()
        await gone(key)
        const wanted = retryCandidate(store, key, { dagRunId, stepName }, clock)
        if (system.isOpen(wanted.record)) throw alreadyRunning(key)
        const verdict = await system.start({ ...wanted, unlimited })
        if (verdict.type !== 'start.refused') return { name: key.name, dagRunId: wanted.record.dagRunId }
        if (verdict.limit === 1) throw alreadyRunning(key)
        throw refusal(verdict, false)
      }),
    reschedule: (key, names = {}) =>
      inTurn.take(key.name, async () => {
        checkStorage()
        return admit(await rescheduleCandidate(store, key, names, config, clock), false)
      }),
    setNodeStatus: (step, status) =>
      inTurn.take(step.root.name, async () => {
        checkStorage()
        await gone(step.root)
        const { root, subRunId } = step
        if (subRunId !== undefined && !system.isOpen(root)) await gone(subRunOf(store, root, subRunId))
        const { record, place } = settableStep(store, step, system.isOpen)
        const at = clock.now()
        await setStatus({ store, turns: system.turns, publish }, record, { place, step: step.step, status, at })
        logs.write(record.log, 'WARN', 'step status set by hand', { step: step.step, status })
      }),
    renameDefinition: (fileName, newFileName) => {
      const name = definitions.get(fileName).definition.name || fileName
      return inTurn.take(name, () => renameDefinition({ store, definitions, flags, clock }, fileName, newFileName))
    },
    async stop({ name, dagRunId }) {
      const record = recordOf(store, { name, dagRunId })
      if (!record || dagRunId === 'latest') throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
      if (record.caller)
        throw new TroupeError('bad_request', `run ${dagRunId} of ${name} is a sub DAG run: stop the run that called it`)
      if (record.status !== 'running' || !system.isOpen(record))
        throw new TroupeError('not_running', `run ${dagRunId} of ${name} is not running: it is ${record.status}`)
      await system.stop(record)
    },
    async result(key) {
      await system.ended(key)
      const record = recordOf(store, key)
      if (!record) throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
      return viewOfRun(store, record)
    },
    subscribe(listen, run) {
      const listener = { listen, ...(run ? { run } : {}) }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async health() {
      const now = clock.now()
      const silence = now - system.tickedAt()
      const error =
        system.turns.stalled ??
        (silence > TICK_LIMIT_MS ? `scheduler has not ticked for ${Math.round(silence / 1_000)}s` : undefined)
      const healthy = error === undefined
      return {
        healthy,
        ...(error ? { error } : {}),
        version: VERSION,
        startedAt,
        now,
        scheduling: silence <= TICK_LIMIT_MS
      }
    },
    resources: (durationMs) => monitor?.history(durationMs) ?? [],
    async close({ runs = temporary ? 'stop' : 'leave' } = {}) {
      closing.abort()
      monitor?.close()
      await inTurn.settled()
      if (runs === 'stop') await stopAll(store, system)
      await system.close()
      for (const executor of executors.values()) executor.close?.()
      await logs.flushed()
      await launcher.close()
      definitions.close()
      ahead.close()
      unlock()
      await store.root.close()
      if (temporary) rmSync(config.home, { recursive: true, force: true })
    }
  }
}

/** Whether maxActiveRuns bounds those that wait, too. Source: api-semantics 4.2. */
function isBounded({ spec }: StartRequest, { plan: { plan }, record }: Candidate): boolean {
  if (spec !== undefined) return plan.statesMaxActiveRuns && plan.maxActiveRuns >= 1
  return record.queue !== undefined && record.queue !== record.name && plan.maxActiveRuns > 1
}

async function stopAll(store: Store, system: System): Promise<void> {
  const open = findRuns(store, { status: ['running'] }).filter(system.isOpen)
  await Promise.all(open.map((key) => system.stop(key).then(() => system.ended(key))))
}

function refusal(
  { key, reason, limit, active }: Extract<Awaited<ReturnType<System['start']>>, { type: 'start.refused' }>,
  stored: boolean
): TroupeError {
  const { running, queued } = active
  const runs = `${running + queued} active run${running + queued === 1 ? '' : 's'}`
  if (reason === 'queue_faulted')
    return new TroupeError('internal_error', 'internal error: the queue was not able to decide')
  if (reason === 'already_running')
    // Inline starts know one code for both reasons. Source: api-semantics 4.2.
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

/** What needs no actor. */
function reader({ config, clock, store, definitions, flags, holdQueues }: Parts): Engine {
  const closing = new AbortController()
  const readOnly = (): never => {
    throw new TroupeError('service_unavailable', 'this engine was opened to read only')
  }
  return {
    config,
    home: config.home,
    closing: closing.signal,
    now: clock.now,
    holdsQueues: holdQueues,
    start: async () => readOnly(),
    enqueue: async () => readOnly(),
    dequeue: async () => readOnly(),
    retry: async () => readOnly(),
    reschedule: async () => readOnly(),
    setNodeStatus: async () => readOnly(),
    renameDefinition: async () => readOnly(),
    stop: async () => readOnly(),
    result: async () => readOnly(),
    subscribe: () => readOnly(),
    run(key) {
      const record = recordOf(store, key)
      return record && viewOfRun(store, record)
    },
    subRun(root, subRunId) {
      const key = subRunOf(store, root, subRunId)
      const record = key && recordOf(store, key)
      return record && viewOfRun(store, record)
    },
    subRuns: (root) =>
      subRunsOf(store, root)
        .flatMap((key) => recordOf(store, key) ?? [])
        .sort((a, b) => a.createdAt - b.createdAt),
    record: (key) => recordOf(store, key),
    runs: (filter) => findRuns(store, filter),
    latest: (name) => latestRunning(store, name) ?? latestRun(store, name),
    queues: () => queuesOf(store, config.queues),
    count: (status) => countRuns(store, status),
    runSpec(key) {
      const record = recordOf(store, key)
      return record && planOf(store, record.plan)?.spec
    },
    journal: (key, after, limit) => journalOf(store, key, after, limit),
    latestSeq: ({ name, dagRunId }) => store.runs.get([name, dagRunId])?.seq ?? 0,
    feed: (after, limit) => feedOf(store, after, limit),
    fed: () => store.fed,
    definitions() {
      const suspended = flags.all()
      const all = definitions.list()
      return suspended.size === 0
        ? all
        : all.map((stored) => (suspended.has(stored.fileName) ? { ...stored, suspended: true } : stored))
    },
    definition: (fileName) => ({ ...definitions.get(fileName), suspended: flags.all().has(fileName) }),
    decisions: (limit = 100) => decisionsOf(store, limit),
    spec: (fileName) => definitions.get(fileName).spec,
    createDefinition(name, spec) {
      definitions.create(name, spec?.trim() ? spec : GREETING)
    },
    replaceDefinition(fileName, spec) {
      if (Buffer.byteLength(spec) > MAX_TEXT_BYTES)
        throw new TroupeError(
          'bad_request',
          `spec: wanted at most ${MAX_TEXT_BYTES} bytes, found ${Buffer.byteLength(spec)}`
        )
      return definitions.replace(fileName, spec)
    },
    removeDefinition(fileName) {
      definitions.remove(fileName)
      flags.set(fileName, false)
    },
    suspendDefinition(fileName, suspended) {
      definitions.get(fileName)
      flags.set(fileName, suspended)
    },
    validate: (spec, name) => definitions.check(spec, { fallbackName: name || 'validated-dag' }),
    health: async () => {
      const now = clock.now()
      return { healthy: true, version: VERSION, startedAt: now, now, scheduling: false }
    },
    resources: () => [],
    async close() {
      closing.abort()
      definitions.close()
      await store.root.close()
    }
  }
}
