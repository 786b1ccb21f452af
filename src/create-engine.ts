/** Opens an engine on a home: store, lock, launcher, actors; recovers what was open; closes all of it again. Source: architecture 5. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunKey } from '../machines/vocabulary.ts'
import { allowedEnvironment } from './actors/environment.ts'
import { openRunLogs } from './actors/run-log.ts'
import { openSystem, type System } from './actors/system.ts'
import { type Clock, systemClock, uuidV7 } from './clock.ts'
import { type Config, readConfig, type Settings } from './config.ts'
import { type Definitions, openDefinitions } from './definitions.ts'
import type { Engine, EngineEvent } from './engine.ts'
import { TroupeError } from './errors.ts'
import { capturing } from './executors/capture.ts'
import { openExecutors } from './executors/index.ts'
import { openLauncher } from './executors/launcher.ts'
import { launcherFolder } from './executors/launcher-folder.ts'
import { type Log, openLog, silent } from './log.ts'
import { recordOf, viewOfRun } from './run-view.ts'
import { MAX_TEXT_BYTES } from './spec/nesting.ts'
import { problemText } from './spec/problem-text.ts'
import { candidate } from './start-run.ts'
import { commit } from './store/commit.ts'
import { findRuns, latestRun, latestRunning } from './store/history.ts'
import { takeLock } from './store/lock.ts'
import { openStore, type Store } from './store/open.ts'
import { entriesIn, openWriteAhead } from './store/write-ahead.ts'

export interface EngineOptions extends Settings {
  /** A home of its own that is removed at close. Runs are stopped then, unless `close` says otherwise. */
  temporary?: boolean
  /** Takes no lock, recovers nothing, and refuses to start or stop: for looking at a home that another engine may own. */
  readOnly?: boolean
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
  const definitions = openDefinitions(config.dagsDir, clock)
  const store = openStore(config.dataDir, { readOnly })
  const parts: Parts = { config, clock, log, store, definitions, temporary }
  return readOnly ? reader(parts) : owner(parts)
}

/** What may be set and this release does not do: refused, never ignored. Whoever only looks is not kept from it. */
function refuseUnread({ baseConfig, unsupported }: Config, readOnly: boolean): void {
  if (existsSync(baseConfig))
    throw new TroupeError('bad_request', `not supported yet: ${baseConfig}: move it away to start without it`)
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
  const system = openSystem({
    store,
    ahead,
    clock,
    logs,
    executors: openExecutors(launcher, clock),
    capture: capturing(launcher, folder),
    dataDir: config.dataDir,
    environment: config.environment,
    defaultShell: config.defaultShell,
    strict: config.durability === 'strict',
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

  return {
    ...reader(parts),
    async start(request) {
      if (system.turns.stalled) throw new TroupeError('service_unavailable', system.turns.stalled)
      const wanted = await candidate(request, definitions, config, clock)
      const { name, dagRunId } = wanted.record
      if (system.isOpen(wanted.record) || recordOf(store, { name, dagRunId }))
        throw new TroupeError('already_exists', `${name} already has a run with the id ${dagRunId}`)
      const verdict = await system.start(wanted)
      if (verdict.type === 'start.admitted') return { name, dagRunId }
      throw refusal(verdict, request.fileName !== undefined)
    },
    async stop({ name, dagRunId }) {
      const record = recordOf(store, { name, dagRunId })
      if (!record || dagRunId === 'latest') throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
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

async function stopAll(store: Store, system: System): Promise<void> {
  const open = findRuns(store, { status: ['running'] }).filter(system.isOpen)
  await Promise.all(open.map((key) => system.stop(key).then(() => system.ended(key))))
}

function refusal(
  { key, reason, limit, running }: Extract<Awaited<ReturnType<System['start']>>, { type: 'start.refused' }>,
  stored: boolean
): TroupeError {
  const runs = `${running} active run${running === 1 ? '' : 's'}`
  if (reason === 'queue_faulted')
    return new TroupeError('internal_error', 'internal error: the queue was not able to decide')
  if (reason === 'already_running')
    // Inline starts know one code for both reasons. Source: api-semantics 4.2.
    return new TroupeError(
      stored ? 'already_running' : 'max_run_reached',
      `${key.name} is running, and a singleton was asked for`,
      {
        details: { running, queued: 0 }
      }
    )
  return new TroupeError('max_run_reached', `${key.name} already has ${runs} (limit ${limit})`, {
    details: { limit, running, queued: 0 }
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
    stop: async () => readOnly(),
    result: async () => readOnly(),
    subscribe: () => readOnly(),
    run(key) {
      const record = recordOf(store, key)
      return record && viewOfRun(store, record)
    },
    record: (key) => recordOf(store, key),
    runs: (filter) => findRuns(store, filter),
    latest: (name) => latestRunning(store, name) ?? latestRun(store, name),
    definitions: () => definitions.list(),
    definition: (fileName) => definitions.get(fileName),
    spec: (fileName) => definitions.get(fileName).spec,
    createDefinition(name, spec) {
      const text = spec?.trim() ? spec : GREETING
      const errors = definitions.read(text, { fallbackName: name }).problems.map(problemText)
      if (errors.length > 0)
        throw new TroupeError('bad_request', `invalid spec: ${errors.join('; ')}`, { details: { errors } })
      definitions.create(name, text)
    },
    replaceDefinition(fileName, spec) {
      if (Buffer.byteLength(spec) > MAX_TEXT_BYTES)
        throw new TroupeError(
          'bad_request',
          `spec: wanted at most ${MAX_TEXT_BYTES} bytes, found ${Buffer.byteLength(spec)}`
        )
      return definitions.replace(fileName, spec)
    },
    validate: (spec, name) => definitions.read(spec, { fallbackName: name || 'validated-dag' }),
    health: async () => ({ healthy: true, version: VERSION, startedAt: clock.now(), now: clock.now() }),
    async close() {
      definitions.close()
      await store.root.close()
    }
  }
}
