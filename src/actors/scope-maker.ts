/** Makes the scope of a run that is let go, or that goes on after a restart. */
import { mkdir } from 'node:fs/promises'
import type { NodePlace } from '../../machines/node.ts'
import { nodesOf } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import { allowedEnvironment } from './environment.ts'
import { evaluateEnv, type LoadSurroundings, ownFolder, shellOf, workingDirOf } from './load-time.ts'
import type { OpenRun } from './open-run.ts'
import { openScope, type RunScope } from './run-scope.ts'
import { resolveSecrets } from './secrets.ts'

/** @throws TroupeError when a variable or a secret cannot be evaluated or a folder cannot be made */
export type ScopeMaker = (run: OpenRun, signal?: AbortSignal) => Promise<RunScope>

export function scopeMaker(parts: LoadSurroundings & { store: Store; dataDir: string }): ScopeMaker {
  const base = allowedEnvironment(parts.environment)
  return async ({ record, plan, env: evaluated }, signal) => {
    const surroundings = { ...parts, signal }
    const { name, dagRunId, params, log: runLog, nodeLogs } = record
    const env = evaluated ?? (await evaluateEnv(plan, surroundings))
    const shell = await shellOf(plan, env, surroundings)
    const workingDir = await workingDirOf(plan, env, ownFolder(parts.dataDir, record), surroundings)
    const secrets = await resolveSecrets(plan, { environment: parts.environment, workingDir })
    await mkdir(nodeLogs, { recursive: true, mode: 0o750 })
    const scope = openScope({
      key: { name, dagRunId },
      plan,
      params,
      env,
      secrets,
      base,
      workingDir,
      runLog,
      nodeLogs,
      ...(shell ? { shell } : {})
    })
    for (const [place, { record: node }] of nodesOf(parts.store, record))
      if (node.startedAt !== undefined) scope.nodes.set(place as NodePlace, node)
    return scope
  }
}
