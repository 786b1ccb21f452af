/** A finished run made ready to run again: what is kept of its nodes, what is reset. Source: execution-semantics 13.1, 9.5.4. */
import { copyFileSync, existsSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { NodePlace } from '../../../machines/node.ts'
import type { Known } from '../../../machines/policy/readiness.ts'
import { resetNodes } from '../../../machines/policy/retried.ts'
import type { NodeRecord, Plan, RunRecord } from '../../../machines/vocabulary.ts'
import { makeLogFolder } from '../../platform/make-folder.ts'
import type { Changes } from '../../store/changes.ts'
import { isUnreadable } from '../../store/damage/damaged.ts'
import { unreadableSteps } from '../../store/damage/unreadable.ts'
import { bothLog } from '../../store/files/logs.ts'
import { callsOf, latestSeq, nodesOf } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { StoredCall, StoredNode, StoredPlan } from '../../store/stored.ts'
import type { OpenRun } from '../root/open-run.ts'
import { nodeLogFolder } from '../run/log-names.ts'

export interface Retried {
  run: OpenRun
  /** What is kept of each node, by index; absent: it runs. */
  known: (Known | undefined)[]
  /** Index of the only node that runs. */
  only?: number
  /** Adds what the retry itself changes in the store. */
  apply(changes: Changes): void
}

// D42
/** A new attempt of the same run, in its place. The attempt before it is kept. @param only index of the one step to run */
export function retriedRun(store: Store, old: RunRecord, workflow: StoredPlan, at: number, only?: number): Retried {
  const { error: _error, conditions: _conditions, finishedAt: _finishedAt, ...lasting } = old
  const attempt = old.attempt + 1
  const record: RunRecord = {
    ...lasting,
    status: 'running',
    attempt,
    startedAt: at,
    nodeLogs: nodeLogFolder(dirname(old.log), attempt, old.caller !== undefined)
  }
  const { kept, known } = keptOf(store, old, workflow.plan, only)
  const seq = latestSeq(store, old)
  return {
    run: { record, ...workflow, seq, indexed: old.status, ended: new Map(), seed: kept },
    known,
    ...(only === undefined ? {} : { only }),
    apply(changes) {
      const nodes = nodesOf(store, old)
      changes.attempts.push({
        record: old,
        nodes: new Map(Array.from(nodes, ([place, { record }]) => [place, record]))
      })
      for (const [place, { record }] of nodes)
        if (!kept.has(place as NodePlace)) putNode(changes, old, place, untouched(record.step))
    }
  }
}

/** A run of another id, which begins with what an earlier one has done. The earlier one and its logs stay as they are. */
export function seededRun(
  store: Store,
  old: RunRecord,
  workflow: StoredPlan,
  record: RunRecord,
  only?: number
): Retried {
  const { kept, known } = keptOf(store, old, workflow.plan, only)
  const seed = new Map<NodePlace, NodeRecord>()
  const copies: Copy[] = []
  for (const [place, node] of kept) seed.set(place, withOwnLogs(node, record.nodeLogs, copies))
  return {
    run: {
      record: { ...record, retryOf: { name: old.name, dagRunId: old.dagRunId } },
      ...workflow,
      seq: 0,
      ended: new Map(),
      seed
    },
    known,
    ...(only === undefined ? {} : { only }),
    apply(changes) {
      for (const [place, node] of seed) {
        putNode(changes, record, place, node)
        if (workflow.plan.steps[Number(place)]?.call !== undefined)
          putCalls(changes, record, place, callsOf(store, old, place))
      }
      copyLogs(copies, record.nodeLogs)
    }
  }
}

/**
 * What is left of an earlier attempt's nodes, or of the earlier run's. Asked again once the others are reset, it says the same.
 * @throws TroupeError service_unavailable: what became of a step cannot be read
 */
export function keptOf(
  store: Store,
  old: RunRecord,
  plan: Plan,
  only?: number
): { kept: Map<NodePlace, NodeRecord>; known: (Known | undefined)[] } {
  const nodes = nodesOf(store, old)
  refuseUnknown(old, plan, nodes)
  const statuses = plan.steps.map((_, index) => nodes.get(index)?.record.status ?? 'not_started')
  const reset = only === undefined ? resetNodes(plan.steps, statuses) : new Set([only])
  const kept = new Map<NodePlace, NodeRecord>()
  const known = statuses.map((status, index) => {
    const record = nodes.get(index)?.record
    if (!record || status === 'not_started' || reset.has(index)) return undefined
    kept.set(index, record)
    return { status, continues: record.continues }
  })
  return { kept, known }
}

/** A step of which nobody knows what became of it could be done a second time. Source: reliability P7, P10. */
function refuseUnknown(old: RunRecord, { steps }: Plan, nodes: ReadonlyMap<number | string, StoredNode>): void {
  const lost = steps.flatMap(({ name }, place) => {
    const node = nodes.get(place)
    return node && isUnreadable(node.record) ? [name] : []
  })
  if (lost.length > 0) throw unreadableSteps(old, lost)
}

function putNode(changes: Changes, { name, dagRunId }: RunRecord, place: number | string, record: NodeRecord): void {
  changes.nodes.set(`run/${name}/${dagRunId}/${place}`, { key: [name, dagRunId, place], value: { record } })
}

/** What a kept node has called: the sub runs stay those of the earlier run. They count as calls before the first attempt. */
function putCalls(changes: Changes, { name, dagRunId }: RunRecord, place: NodePlace, calls: StoredCall[]): void {
  for (const [index, value] of calls.entries())
    changes.calls.set(`run/${name}/${dagRunId}/${place}/kept/${index}`, {
      key: [name, dagRunId, place, 0, index],
      value
    })
}

const untouched = (step: string): NodeRecord => ({ step, status: 'not_started', retryCount: 0, doneCount: 0 })

interface Copy {
  from: string
  to: string
}

/** Logs are copied, once the run is started: the earlier run may be removed before this one. */
function withOwnLogs(node: NodeRecord, folder: string, copies: Copy[]): NodeRecord {
  const copied = { ...node }
  for (const stream of ['stdout', 'stderr'] as const) {
    const path = node[stream]
    if (path === undefined || !existsSync(path)) continue
    const to = join(folder, basename(path))
    copied[stream] = to
    copies.push({ from: path, to })
    if (stream === 'stdout' && existsSync(bothLog(path))) copies.push({ from: bothLog(path), to: bothLog(to) })
  }
  return copied
}

function copyLogs(copies: readonly Copy[], folder: string): void {
  try {
    if (copies.length > 0) makeLogFolder(folder)
    for (const { from, to } of copies) copyFileSync(from, to)
  } catch {
    // A log that could not be copied counts as one that was removed: it is no reason to end the run that was started.
  }
}

/** The same of a run that was never let go: its id, and so the folder, may be used again at once. */
export function dropCopies(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
    rmdirSync(dirname(folder))
  } catch {
    // One that holds anything stays.
  }
}
