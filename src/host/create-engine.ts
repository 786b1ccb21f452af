/** Opens an engine on a home: settings, store and definitions; then an owner or a reader. Source: architecture 5. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bus } from '../bus/bus.ts'
import { type Clock, systemClock } from '../clock.ts'
import { type Config, readConfig, zoneOfCommands } from '../config.ts'
import type { CodeDags } from '../definitions/code-dag.ts'
import { withCode } from '../definitions/code-definitions.ts'
import { type Definitions, openDefinitions } from '../definitions/definitions.ts'
import { withLog } from '../engine/engine-log.ts'
import type { EngineParts } from '../engine/engine-parts.ts'
import { policyOf, unknownTypes } from '../engine/limits/step-limits.ts'
import { readingEngine } from '../engine/reading-engine.ts'
import { TroupeError } from '../errors.ts'
import { customTypes } from '../executors/custom/custom.ts'
import { functionsByName } from '../executors/function/function.ts'
import { FUNCTION } from '../executors/function/missing-code.ts'
import { functionType } from '../executors/function/params.ts'
import { type Log, openLog, silent, withstood } from '../log.ts'
import { prepareHome } from '../platform/home-folder.ts'
import { type WholeStore, wholeStore } from '../store/damage/whole-store.ts'
import { claimHome } from '../store/disk/home-owner.ts'
import { storeLeft } from '../store/disk/left-ahead.ts'
import { suspendFlags } from '../store/files/suspend-flags.ts'
import { knownExecutors } from '../store/host-executors.ts'
import { emptyStore, hasStore, openStore as openStoreFile, type Store } from '../store/open.ts'
import { checkedEngine } from './checked-engine.ts'
import { closable } from './closable.ts'
import { codeDags, withCodeOf } from './code-dags.ts'
import { whenHomeIsFree } from './free-home.ts'
import { optionProblems } from './host-options.ts'
import { members, mustBe, refuse } from './host-values.ts'
import type { EngineOptions } from './options.ts'
import { type HostEngine, withTypedRuns } from './typed-runs.ts'

/**
 * Opens an engine on a home, in this process: its open runs go on. Close it before the process ends.
 * @param options default: the home of `ENGINE_HOME`, without schedules, without a log
 * @throws TroupeError bad_request (options, settings, executors, no folder), forbidden (of another user), service_unavailable (in use),
 * the reason of `signal`
 */
export async function createEngine(options: EngineOptions = {}): Promise<HostEngine> {
  mustBe(members({}), options, 'options')
  if (!options.temporary) return opened(options)
  if (options.home !== undefined)
    refuse(['home: wanted none with temporary, which has its own folder, removed at close'])
  return onHomeOfItsOwn(options)
}

async function onHomeOfItsOwn(options: EngineOptions, environment?: NodeJS.ProcessEnv): Promise<HostEngine> {
  const home = mkdtempSync(join(tmpdir(), 'troupe-'))
  try {
    return await opened({ ...options, home }, environment)
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
}

/** @param environment default: of this process */
async function opened(options: EngineOptions, environment?: NodeJS.ProcessEnv): Promise<HostEngine> {
  const { readOnly = false, clock = systemClock, executors = [], waitForHome } = options
  const config = readConfig(options, environment, { problems: optionProblems(options) })
  const types = customTypes(executors)
  const code = codeDags(options.dags ?? [])
  const functions = withCodeOf(functionsByName(options.functions ?? []), options.dags ?? [])
  if (functions.size > 0) types.set(FUNCTION, functionType(functions))
  refuseUnread(config, readOnly)
  const log =
    options.log === 'stderr'
      ? openLog(clock, { format: config.logFormat, debug: config.debug })
      : withstood(options.log ?? silent)
  prepareHome(config, readOnly ? 'read' : 'write')
  if (!readOnly) logSettings(config, log)
  const policy = readOnly ? undefined : policyOf(config)
  if (policy) config.commands = policy.commands
  for (const unknown of unknownTypes(config, [...types.keys()])) log.warn(unknown)
  const open = () => openedHome(options, { config, clock, log, types, code, functions, policy })
  if (waitForHome === undefined) return open()
  return whenHomeIsFree(open, { ...options, config, clock, log, begun: () => void warmedUp(options) })
}

/** What was checked before the home is claimed. */
interface Checked extends Pick<EngineParts, 'config' | 'clock' | 'log' | 'functions'> {
  types: ReturnType<typeof customTypes>
  code: CodeDags
  policy: EngineParts['policy']
}

async function openedHome(options: EngineOptions, checked: Checked): Promise<HostEngine> {
  const { temporary = false, readOnly = false, holdQueues = false, schedules = false, executors = [] } = options
  const { openStore = openStoreFile, openBus } = options
  const { config, clock, log, types, code, functions, policy } = checked
  const isEmpty = readOnly && !options.openStore && !hasStore(config.dataDir)
  if (readOnly && !options.openStore && !isEmpty) await readable(config, clock, log)
  const whole = readOnly ? undefined : await claimed(config, log)
  const { definitions, store } = openedBy(whole, () => {
    const files = openDefinitions(config.dagsDir, config.baseConfig, clock, types, config.allowedTypes)
    warnOfHidden(files, code, log)
    const store = isEmpty ? emptyStore() : (openStore(config.dataDir, { readOnly }) as Store) // as in the option
    // Definitions may use executors of another application on this home: they can be read here, but not run.
    for (const type of knownExecutors(store)) if (!types.has(type)) types.set(type, {})
    return { definitions: withCode(files, code), store }
  })
  const flags = suspendFlags(config.suspendFlagsDir, clock)
  const monitoring = options.monitoring === true ? config.monitoring : options.monitoring
  const parts: EngineParts = {
    config,
    clock,
    log,
    store,
    definitions,
    flags,
    temporary,
    holdQueues,
    schedules,
    executors,
    functions,
    ...(policy ? { policy } : {}),
    ...(options.secrets ? { secrets: options.secrets } : {}),
    ...(whole ? { whole } : {}),
    ...(openBus ? { openBus: (engine) => openBus(engine) as Bus } : {}), // as in the option
    ...(monitoring ? { monitoring } : {})
  }
  const opened = readOnly
    ? readingEngine(parts)
    : await (await import('../engine/owning-engine.ts')).owningEngine(parts)
  const guarded = closable(opened)
  const served = options.clients ? await (await import('./served-engine.ts')).servedEngine(guarded, clock) : guarded
  const engine = withLog(checkedEngine(served), log)
  if (!options.inspect) return withTypedRuns(engine, code, clock)
  const { inspectedEngine } = await import('./inspected-engine.ts')
  return withTypedRuns(await inspectedEngine(engine, options.inspect, { clock, log }), code, clock)
}

/** While the home is waited for, what its owner needs is loaded and compiled: a take-over is then twice as fast. */
async function warmedUp(options: EngineOptions): Promise<void> {
  try {
    const { warmUp } = await import('./warm-up.ts')
    await warmUp((own) => onHomeOfItsOwn(own, {}), options)
  } catch {
    // Without it the take-over is slower, and what is wrong is said then.
  }
}

/** A reader sees what an engine that died had decided, or is told that it does not. */
async function readable({ dataDir }: Config, clock: Clock, log: Log): Promise<void> {
  const missing = await storeLeft(dataDir, clock)
  if (missing !== undefined)
    log.warn('the latest decisions of the engine that ran on this home are not shown', { reason: missing })
}

// D1143: a definition in code hides a file of its name
function warnOfHidden(files: Definitions, code: CodeDags, log: Log): void {
  for (const name of code.keys())
    if (files.has(name))
      log.warn('a stored definition has the name of one in code, which is used: rename or remove the file', { name })
}

function logSettings({ warnings, tz, environment }: Config, log: Log): void {
  for (const warning of warnings) log.warn(warning)
  const commands = zoneOfCommands(tz, environment)
  // D391: steps do not get `ENGINE_TZ` as their `TZ`
  if (commands !== undefined) log.info('commands of steps follow another time zone', { schedules: tz, commands })
}

/** Claims the home until the store is closed. @throws TroupeError service_unavailable: another engine owns it */
async function claimed(config: Config, log: Log): Promise<WholeStore> {
  const release = claimHome(config)
  try {
    const whole = await wholeStore(config.dataDir, log)
    const closed = () => {
      whole.closed()
      release()
    }
    const abandoned = (cause?: unknown) => {
      whole.abandoned(cause)
      release()
    }
    return Object.assign({}, whole, { closed, abandoned })
  } catch (error) {
    release()
    throw error
  }
}

/** A store that cannot be opened must not crash the process. */
function openedBy<T>(whole: WholeStore | undefined, open: () => T): T {
  try {
    return open()
  } catch (error) {
    whole?.abandoned(error)
    throw error
  }
}

/** Unsupported settings are refused, never ignored; a reader is still allowed. */
function refuseUnread({ unsupported }: Config, readOnly: boolean): void {
  if (unsupported.length > 0 && !readOnly)
    // D302: a setting that nothing reads yet is refused by key
    throw new TroupeError('bad_request', `not supported yet: ${unsupported.join(', ')}`)
}
