/** Opens an engine on a home: store, lock, launcher, actors; recovers what was open; closes all of it again. Source: architecture 5. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunKey } from '../machines/vocabulary.ts'
import { allowedEnvironment } from './actors/environment.ts'
import { ownFolder } from './actors/load-time.ts'
import { leaveLogFolder } from './actors/log-folder.ts'
import { openRunLogs } from './actors/run-log.ts'
import { type Candidate, openSystem, type System } from './actors/system.ts'
import { calledWorkflow } from './called-workflow.ts'
import { type Clock, systemClock, uuidV7 } from './clock.ts'
import { type Config, readConfig, type Settings } from './config.ts'
import { type Definitions, openDefinitions } from './definitions.ts'
import type { Engine, EngineEvent, StartRequest } from './engine.ts'
import { TroupeError } from './errors.ts'
import { capturing } from './executors/capture.ts'
import { openExecutors } from './executors/index.ts'
import { openLauncher } from './executors/launcher.ts'
import { launcherFolder } from './executors/launcher-folder.ts'
import { type Log, openLog, silent } from './log.ts'
import { loadParams, overrideOf } from './params.ts'
import { queuesOf } from './queue-view.ts'
import { alreadyRunning, retryCandidate } from './retry-run.ts'
import { recordOf, viewOfRun } from './run-view.ts'
import { schedulesOf } from './schedules.ts'
import { MAX_TEXT_BYTES } from './spec/nesting.ts'
import { candidate } from './start-run.ts'
import { commit } from './store/commit.ts'
import { findRuns, latestRun, latestRunning, subRunOf, subRunsOf } from './store/history.ts'
import { takeLock } from './store/lock.ts'
import { openStore, type Store } from './store/open.ts'
import { decisionsOf } from './store/scheduling.ts'
import { entriesIn, openWriteAhead } from './store/write-ahead.ts'

export interface EngineOptions extends Settings {
  /** A home of its own that is removed at close. Runs are stopped then, unless `close` says otherwise. */
  temporary?: boolean
  /** Takes no lock, recovers nothing, and refuses to start or stop: for looking at a home that another engine may own. */
  readOnly?: boolean
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
  const { temporary = false, readOnly = false } = options
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
  const parts: Parts = { config, clock, log, store, definitions, temporary, schedules: options.schedules ?? false }
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
  temporary: boolean
  schedules: boolean
}

async function owner(parts: Parts): Promise<Engine> {
  const { config, clock, log, store, definitions, temporary } = parts
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
  if (left.length > 0) await commit(store, left)
  const ahead = openWriteAhead(aheadPath)
  const listeners = new Set<{ listen(event: EngineEvent): void; run?: RunKey }>()
  const folder = join(launcherFolder(config.dataDir), uuidV7(clock))
  const launcher = openLauncher(folder, allowedEnvironment(config.environment), config.maxProcesses, clock)
  const logs = openRunLogs(clock, (path, error) =>
    log.error('a run log cannot be written', { path, error: String(error) })
  )
  const executors = openExecutors(launcher, clock)
  const system = openSystem({
    store,
    ahead,
    clock,
    logs,
    executors,
    capture: capturing(launcher, folder),
    paramsOf: (plan, key, given, environment) =>
      loadParams(plan, overrideOf(plan, given), false, {
        environment,
        defaultShell: config.defaultShell,
        own: ownFolder(config.dataDir, key),
        clock
      }),
    workflow: (target, besides) => calledWorkflow(definitions, config.dagsDir, target, besides),
    dataDir: config.dataDir,
    environment: config.environment,
    defaultShell: config.defaultShell,
    strict: config.durability === 'strict',
    queues: config.queues.enabled
      ? Object.fromEntries(config.queues.config.map((queue) => [queue.name, queue.maxConcurrency]))
      : {},
    ...(parts.schedules ? { scheduling: schedulesOf(parts, isBounded) } : {}),
    publish(event) {
      for (const { listen, run } of listeners)
        if (!run || (run.name === event.run?.name && run.dagRunId === event.run?.dagRunId)) listen(event)
    },
    fault: (error) =>
      log.error('a defect was survived', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error)
      })
  })
  const startedAt = clock.now()
  await system.recover()

  async function admit(wanted: Candidate, { fileName }: StartRequest): Promise<RunKey> {
    const { name, dagRunId, log: runLog } = wanted.record
    try {
      if (system.isOpen(wanted.record) || recordOf(store, { name, dagRunId }))
        throw new TroupeError('already_exists', `${name} already has a run with the id ${dagRunId}`)
      const verdict = await system.start(wanted)
      if (verdict.type === 'start.refused') throw refusal(verdict, fileName !== undefined)
      return { name, dagRunId }
    } catch (error) {
      if (wanted.plan.plan.logDir !== undefined) leaveLogFolder(runLog)
      throw error
    }
  }

  return {
    ...reader(parts),
    async start(request) {
      if (system.turns.stalled) throw new TroupeError('service_unavailable', system.turns.stalled)
      return admit(await candidate(request, definitions, config, clock), request)
    },
    async enqueue(request) {
      if (system.turns.stalled) throw new TroupeError('service_unavailable', system.turns.stalled)
      if (!config.queues.enabled) throw new TroupeError('bad_request', 'queues are disabled in configuration')
      const wanted = await candidate(request, definitions, config, clock)
      return admit({ ...wanted, enqueue: { bounded: isBounded(request, wanted) } }, request)
    },
    async dequeue({ name, dagRunId }) {
      const record = recordOf(store, { name, dagRunId })
      if (!record || dagRunId === 'latest') throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
      if (record.status !== 'queued' || !(await system.dequeue(record)))
        throw new TroupeError('not_found', `run ${dagRunId} of ${name} is not queued`)
    },
    async retry(key, { dagRunId, stepName } = {}) {
      if (system.turns.stalled) throw new TroupeError('service_unavailable', system.turns.stalled)
      const wanted = retryCandidate(store, key, { dagRunId, stepName }, clock)
      if (system.isOpen(wanted.record)) throw alreadyRunning(key)
      const verdict = await system.start(wanted)
      if (verdict.type !== 'start.refused') return { name: key.name, dagRunId: wanted.record.dagRunId }
      if (verdict.limit === 1) throw alreadyRunning(key)
      throw refusal(verdict, false)
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
      return { healthy: error === undefined, ...(error ? { error } : {}), version: VERSION, startedAt, now }
    },
    async close({ runs = temporary ? 'stop' : 'leave' } = {}) {
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
function reader({ config, clock, store, definitions }: Parts): Engine {
  const readOnly = (): never => {
    throw new TroupeError('service_unavailable', 'this engine was opened to read only')
  }
  return {
    config,
    home: config.home,
    start: async () => readOnly(),
    enqueue: async () => readOnly(),
    dequeue: async () => readOnly(),
    retry: async () => readOnly(),
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
    definitions: () => definitions.list(),
    definition: (fileName) => definitions.get(fileName),
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
    validate: (spec, name) => definitions.check(spec, { fallbackName: name || 'validated-dag' }),
    health: async () => ({ healthy: true, version: VERSION, startedAt: clock.now(), now: clock.now() }),
    async close() {
      definitions.close()
      await store.root.close()
    }
  }
}
