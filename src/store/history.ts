/** Reads of runs: by key, newest first, by filter. Never touches an actor. Source: architecture 6, api-semantics 3.6. */
import type { JournalRecord, RunKey, RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import {
  isUnreadable,
  passOver,
  readEntry,
  readRange,
  readRun,
  subNameOf,
  UNREADABLE,
  unreadableNode
} from './damage/damaged.ts'
import type { NodeKey, Store } from './open.ts'
import type { FeedPart, RunFilter } from './parts.ts'
import type { StoredAttempt, StoredCall, StoredNode, StoredPlan } from './stored.ts'

/** One that cannot be read is shown as failed. */
export const runRecord = (store: Store, key: RunKey): RunRecord | undefined => readRun(store, key)?.record

/** Nodes and handlers of a run by place; absent: never touched. One that cannot be read is there as failed (`isUnreadable`). */
export function nodesOf(store: Store, run: RunKey): Map<number | string, StoredNode> {
  try {
    return readNodes(store, run)
  } catch (error) {
    passOver(store.nodes, error)
  }
  const { name, dagRunId } = run
  return new Map(
    placesOf(store, run).map((place) => {
      const known = readEntry<StoredNode, NodeKey>(store.nodes, [name, dagRunId, place])
      return [place, known ?? { record: unreadableNode(String(place)) }]
    })
  )
}
/** The same, for going on with the run: a node that cannot be read must not be begun anew. @throws Error when one cannot be read */
export function everyNodeOf(store: Store, run: RunKey): Map<number | string, StoredNode> {
  const nodes = readNodes(store, run)
  for (const node of nodes.values()) refuseSetAside(node)
  return nodes
}
function readNodes({ nodes }: Store, { name, dagRunId }: RunKey): Map<number | string, StoredNode> {
  const range = nodes.getRange({ start: [name, dagRunId, 0], end: [name, dagRunId, END] })
  return new Map(Array.from(range, ({ key, value }) => [key[2], value]))
}
/** What the doctor has put in the place of a node says no more than what was there. */
function refuseSetAside({ record }: StoredNode): void {
  if (isUnreadable(record)) throw new Error(`${UNREADABLE}: what was stored of step ${record.step} has been set aside`)
}
/** Those at a few places, which costs less than looking for every one. @throws Error when one cannot be read */
export function nodesAt(
  store: Store,
  { name, dagRunId }: RunKey,
  places: (number | string)[]
): Map<number | string, StoredNode> {
  const nodes = new Map<number | string, StoredNode>()
  for (const place of places) {
    const node = store.nodes.get([name, dagRunId, place])
    if (!node) continue
    refuseSetAside(node)
    nodes.set(place, node)
  }
  return nodes
}
/** Places of nodes that have an entry, readable or not. */
export const placesOf = (store: Store, { name, dagRunId }: RunKey): (number | string)[] =>
  Array.from(store.nodes.getKeys({ start: [name, dagRunId, 0], end: [name, dagRunId, END] }), ([, , place]) => place)
/** Sorts after every place: strings sort after numbers. */
const END = '\uffff'

/** Calls of a node, oldest first. @param lost is told of each that cannot be read */
export const callsOf = (
  store: Store,
  { name, dagRunId }: RunKey,
  place: number | string,
  lost?: () => void
): StoredCall[] =>
  readRange(
    store.calls,
    { start: [name, dagRunId, place, 0, 0], end: [name, dagRunId, place, Number.MAX_VALUE, 0] },
    undefined,
    lost
  ).map(({ value }) => value)

/** What one execution of a step calls. */
export const callAt = (
  store: Store,
  { name, dagRunId }: RunKey,
  place: number | string,
  runAttempt: number,
  attempt: number
): StoredCall | undefined => readEntry(store.calls, [name, dagRunId, place, runAttempt, attempt])

/** Run and nodes as an earlier attempt left them. Undefined: there was none, or it cannot be read. */
export const attemptOf = (store: Store, { name, dagRunId }: RunKey, attempt: number): StoredAttempt | undefined =>
  readEntry(store.attempts, [name, dagRunId, attempt])

/** A sub DAG run of a root run, at any depth. */
export function subRunOf(store: Store, { name, dagRunId }: RunKey, subRunId: string): RunKey | undefined {
  const found = subNameOf(store, [name, dagRunId, subRunId])
  return found === undefined ? undefined : { name: found, dagRunId: subRunId }
}

/** The same, also of the runs that it was retried from under another id: a node that was kept shows what they have called. */
export function shownSubRunOf(store: Store, root: RunKey, subRunId: string): RunKey | undefined {
  const seen = new Set<string>() // an id may be given again when its run was removed
  for (let key: RunKey | undefined = root; key && !seen.has(key.dagRunId); key = runRecord(store, key)?.retryOf) {
    const found = subRunOf(store, key, subRunId)
    if (found) return found
    seen.add(key.dagRunId)
  }
  return undefined
}

/** Sub DAG runs of a root run at any depth, by id. */
export const subRunsOf = (store: Store, { name, dagRunId }: RunKey): RunKey[] =>
  Array.from(store.subs.getKeys({ start: [name, dagRunId, ''], end: [name, dagRunId, END] })).flatMap((key) => {
    const sub = subNameOf(store, key)
    return sub === undefined ? [] : [{ name: sub, dagRunId: key[2] }]
  })

/** Journal records of a run after the one with number `after`, oldest first. */
export const journalOf = (store: Store, { name, dagRunId }: RunKey, after: number, limit: number): JournalRecord[] =>
  readRange(store.journal, { start: [name, dagRunId, after + 1], end: [name, dagRunId, Number.MAX_VALUE], limit }).map(
    ({ value }) => value
  )

/** How many journal records a run has: fewer than the number of the latest where numbers were left out. */
export const eventsOf = (store: Store, { name, dagRunId }: RunKey): number =>
  store.journal.getKeysCount({ start: [name, dagRunId, 0], end: [name, dagRunId, Number.MAX_VALUE] })

/**
 * `seq` of a run's latest journal record; 0: it has none. The run's own entry may be older: a transition of a node alone does
 * not write it.
 */
export const latestSeq = (store: Store, { name, dagRunId }: RunKey): number =>
  Array.from(
    store.journal.getKeys({
      start: [name, dagRunId, Number.MAX_VALUE],
      end: [name, dagRunId, 0],
      reverse: true,
      limit: 1
    })
  )[0]?.[2] ?? 0

/** Journal records of all runs after the `after`th, oldest first. */
export function feedOf(store: Store, after: number, limit: number): FeedPart {
  const found = readRange(store.feed, { start: after + 1, limit })
  const [oldest = after + 1] = store.feed.getKeys({ limit: 1 })
  return {
    // A run that was removed or renamed since has no record under this name any more.
    records: found.flatMap(({ key: number, value }) => {
      const record = readEntry(store.journal, value)
      return record ? [{ number, record }] : []
    }),
    end: found.at(-1)?.key ?? Array.from(store.feed.getKeys({ start: after + 1, limit })).at(-1) ?? after,
    missed: Math.max(0, oldest - after - 1)
  }
}

/** Root runs with a status. */
export const countRuns = (store: Store, status: RunStatus): number =>
  store.byStatus.getKeysCount({ start: [status, 0, '', ''], end: [status, Number.MAX_VALUE, '', ''] })

/** Root runs of a name that have not ended. */
export const activeRuns = (store: Store, name: string): RunRecord[] =>
  Array.from(store.open.getKeys({ start: [name, ''], end: [name, END] })).flatMap(([, dagRunId]) => {
    const record = runRecord(store, { name, dagRunId })
    return record && !record.caller ? [record] : []
  })

/** Undefined when it is not there or cannot be read. Only to be read: whoever asks for the same plan next is given the same object. */
export function planOf(store: Store, hash: string): StoredPlan | undefined {
  const kept = plans.get(store) ?? { size: 0, byHash: new Map() }
  plans.set(store, kept)
  const known = kept.byHash.get(hash)
  const found = known ?? readEntry(store.plans, hash)
  if (!Array.isArray(found?.plan?.steps)) return undefined
  kept.byHash.delete(hash)
  kept.byHash.set(hash, found) // the one asked for last comes last
  if (!known) kept.size += sizeOf(found)
  for (const [oldest, plan] of kept.byHash) {
    if (kept.size <= KEPT_STEPS) break
    kept.byHash.delete(oldest)
    kept.size -= sizeOf(plan)
  }
  return found
}

/** What is stored under a hash never changes. */
const plans = new WeakMap<Store, { size: number; byHash: Map<string, StoredPlan> }>()
/** Steps of the plans that are kept; each plan counts as a hundred more. */
const KEPT_STEPS = 20_000
const sizeOf = ({ plan }: StoredPlan): number => plan.steps.length + 100

/** Newest first; equal times by run id ascending. */
export function findRuns(store: Store, filter: RunFilter = {}): RunRecord[] {
  const found: RunRecord[] = []
  for (const key of keysFor(store, filter)) {
    if (!matches(key, filter)) continue
    const record = runRecord(store, key)
    if (!record || (filter.status && !filter.status.includes(record.status))) continue
    found.push(record)
    if (found.length === filter.limit) break
  }
  return found
}

export type StatusKey = [status: string, createdAt: number, name: string, dagRunId: string]

/** Queued root runs in the order of their creation, `limit` at a time. @param from `next` of the part before */
export function queuedPart(
  store: Store,
  from: StatusKey | undefined,
  limit: number
): { runs: RunRecord[]; next?: StatusKey } {
  const start: StatusKey = from ?? ['queued', 0, '', '']
  const end: StatusKey = ['queued', Number.MAX_VALUE, '', '']
  const keys = Array.from(store.byStatus.getKeys({ start, end, limit: limit + 1 }))
  const next = keys.length > limit ? keys.pop() : undefined
  const runs = keys.flatMap(([, , name, dagRunId]) => {
    const record = runRecord(store, { name, dagRunId })
    return record?.status === 'queued' ? [record] : []
  })
  return { runs, ...(next ? { next } : {}) }
}

/** The newest run of a DAG name. */
export const latestRun = (store: Store, name: string): RunRecord | undefined => findRuns(store, { name, limit: 1 })[0]

/** The newest running run of a DAG name: looked for among the running ones only, whoever waits. */
export function latestRunning(store: Store, name: string): RunRecord | undefined {
  for (const found of keysFor(store, { status: ['running'] })) if (found.name === name) return runRecord(store, found)
  return undefined
}

interface Found extends RunKey {
  createdAt: number
}

/** Running root runs by DAG name, each newest first. Runs that wait are not looked at: there may be 100,000 of one name. */
export function runningRuns(store: Store): ReadonlyMap<string, RunKey[]> {
  const found = new Map<string, RunKey[]>()
  for (const { name, dagRunId } of keysFor(store, { status: ['running'] }))
    found.set(name, [...(found.get(name) ?? []), { name, dagRunId }])
  return found
}

/** Root runs of a DAG name that were created before an instant (epoch ms), oldest first. @param from the first of them */
export function* olderRuns(store: Store, name: string, before: number, from?: RunRecord): Iterable<RunRecord> {
  if (before <= 0) return
  const start: [string, number, string] = [name, from?.createdAt ?? 0, from?.dagRunId ?? '']
  for (const [, , dagRunId] of store.byName.getKeys({ start, end: [name, before, END] })) {
    const record = runRecord(store, { name, dagRunId })
    if (record) yield record
  }
}

/** Names of DAGs that have runs. */
export function* namesOf(store: Store): Generator<string, undefined> {
  for (let after = ''; ; ) {
    const [key] = store.byName.getKeys({ start: [after, Number.MAX_VALUE, END], limit: 1 })
    if (!key) return undefined
    after = key[0]
    yield after
  }
}

/** Keys in order from the index that fits the filter best. */
function* keysFor(store: Store, { name, status, from = 0, to = Number.MAX_SAFE_INTEGER }: RunFilter): Iterable<Found> {
  const [only, ...others] = status ?? []
  if (name !== undefined && !(only === 'running' && others.length === 0)) {
    const range = {
      start: [name, to, ''] as [string, number, string],
      end: [name, from, ''] as [string, number, string]
    }
    yield* sameTimeAscending(store.byName.getKeys({ ...range, reverse: true }), ([name, createdAt, dagRunId]) => ({
      name,
      dagRunId,
      createdAt
    }))
  } else if (only && others.length === 0) {
    type Key = [string, number, string, string]
    const range = { start: [only, to, '', ''] as Key, end: [only, from, '', ''] as Key }
    yield* sameTimeAscending(store.byStatus.getKeys({ ...range, reverse: true }), ([, createdAt, name, dagRunId]) => ({
      name,
      dagRunId,
      createdAt
    }))
  } else {
    type Key = [number, string, string]
    const range = { start: [to, '', ''] as Key, end: [from, '', ''] as Key }
    yield* sameTimeAscending(store.byTime.getKeys({ ...range, reverse: true }), ([createdAt, name, dagRunId]) => ({
      name,
      dagRunId,
      createdAt
    }))
  }
}

/** A reversed range has equal times in descending order of id; the listing wants them ascending. */
function* sameTimeAscending<K>(keys: Iterable<K>, read: (key: K) => Found): Iterable<Found> {
  let group: Found[] = []
  for (const key of keys) {
    const found = read(key)
    if (group[0] && group[0].createdAt !== found.createdAt) {
      yield* group.sort(byId)
      group = []
    }
    group.push(found)
  }
  yield* group.sort(byId)
}
const byId = (a: RunKey, b: RunKey) => (a.dagRunId < b.dagRunId ? -1 : a.dagRunId > b.dagRunId ? 1 : 0)

function matches({ name, dagRunId, createdAt }: Found, filter: RunFilter): boolean {
  if (filter.name !== undefined && name !== filter.name) return false
  if (filter.nameContains !== undefined && !name.toLowerCase().includes(filter.nameContains.toLowerCase())) return false
  if (filter.idContains !== undefined && !dagRunId.includes(filter.idContains)) return false
  return createdAt >= (filter.from ?? 0) && createdAt < (filter.to ?? Number.MAX_SAFE_INTEGER)
}
