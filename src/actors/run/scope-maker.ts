/** Makes the scope of a run that is started, or that goes on after a restart. */
import { existsSync } from 'node:fs'
import type { NodePlace } from '../../../machines/node.ts'
import type { Plan } from '../../../machines/vocabulary.ts'
import { dataParams } from '../../definition/dag/params.ts'
import type { Secrets } from '../../masking/secrets.ts'
import { makeLogFolder } from '../../platform/make-folder.ts'
import { nodesOf } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { StoredNode } from '../../store/stored.ts'
import type { LogRoom } from '../pace/log-room.ts'
import type { OpenRun } from '../root/open-run.ts'
import { dagTarget } from '../step/ssh-target.ts'
import { type Inherited, withInherited } from '../sub-runs/inherited.ts'
import { allowedEnvironment } from './environment.ts'
import { noLogFolder } from './log-folder.ts'
import {
  dataNames,
  type EnvironmentInput,
  type LoadedEnv,
  loadEnv,
  loadLookup,
  ownFolder,
  shellOf,
  workingDirOf
} from './run-environment.ts'
import type { RunLogs } from './run-log.ts'
import { runLookup } from './run-lookup.ts'
import { openScope, type RunScope } from './run-scope.ts'
import { maskedFailure, resolveSecrets } from './secrets.ts'
import { placeAbove, traceOf } from './trace.ts'

/** @throws TroupeError when a variable or a secret cannot be evaluated or a folder cannot be made */
export type ScopeMaker = (run: OpenRun, given?: ScopeGiven) => Promise<RunScope>

export interface ScopeGiven {
  signal?: AbortSignal
  /** Its nodes as they are stored, when they have been read already. */
  nodes?: ReadonlyMap<number | string, StoredNode>
  /** What runs that are restored together have in common, by plan; added to. */
  loaded?: Map<Plan, Promise<Loaded>>
}

/** What a definition gives a run when it is loaded. */
export interface Loaded extends LoadedEnv {
  shell?: string[]
  workingDir: string
  secrets: Secrets
}

interface Surroundings extends EnvironmentInput {
  dataDir: string
}

export interface ScopeParts extends Surroundings {
  store: Store
  logs: RunLogs
  room: LogRoom
  /** What the run that called this one lets it see while it is loaded; nothing for a root run. Source: execution-semantics 3.5.5. */
  inherited(run: OpenRun): Promise<Inherited>
}

// D36
export function scopeMaker(parts: ScopeParts): ScopeMaker {
  const base = allowedEnvironment(parts.environment)
  const { defaultShell, dataDir } = parts
  return async (run, { signal, nodes, loaded } = {}) => {
    const { record, plan, spec } = run
    const inherited = await parts.inherited(run)
    const environment = record.caller ? withInherited(parts.environment, inherited) : parts.environment
    const surroundings = { environment, data: inherited.data, defaultShell, dataDir, signal }
    const { name, dagRunId, params, log: runLog, nodeLogs } = record
    const loading = (loaded && commonTo(run, loaded, surroundings)) ?? load(run, surroundings)
    const { values: env, data: dataEnv, warnings, shell, workingDir, secrets } = await loading
    for (const warning of warnings) parts.logs.write(runLog, 'WARN', warning)
    const given = Object.fromEntries(params.map(({ name, value }) => [name, value]))
    const look = () => {
      const data = [...dataEnv, ...Object.keys(secrets.values), ...dataParams(params, plan.params)]
      return loadLookup({ ...env, ...secrets.values, ...given }, dataNames(plan, data), surroundings)
    }
    const ssh = plan.ssh && (await dagTarget(plan.ssh, look(), workingDir))
    const isFound = nodes !== undefined && existsSync(nodeLogs)
    if (!isFound) {
      // After a restart it is there, and a refusal is dear. Whoever opens runs again waits for none of them.
      try {
        if (signal) await parts.room.take(() => makeLogFolder(nodeLogs), { signal })
        else makeLogFolder(nodeLogs)
      } catch (cause) {
        throw noLogFolder(nodeLogs, cause)
      }
    }
    const isLost = nodes !== undefined && !isFound
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
      base,
      workingDir,
      ...(workingDir === ownFolder(dataDir, record) ? { hasOwnDir: true } : {}),
      runLog,
      nodeLogs,
      ...(isLost ? { isLost } : {}),
      ...(shell ? { shell } : {}),
      ...(ssh ? { ssh } : {})
    })
    const above = placeAbove(inherited.values, env)
    try {
      const trace = plan.otel && (await traceOf(plan.otel, record, above, runLookup(scope, surroundings), secrets.mask))
      if (trace) scope.trace = trace
      else if (above) scope.passed = above
    } catch (error) {
      parts.logs.write(runLog, 'WARN', 'the run is not traced', { reason: secrets.mask((error as Error).message) })
    }
    const kept =
      run.seed ?? Array.from(nodes ?? nodesOf(parts.store, record), ([place, { record }]) => [place, record] as const)
    for (const [place, node] of kept) if (node.startedAt !== undefined) scope.nodes.set(place as NodePlace, node)
    return scope
  }
}

async function load({ record, plan, env: known }: OpenRun, parts: Surroundings): Promise<Loaded> {
  const { environment, dataDir } = parts
  const own = ownFolder(dataDir, record)
  let env = known
  try {
    env ??= await loadEnv(plan, own, parts)
    const shell = await shellOf(plan, env.values, parts)
    const workingDir = await workingDirOf(plan, env.values, own, parts)
    const secrets = await resolveSecrets(plan, { own: env.values, environment, workingDir })
    return { workingDir, secrets, ...env, ...(shell ? { shell } : {}) }
  } catch (cause) {
    throw maskedFailure(cause, plan, { own: env?.values ?? {}, environment })
  }
}

/** What all runs of a plan would be given at one time; undefined: each has something of its own. */
function commonTo(run: OpenRun, loaded: Map<Plan, Promise<Loaded>>, parts: Surroundings): Promise<Loaded> | undefined {
  const { record, plan } = run
  if (record.caller || run.env) return undefined
  const found = loaded.get(plan)
  if (found) return found
  const { env, dotenv, shell, workingDir, home, sourceDir } = plan
  // A command may answer each of them something else.
  if ((home ?? sourceDir) === undefined || JSON.stringify([env, dotenv, shell, workingDir]).includes('`'))
    return undefined
  const loading = load(run, parts)
  loaded.set(plan, loading)
  return loading
}
