/**
 * The scope of a run that was placed on a worker: nothing is evaluated here but how it is traced, so it has no variables and no secrets.
 * Source: distribution 5, 9 (traces), D11.
 */
import { existsSync } from 'node:fs'
import type { NodePlace, NodeRecord, RunRecord } from '../../../machines/vocabulary.ts'
import { messageOf } from '../../errors.ts'
import { noSecrets } from '../../masking/secrets.ts'
import { makeLogFolder } from '../../platform/make-folder.ts'
import type { SpanPlace } from '../../tracing/context.ts'
import type { DiskSpace } from '../pace/disk-space.ts'
import type { OpenRun } from '../root/open-run.ts'
import { noLogFolder } from './log-folder.ts'
import type { EnvironmentInput } from './run-environment.ts'
import type { RunLogs } from './run-log.ts'
import { runLookup } from './run-lookup.ts'
import { openScope, type RunScope } from './run-scope.ts'
import { traceOf } from './trace.ts'

export interface PlacedScopeParts extends Omit<EnvironmentInput, 'signal'> {
  diskSpace: DiskSpace
  logs: RunLogs
  /** Place of the run's caller in a trace; undefined: there is none. */
  callerTrace?(record: RunRecord): SpanPlace | undefined
}

/** @param nodes those that are known @throws TroupeError when its log folder cannot be created */
export async function placedScope(
  { record, plan, spec }: OpenRun,
  nodes: Iterable<readonly [NodePlace, NodeRecord]>,
  { diskSpace, logs, callerTrace, ...context }: PlacedScopeParts,
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
  const scope = openScope({
    key: { name, dagRunId },
    plan,
    spec,
    runAttempt: attempt,
    depth: caller?.depth ?? 0,
    params,
    env: {},
    dataEnv: new Set(),
    secrets: noSecrets,
    base: {},
    workingDir: plan.home ?? plan.sourceDir ?? nodeLogs,
    runLog,
    nodeLogs
  })
  const above = callerTrace?.(record)
  try {
    // D1026: a run on a worker is traced by its engine
    const look = () => runLookup(scope, { ...context, signal })
    const trace = plan.otel && (await traceOf(plan.otel, record, above, look(), (text) => text))
    if (trace) scope.trace = trace
    else if (above) scope.passed = above
  } catch (error) {
    logs.write(runLog, 'WARN', 'the run is not traced', { reason: messageOf(error) })
  }
  for (const [place, node] of nodes) if (node.startedAt !== undefined) scope.nodes.set(place, node)
  return scope
}
