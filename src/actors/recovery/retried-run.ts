/** Prepares a finished run to run again: which nodes are kept, which are reset. Source: execution-semantics 13.1, 9.5.4. */
import { copyFileSync, existsSync, rmdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Known } from '../../../machines/policy/readiness.ts'
import { resetNodes } from '../../../machines/policy/retried.ts'
import { keptSignals } from '../../../machines/run.ts'
import type {
  KeptSignal,
  NodePlace,
  NodeRecord,
  OnlyNodes,
  Plan,
  RunRecord,
  Step
} from '../../../machines/vocabulary.ts'
import { timesPath } from '../../platform/log-times.ts'
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
  /** The kept state of each node, by index; absent: it runs. */
  known: (Known | undefined)[]
  /** The only nodes that run. */
  only?: OnlyNodes
  /** Adds the changes of the retry itself. */
  apply(changes: Changes): void
}

// D42: a retry under a new id keeps calls, not sub runs
/** A new attempt of the same run. The previous attempt is kept. @param which the only steps to run, or all of them */
export function retriedRun(
  store: Store,
  old: RunRecord,
  workflow: StoredPlan,
  at: number,
  which?: OnlyNodes | 'all'
): Retried {
  const only = which === 'all' ? undefined : which
  const {
    error: _error,
    stoppedBy: _stopper,
    conditions: _conditions,
    finishedAt: _finishedAt,
    placement: _placement,
    fresh: _fresh,
    notBefore: _notBefore,
    ...lasting
  } = old
  const attempt = old.attempt + 1
  const record: RunRecord = {
    ...lasting,
    status: 'running',
    attempt,
    startedAt: at,
    nodeLogs: nodeLogFolder(dirname(old.log), attempt, old.caller !== undefined)
  }
  const { kept, known } = keptOf(store, old, workflow.plan, which)
  const seq = latestSeq(store, old)
  return {
    run: {
      record: withSignals(record, workflow.plan, known),
      ...workflow,
      seq,
      indexed: old.status,
      ended: new Map(),
      seed: kept
    },
    known,
    ...(only === undefined ? {} : { only }),
    apply(changes) {
      const nodes = nodesOf(store, old)
      changes.attempts.push({
        record: old,
        nodes: new Map(Array.from(nodes, ([place, { record }]) => [place, record]))
      })
      for (const [place, { record }] of nodes)
        if (!kept.has(place)) putNode(changes, old, place, untouched(record.step))
    }
  }
}

/** A run with another id, which starts with the results of an earlier one. The earlier run and its logs stay as they are. */
export function seededRun(
  store: Store,
  old: RunRecord,
  workflow: StoredPlan,
  record: RunRecord,
  only?: OnlyNodes
): Retried {
  const { kept, known } = keptOf(store, old, workflow.plan, only)
  const seed = new Map<NodePlace, NodeRecord>()
  const copies: Copy[] = []
  for (const [place, node] of kept) seed.set(place, withOwnLogs(node, record.nodeLogs, copies))
  return {
    run: {
      record: withSignals({ ...record, retryOf: { name: old.name, dagRunId: old.dagRunId } }, workflow.plan, known),
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
 * The kept nodes of the earlier attempt or run. Returns the same when called again after the others have been reset.
 * @throws TroupeError service_unavailable: the state of a step cannot be read
 */
export function keptOf(
  store: Store,
  old: RunRecord,
  plan: Plan,
  which?: OnlyNodes | 'all'
): { kept: Map<NodePlace, NodeRecord>; known: (Known | undefined)[] } {
  const nodes = nodesOf(store, old)
  refuseUnknown(old, plan, nodes)
  const statuses = plan.steps.map((_, index) => nodes.get(index)?.record.status ?? 'not_started')
  const all = which === 'all' ? [...statuses.keys()] : which
  const reset = all === undefined ? resetNodes(plan.steps, statuses) : new Set([all].flat())
  const kept = new Map<NodePlace, NodeRecord>()
  const known = statuses.map((status, index) => {
    const record = nodes.get(index)?.record
    const given = signalOf(old, plan.steps[index], record)
    if (!record || status === 'not_started' || reset.has(index))
      return given?.output === undefined ? undefined : { status: 'not_started' as const, given }
    kept.set(index, record)
    const { output: _taken, outputMarks: _marks, ...signal } = given ?? { at: 0 }
    return { status, continues: record.continues, ...(given ? { given: signal } : {}) }
  })
  return { kept, known }
}

// D1075: a retry keeps payloads, and asks again after a refusal
/**
 * The signal that a step has got, with its payload: it is not asked for a second time. A refusal is, since a retry of it would
 * otherwise change nothing.
 */
function signalOf(old: RunRecord, step: Step | undefined, record: NodeRecord | undefined): KeptSignal | undefined {
  const kept = step?.wait && old.given && Object.hasOwn(old.given, step.name) ? old.given[step.name] : undefined
  if (!record?.given || record.status !== 'succeeded') return kept
  const { given, output, outputMarks } = record
  return { ...given, ...(output === undefined ? {} : { output }), ...(outputMarks ? { outputMarks } : {}) }
}

/** The record of a run that goes on from an earlier one, with the signals that it keeps. */
function withSignals({ given: _given, ...record }: RunRecord, plan: Plan, known: Retried['known']): RunRecord {
  return { ...record, ...keptSignals(plan, known) }
}

/** A step whose state is unknown could be executed a second time. Source: reliability P7, P10. */
function refuseUnknown(old: RunRecord, { steps }: Plan, nodes: ReadonlyMap<NodePlace, StoredNode>): void {
  const lost = steps.flatMap(({ name }, place) => {
    const node = nodes.get(place)
    return node && isUnreadable(node.record) ? [name] : []
  })
  if (lost.length > 0) throw unreadableSteps(old, lost)
}

function putNode(changes: Changes, { name, dagRunId }: RunRecord, place: NodePlace, record: NodeRecord): void {
  changes.nodes.set(`run/${name}/${dagRunId}/${place}`, { key: [name, dagRunId, place], value: { record } })
}

/** The calls of a kept node: its sub runs stay those of the earlier run, and count as calls before the first attempt. */
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

/** Logs are copied once the run has started: the earlier run may be removed before this one. */
function withOwnLogs(node: NodeRecord, folder: string, copies: Copy[]): NodeRecord {
  const copied = { ...node }
  for (const stream of ['stdout', 'stderr'] as const) {
    const path = node[stream]
    if (path === undefined || !existsSync(path)) continue
    const to = join(folder, basename(path))
    copied[stream] = to
    copies.push({ from: path, to }, { from: timesPath(path), to: timesPath(to) })
    if (stream === 'stdout') copies.push({ from: bothLog(path), to: bothLog(to) })
  }
  return copied
}

function copyLogs(copies: readonly Copy[], folder: string): void {
  try {
    if (copies.length > 0) makeLogFolder(folder)
    for (const { from, to } of copies) {
      const { atime, mtime } = statSync(from, { throwIfNoEntry: false }) ?? {}
      if (!atime || !mtime) continue
      copyFileSync(from, to)
      utimesSync(to, atime, mtime) // says when the log was written, where nothing else does
    }
  } catch {
    // A log that could not be copied counts as removed: that is no reason to end the run.
  }
}

/** Drops the copies for a run that was never started: its id, and so its folder, may be used again at once. */
export function dropCopies(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
    rmdirSync(dirname(folder))
  } catch {
    // A folder that is not empty stays.
  }
}
