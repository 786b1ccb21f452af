/** Makes the scope of a run that is let go, or that goes on after a restart. */
import type { NodePlace } from '../../machines/node.ts'
import { nodesOf } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import { allowedEnvironment } from './environment.ts'
import { type LoadSurroundings, loadEnv, loadLookup, ownFolder, shellOf, workingDirOf } from './load-time.ts'
import { makeLogFolder } from './make-folder.ts'
import type { OpenRun } from './open-run.ts'
import type { RunLogs } from './run-log.ts'
import { runLookup } from './run-lookup.ts'
import { openScope, type RunScope } from './run-scope.ts'
import { resolveSecrets } from './secrets.ts'
import { dagTarget } from './ssh-target.ts'
import { placeAbove, traceOf } from './trace.ts'

/** @throws TroupeError when a variable or a secret cannot be evaluated or a folder cannot be made */
export type ScopeMaker = (run: OpenRun, signal?: AbortSignal) => Promise<RunScope>

export interface ScopeParts extends LoadSurroundings {
  store: Store
  logs: RunLogs
  dataDir: string
  /** What the run that called this one lets it see while it is loaded; nothing for a root run. Source: execution-semantics 3.5.5. */
  inherited(run: OpenRun): Promise<Readonly<Record<string, string>>>
}

export function scopeMaker(parts: ScopeParts): ScopeMaker {
  const base = allowedEnvironment(parts.environment)
  return async (run, signal) => {
    const { record, plan, spec, env: loaded } = run
    const inherited = await parts.inherited(run)
    const environment = { ...parts.environment, ...inherited }
    const surroundings = { ...parts, environment, signal }
    const { name, dagRunId, params, log: runLog, nodeLogs } = record
    const own = ownFolder(parts.dataDir, record)
    const { values: env, dotenv, warnings } = loaded ?? (await loadEnv(plan, own, surroundings))
    for (const warning of warnings) parts.logs.write(runLog, 'WARN', warning)
    const shell = await shellOf(plan, env, surroundings)
    const workingDir = await workingDirOf(plan, env, own, surroundings)
    const secrets = await resolveSecrets(plan, { environment: { ...parts.environment, ...dotenv }, workingDir })
    const given = Object.fromEntries(params.map(({ name, value }) => [name, value]))
    const look = loadLookup({ ...env, ...secrets.values, ...given }, surroundings)
    const ssh = plan.ssh && (await dagTarget(plan.ssh, look, workingDir))
    makeLogFolder(nodeLogs)
    const scope = openScope({
      key: { name, dagRunId },
      plan,
      spec,
      runAttempt: record.attempt,
      depth: record.caller?.depth ?? 0,
      params,
      env,
      secrets,
      base,
      workingDir,
      runLog,
      nodeLogs,
      ...(shell ? { shell } : {}),
      ...(ssh ? { ssh } : {})
    })
    const above = placeAbove(inherited, env)
    try {
      const trace = await traceOf(plan.otel, record, above, runLookup(scope, surroundings), secrets.mask)
      if (trace) scope.trace = trace
      else if (above) scope.passed = above
    } catch (error) {
      parts.logs.write(runLog, 'WARN', 'the run is not traced', { reason: secrets.mask((error as Error).message) })
    }
    const kept = run.seed ?? Array.from(nodesOf(parts.store, record), ([place, { record }]) => [place, record] as const)
    for (const [place, node] of kept) if (node.startedAt !== undefined) scope.nodes.set(place as NodePlace, node)
    return scope
  }
}
