/** From a run of Dagu to what the store keeps of a run: record, nodes, calls, earlier attempts, journal. */
import { dirname, join } from 'node:path'
import type {
  Caller,
  JournalRecord,
  NodePlace,
  NodeRecord,
  NodeStatus,
  RunKey,
  RunParam,
  RunRecord,
  RunStatus
} from '../../../../machines/vocabulary.ts'
import { nodeFiles, nodeLogFolder, runFolder, runLogPath } from '../../../actors/run/log-names.ts'
import { parseParamWords } from '../../../definition/dag/params.ts'
import { present } from '../../../platform/present.ts'
import type { CallKey } from '../../../store/open.ts'
import type { StoredAttempt, StoredCall, StoredPlan, StoredRun } from '../../../store/stored.ts'
import type { FoundAttempt, FoundRun } from './find.ts'
import { journalOf } from './journal.ts'
import type { RunPlan } from './run-plans.ts'
import type { DaguNode } from './status.ts'

/** Everything of one run. */
export interface Imported {
  run: StoredRun
  nodes: [NodePlace, NodeRecord][]
  earlier: StoredAttempt[]
  calls: { key: CallKey; value: StoredCall }[]
  plans: Map<string, StoredPlan>
  journal: JournalRecord[]
  copies: { from: string; to: string }[]
  /** Path of the run log, if there is none to be copied. */
  withoutLog?: string
  /** Recorded logs that are not there. */
  lost: number
  isOutline: boolean
}

export interface Making {
  logDir: string
  planOf(attempt: FoundAttempt): RunPlan
  /** Where a recorded log is; undefined: nowhere. */
  find(recorded: string): string | undefined
}

/** By number. 7 and 8 are those of 2.x: it waits for somebody, it was rejected. */
const RUN: Record<number, RunStatus> = {
  1: 'running',
  2: 'failed',
  3: 'canceled',
  4: 'succeeded',
  6: 'partially_succeeded',
  7: 'running',
  8: 'failed'
}
const NODE: Record<number, NodeStatus> = {
  1: 'running',
  2: 'failed',
  3: 'canceled',
  4: 'succeeded',
  5: 'skipped',
  6: 'partially_succeeded',
  7: 'running',
  8: 'failed'
}
export const isKnown = (status: number): boolean => status in RUN
export const isOpen = (status: number): boolean => RUN[status] === 'running'

/** The error of a run, and of a step, that was running when it was imported. */
export const UNKNOWN_END = 'it was running in Dagu when it was imported: how it ended is not known here'

/** @param called of a sub DAG run @param subs runs below the root, by id */
export function imported(
  found: FoundRun,
  { logDir, planOf, find }: Making,
  { called, subs }: { called?: { caller: Caller; rootLog: string }; subs: ReadonlyMap<string, FoundRun> }
): Imported {
  const key = keyOf(found)
  const folder = called ? join(dirname(called.rootLog), 'sub', key.dagRunId) : runFolder(logDir, key)
  const all: Imported = {
    run: { record: undefined as unknown as RunRecord, seq: 0 }, // set below: there is at least one attempt
    nodes: [],
    earlier: [],
    calls: [],
    plans: new Map(),
    journal: [],
    copies: [],
    lost: 0,
    isOutline: false
  }
  const copied = (recorded: string | undefined, to: string): string | undefined => {
    if (recorded === undefined) return undefined
    const from = find(recorded)
    if (from === undefined) all.lost++
    else all.copies.push({ from, to })
    return from === undefined ? undefined : to
  }
  found.attempts.forEach((attempt, index) => {
    const { status, changedAt } = attempt
    const { workflow, hash, steps, isOutline } = planOf(attempt)
    const { plan } = workflow
    all.plans.set(hash, workflow)
    all.isOutline ||= isOutline
    const number = index + 1
    const nodeLogs = nodeLogFolder(folder, number, called !== undefined)
    const log = runLogPath(folder)
    if (number === found.attempts.length && copied(status.log, log) === undefined) all.withoutLog = log
    const left = isOpen(status.status)
    const record: RunRecord = {
      ...key,
      status: left ? 'failed' : (RUN[status.status] ?? 'failed'),
      attempt: number,
      createdAt: createdAt(found),
      params: paramsOf(status.params),
      log,
      nodeLogs,
      plan: hash,
      ...(called ? { caller: called.caller } : { queue: plan.queue ?? key.name, trigger: { type: 'import' } }),
      ...present({
        queuedAt: status.queuedAt,
        startedAt: status.startedAt ?? attempt.madeAt,
        finishedAt: left ? changedAt : (status.finishedAt ?? changedAt),
        error: left ? UNKNOWN_END : status.error
      })
    }
    const made = (node: DaguNode, place: NodePlace, step: string): [NodePlace, NodeRecord][] => {
      if (NODE[node.status] === undefined) return []
      const { stdout, stderr } = nodeFiles(nodeLogs, step)
      const isBegun = node.startedAt !== undefined
      const logs = isBegun ? { stdout: copied(node.stdout, stdout), stderr: copied(node.stderr, stderr) } : {}
      return [[place, { ...nodeRecord(node, step, changedAt), ...present(logs) }]]
    }
    const nodes = status.nodes.flatMap((node, at) => {
      const place = steps[at] ?? at
      return made(node, place, plan.steps[place]?.name ?? node.name)
    })
    const handlers = Object.entries(status.handlers).flatMap(([place, node]) => made(node, place as NodePlace, place)) // by its keys
    const records = [...nodes, ...handlers]
    for (const entry of journalOf(record, records, all.journal.at(-1))) all.journal.push(entry)
    if (number < found.attempts.length) all.earlier.push({ record, nodes: new Map(records) })
    else {
      all.nodes = records
      all.run.record = record
    }
    status.nodes.forEach((node, at) => {
      const call = callOf(node, subs, planOf, plan.steps[steps[at] ?? at]?.parallel?.maxConcurrent ?? 1)
      if (!call) return
      for (const [hash, workflow] of call.plans) all.plans.set(hash, workflow)
      all.calls.push({ key: [key.name, key.dagRunId, steps[at] ?? at, number, 1], value: call.value })
    })
  })
  all.run.seq = all.journal.length
  return all
}

/** To the ms by the name of its folder; starts are recorded to the second. */
export function createdAt({ attempts: [first] }: FoundRun): number {
  return Math.min(first?.madeAt ?? 0, first?.status.startedAt ?? Number.POSITIVE_INFINITY)
}

export const keyOf = ({ attempts, waiting }: FoundRun): RunKey => {
  const { name = '', dagRunId = '' } = attempts.at(-1)?.status ?? waiting ?? {}
  return { name, dagRunId }
}

function nodeRecord(node: DaguNode, step: string, changedAt: number): NodeRecord {
  const status = NODE[node.status] ?? 'failed'
  const left = status === 'running'
  const { startedAt, finishedAt, retryCount, doneCount, error, output, conditions } = node
  const code = /exit status (\d+)/.exec(error ?? '')?.[1]
  const signal = /^signal: (\w+)/.exec(error ?? '')?.[1]
  return {
    step,
    status: left ? 'failed' : status,
    retryCount,
    doneCount,
    ...present({
      startedAt,
      finishedAt: left ? changedAt : finishedAt,
      error: left ? UNKNOWN_END : error,
      output,
      conditions,
      signal,
      exitCode: code === undefined ? (status === 'succeeded' ? 0 : undefined) : Number(code)
    })
  }
}

/** Recorded as `NAME=value`, or as a value alone. */
export const paramsOf = (recorded: readonly string[]): RunParam[] =>
  recorded.map((text, index) => {
    const at = text.indexOf('=')
    const name = at > 0 ? text.slice(0, at) : ''
    // A quoted value that happens to hold an equals sign is no name.
    return /^[^\s"'`]+$/.test(name)
      ? { name, value: unquoted(text.slice(at + 1)) }
      : { name: String(index + 1), value: unquoted(text) }
  })

const unquoted = (text: string): string => (/^".*"$/s.test(text) ? (parseParamWords(text)[0]?.value ?? text) : text)

/** Calls of sub runs that are there. */
function callOf(
  { children }: DaguNode,
  subs: ReadonlyMap<string, FoundRun>,
  planOf: Making['planOf'],
  maxConcurrent: number
): { value: StoredCall; plans: Map<string, StoredPlan> } | undefined {
  const plans = new Map<string, StoredPlan>()
  let hash: string | undefined
  const items = children.flatMap(({ dagRunId, params }) => {
    const sub = subs.get(dagRunId)
    const attempt = sub?.attempts.at(-1)
    if (!attempt) return []
    const plan = planOf(attempt)
    hash ??= plan.hash
    plans.set(plan.hash, plan.workflow)
    return [{ name: attempt.status.name, dagRunId, params }]
  })
  if (hash === undefined) return undefined
  return { plans, value: { plan: hash, maxConcurrent, items, pass: 0, stopped: false, offset: 0 } }
}
