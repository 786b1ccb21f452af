/** The scope of a run that was placed on a worker: nothing is evaluated here, so it has no variables and no secrets. Source: distribution 5, D11. */
import { existsSync } from 'node:fs'
import type { NodePlace, NodeRecord } from '../../../machines/vocabulary.ts'
import { noSecrets } from '../../masking/secrets.ts'
import { makeLogFolder } from '../../platform/make-folder.ts'
import type { DiskSpace } from '../pace/disk-space.ts'
import type { OpenRun } from '../root/open-run.ts'
import { noLogFolder } from './log-folder.ts'
import type { RunLogs } from './run-log.ts'
import { openScope, type RunScope } from './run-scope.ts'

/** @param nodes those that are known @throws TroupeError when its log folder cannot be created */
export async function placedScope(
  { record, plan, spec }: OpenRun,
  nodes: Iterable<readonly [NodePlace, NodeRecord]>,
  { diskSpace, logs }: { diskSpace: DiskSpace; logs: RunLogs },
  signal: AbortSignal | undefined
): Promise<RunScope> {
  const { name, dagRunId, attempt, caller, params, log: runLog, nodeLogs } = record
  if (!existsSync(nodeLogs))
    try {
      if (signal) await diskSpace.take(() => makeLogFolder(nodeLogs), { signal })
      else makeLogFolder(nodeLogs)
    } catch (cause) {
      throw noLogFolder(nodeLogs, cause)
    }
  if (plan.otel?.enabled) logs.write(runLog, 'WARN', 'the run is not traced', { reason: 'it runs on a worker' })
  const scope = openScope({
    ...{ key: { name, dagRunId }, plan, spec, runAttempt: attempt, depth: caller?.depth ?? 0, params },
    ...{
      env: {},
      dataEnv: new Set(),
      secrets: noSecrets,
      base: {},
      workingDir: plan.home ?? plan.sourceDir ?? nodeLogs
    },
    ...{ runLog, nodeLogs }
  })
  for (const [place, node] of nodes) if (node.startedAt !== undefined) scope.nodes.set(place, node)
  return scope
}
