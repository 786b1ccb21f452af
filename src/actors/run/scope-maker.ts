/** Creates the scope of a run that starts, or continues after a restart. */
import type { NodePlace, NodeRecord, Plan, RunKey } from '../../../machines/vocabulary.ts'
import { dataParams } from '../../definition/dag/params.ts'
import { messageOf } from '../../errors.ts'
import { FUNCTION } from '../../executors/function/missing-code.ts'
import type { Secrets } from '../../masking/secrets.ts'
import { variablesOf } from '../../platform/account.ts'
import { allowedEnvironment } from '../../platform/allowed-environment.ts'
import type { StoredNode } from '../../store/stored.ts'
import type { SpanPlace } from '../../tracing/context.ts'
import type { DiskSpace } from '../pace/disk-space.ts'
import type { OpenRun } from '../root/open-run.ts'
import { dagTarget } from '../step/ssh-target.ts'
import { type Inherited, withInherited } from '../sub-runs/inherited.ts'
import { folderFor } from './folder-for.ts'
import { LOG_FOLDERS, type LogFolders, noLogFolder } from './log-folder.ts'
import { placedScope } from './placed-scope.ts'
import {
  dataNames,
  type EnvironmentInput,
  type LoadedEnv,
  loadEnv,
  loadLookup,
  shellOf,
  workingDirOf
} from './run-environment.ts'
import type { RunLogs } from './run-log.ts'
import { runLookup } from './run-lookup.ts'
import { openScope, type RunScope } from './run-scope.ts'
import { maskedFailure, needsProgram, resolveSecrets } from './secrets/resolve-secrets.ts'
import type { SecretProviders } from './secrets/secret-providers.ts'
import { placeAbove, traceOf } from './trace.ts'

/** @throws TroupeError when a variable or secret cannot be evaluated or a folder cannot be created */
export type ScopeMaker = (run: OpenRun, options?: ScopeOptions) => Promise<RunScope>

export interface ScopeOptions {
  signal?: AbortSignal
  /** Stored nodes of the run, if they have been read before. */
  nodes?: ReadonlyMap<NodePlace, StoredNode>
  /** Shared by runs that are restored together, by plan; added to. */
  loaded?: Map<Plan, Promise<Loaded>>
}

/** What is evaluated from a definition when a run is loaded. */
export interface Loaded extends LoadedEnv {
  shell?: string[]
  workingDir: string
  secrets: Secrets
}

/** Where runs work. */
export interface WorkingFolders {
  /** The folder of a run whose definition names none. */
  own(key: RunKey): string
  /** Makes the folder where it is needed. @throws Error why it cannot be used */
  make(dir: string): Promise<void>
}

interface LoadContext extends EnvironmentInput {
  folders: WorkingFolders
  /** Absent: programs print secrets, and there is no host application. */
  secretProviders?: SecretProviders | undefined
}

export interface ScopeParts extends LoadContext {
  logs: RunLogs
  nodesOf(key: RunKey): (readonly [NodePlace, NodeRecord])[]
  diskSpace: DiskSpace
  logFolders?: LogFolders
  /** Values that the run inherits from its caller while it is loaded; nothing for a root run. Source: execution-semantics 3.5.5. */
  inherited(run: OpenRun): Promise<Inherited>
  callerTrace?(record: OpenRun['record']): SpanPlace | undefined
}

// D36: after a restart, queue slots are restored first
export function scopeMaker(parts: ScopeParts): ScopeMaker {
  const base = allowedEnvironment(parts.environment)
  const { defaultShell, backticks, commands, folders, secretProviders, logFolders = LOG_FOLDERS } = parts
  return async (run, { signal, nodes, loaded } = {}) => {
    const keptOf = ({ seed, record }: OpenRun) =>
      seed ?? (nodes ? Array.from(nodes, ([place, { record }]) => [place, record] as const) : parts.nodesOf(record))
    const { record, plan, spec } = run
    if (record.placement) return placedScope(run, keptOf(run), parts, signal)
    const inherited = await parts.inherited(run)
    const { account } = commands?.(plan) ?? {}
    const environment = record.caller ? withInherited(parts.environment, inherited) : parts.environment
    const context = {
      environment,
      data: inherited.data,
      defaultShell,
      backticks,
      commands,
      folders,
      secretProviders,
      signal
    }
    const { name, dagRunId, params, log: runLog, nodeLogs } = record
    const loading = (loaded && commonTo(run, loaded, context)) ?? load(run, context)
    const { values: env, data: dataEnv, warnings, shell, workingDir, secrets } = await loading
    for (const warning of warnings) parts.logs.write(runLog, 'WARN', secrets.mask(warning))
    const paramValues = Object.fromEntries(params.map(({ name, value }) => [name, value]))
    const look = () => {
      const data = [...dataEnv, ...Object.keys(secrets.values), ...dataParams(params, plan.params)]
      return loadLookup({ ...env, ...secrets.values, ...paramValues }, dataNames(plan, data), context)
    }
    const ssh = plan.ssh && (await dagTarget(plan.ssh, look(), workingDir, secrets.mask))
    const isNeeded = needsLogFolder(plan)
    const isFound = nodes !== undefined && logFolders.isThere(nodeLogs)
    if (!isFound && isNeeded) {
      // After a restart it usually exists, and failing to create it again would be slow. Not awaited one by one during recovery.
      try {
        if (signal) await parts.diskSpace.take(() => logFolders.make(nodeLogs), { signal })
        else logFolders.make(nodeLogs)
      } catch (cause) {
        throw noLogFolder(nodeLogs, cause)
      }
    }
    const isLost = nodes !== undefined && !isFound && isNeeded
    if (isLost) parts.logs.write(runLog, 'WARN', 'the log folder was gone after a restart', { folder: nodeLogs })
    const scope = openScope({
      key: { name, dagRunId },
      plan,
      spec,
      runAttempt: record.attempt,
      depth: record.caller?.depth ?? 0,
      params,
      env,
      dataEnv,
      secrets,
      base: account ? { ...base, ...variablesOf(account) } : base,
      workingDir,
      ...(workingDir === folders.own(record) ? { hasOwnDir: true } : {}),
      runLog,
      nodeLogs,
      ...(isLost ? { isLost } : {}),
      ...(record.fresh ? { isFresh: true } : {}),
      ...(shell ? { shell } : {}),
      ...(ssh ? { ssh } : {})
    })
    const above = placeAbove(inherited.values, env)
    try {
      const trace = plan.otel && (await traceOf(plan.otel, record, above, runLookup(scope, context), secrets.mask))
      if (trace) scope.trace = trace
      else if (above) scope.passed = above
    } catch (error) {
      parts.logs.write(runLog, 'WARN', 'the run is not traced', { reason: secrets.mask(messageOf(error)) })
    }
    for (const [place, node] of keptOf(run)) if (node.startedAt !== undefined) scope.nodes.set(place, node)
    return scope
  }
}

// D1055: a call leaves no files
/** Functions and waits leave no records, and the first line of a log makes its folder. */
const needsLogFolder = ({ steps, handlers }: Plan): boolean =>
  [...steps, ...Object.values(handlers)].some(({ executor: { type }, wait }) => type !== FUNCTION && !wait)
/** A step that works in the folder later makes it then. */
const needsOwnFolder = (plan: Plan): boolean =>
  needsLogFolder(plan) || plan.preconditions.length > 0 || needsProgram(plan)

async function load({ record, plan, env: known }: OpenRun, parts: LoadContext): Promise<Loaded> {
  const { environment, folders, defaultShell, signal, secretProviders } = parts
  const commands = parts.commands?.(plan)
  const { name, dagRunId } = record
  const own = folders.own(record)
  let env = known
  let workingDir = own
  try {
    env ??= await loadEnv(plan, own, parts)
    const shell = await shellOf(plan, env.values, parts)
    const make = async (dir: string) => {
      if (dir !== own || needsOwnFolder(plan)) await folderFor(dir, dir === own, commands?.account, folders.make)
    }
    workingDir = await workingDirOf(plan, env.values, own, parts, make)
    const sources = {
      own: env.values,
      environment: commands?.seen?.(environment) ?? environment,
      workingDir,
      defaultShell,
      run: { name, dagRunId },
      commands,
      signal
    }
    const secrets = await resolveSecrets(plan, sources, secretProviders)
    return { workingDir, secrets, ...env, ...(shell ? { shell } : {}) }
  } catch (cause) {
    const places = [workingDir, plan.sourceDir].filter((folder) => folder !== undefined)
    throw await maskedFailure(cause, plan, { own: env?.values ?? {}, environment, folders: places, commands })
  }
}

/** What all runs of a plan share; undefined: each differs. */
function commonTo(run: OpenRun, loaded: Map<Plan, Promise<Loaded>>, parts: LoadContext): Promise<Loaded> | undefined {
  const { record, plan } = run
  if (record.caller || run.env) return undefined
  if (plan.secrets.some(({ provider }) => provider === 'host')) return undefined // it is told which run asks
  const found = loaded.get(plan)
  if (found) return found
  const { env, dotenv, shell, workingDir, home, sourceDir } = plan
  // A command may return something different each time.
  if ((home ?? sourceDir) === undefined || JSON.stringify([env, dotenv, shell, workingDir]).includes('`'))
    return undefined
  const loading = load(run, parts)
  loaded.set(plan, loading)
  return loading
}
