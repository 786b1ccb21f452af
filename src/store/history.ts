/** Reads runs: by key, newest first, by filter. Never uses an actor. Source: architecture 6, api-semantics 3.6. */
import type { JournalRecord, NodePlace, RunKey, RunRecord } from '../../machines/vocabulary.ts'
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
import { END } from './key-end.ts'
import type { NodeKey, Store } from './open.ts'
import type { FeedPart } from './parts.ts'
import type { StoredAttempt, StoredCall, StoredNode, StoredPlan } from './stored.ts'

/** An unreadable run is returned as failed. */
export const runRecord = (store: Store, key: RunKey): RunRecord | undefined => readRun(store, key)?.record

/** Nodes and handlers of a run by place; absent: never started. An unreadable one is returned as failed (`isUnreadable`). */
export function nodesOf(store: Store, run: RunKey): Map<NodePlace, StoredNode> {
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
/** All nodes, for resuming the run: an unreadable node must not be started again. @throws Error when one cannot be read */
export function everyNodeOf(store: Store, run: RunKey): Map<NodePlace, StoredNode> {
  const nodes = readNodes(store, run)
  for (const node of nodes.values()) refuseSetAside(node)
  return nodes
}
function readNodes({ nodes }: Store, { name, dagRunId }: RunKey): Map<NodePlace, StoredNode> {
  const range = nodes.getRange({ start: [name, dagRunId, 0], end: [name, dagRunId, END] })
  return new Map(Array.from(range, ({ key, value }) => [key[2], value]))
}
/** The doctor's stand-in for a node is no better than an unreadable entry. */
function refuseSetAside({ record }: StoredNode): void {
  if (isUnreadable(record)) throw new Error(`${UNREADABLE}: what was stored of step ${record.step} has been set aside`)
}
/** The nodes at a few places, which costs less than reading all. @throws Error when one cannot be read */
export function nodesAt(store: Store, { name, dagRunId }: RunKey, places: NodePlace[]): Map<NodePlace, StoredNode> {
  const nodes = new Map<NodePlace, StoredNode>()
  for (const place of places) {
    const node = store.nodes.get([name, dagRunId, place])
    if (!node) continue
    refuseSetAside(node)
    nodes.set(place, node)
  }
  return nodes
}
/** Places of nodes that have an entry, readable or not. */
const placesOf = (store: Store, { name, dagRunId }: RunKey): NodePlace[] =>
  Array.from(store.nodes.getKeys({ start: [name, dagRunId, 0], end: [name, dagRunId, END] }), ([, , place]) => place)

/** Calls of a node, oldest first. @param lost called for each that cannot be read */
export const callsOf = (store: Store, { name, dagRunId }: RunKey, place: NodePlace, lost?: () => void): StoredCall[] =>
  readRange(
    store.calls,
    { start: [name, dagRunId, place, 0, 0], end: [name, dagRunId, place, Number.MAX_VALUE, 0] },
    undefined,
    lost
  ).map(({ value }) => value)

/** The call of one execution of a step. */
export const callAt = (
  store: Store,
  { name, dagRunId }: RunKey,
  place: NodePlace,
  runAttempt: number,
  attempt: number
): StoredCall | undefined => readEntry(store.calls, [name, dagRunId, place, runAttempt, attempt])

/** Run and nodes at the end of an earlier attempt. Undefined: there was none, or it cannot be read. */
export const attemptOf = (store: Store, { name, dagRunId }: RunKey, attempt: number): StoredAttempt | undefined =>
  readEntry(store.attempts, [name, dagRunId, attempt])

/** A sub DAG run of a root run, at any depth. */
export function subRunOf(store: Store, { name, dagRunId }: RunKey, subRunId: string): RunKey | undefined {
  const found = subNameOf(store, [name, dagRunId, subRunId])
  return found === undefined ? undefined : { name: found, dagRunId: subRunId }
}

/** A sub DAG run, also of the runs that the root retries under another id: a kept node lists their sub runs. */
export function shownSubRunOf(store: Store, root: RunKey, subRunId: string): RunKey | undefined {
  const seen = new Set<string>() // an id may be reused after its run was removed
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

/** How many journal records a run has after a number: fewer than the latest number if numbers were skipped. */
export const eventsOf = (store: Store, { name, dagRunId }: RunKey, after = 0): number =>
  store.journal.getKeysCount({ start: [name, dagRunId, after + 1], end: [name, dagRunId, Number.MAX_VALUE] })

/**
 * `seq` of a run's latest journal record; 0: it has none. The entry of the run may be older, because a transition of a node does
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

/** Journal records of all runs after number `after`, oldest first. */
export function feedOf(store: Store, after: number, limit: number): FeedPart {
  const found = readRange(store.feed, { start: after + 1, limit })
  const [oldest = after + 1] = store.feed.getKeys({ limit: 1 })
  return {
    // A run that was removed or renamed since has no records under this name any more.
    records: found.flatMap(({ key: number, value }) => {
      const record = readEntry(store.journal, value)
      return record ? [{ number, record }] : []
    }),
    end: found.at(-1)?.key ?? Array.from(store.feed.getKeys({ start: after + 1, limit })).at(-1) ?? after,
    missed: Math.max(0, oldest - after - 1)
  }
}

/** Undefined when it is not there or cannot be read. Read-only: the next caller that asks for the same plan gets the same object. */
export function planOf(store: Store, hash: string): StoredPlan | undefined {
  const kept = plans.get(store) ?? { size: 0, byHash: new Map() }
  plans.set(store, kept)
  const known = kept.byHash.get(hash)
  const found = known ?? readEntry(store.plans, hash)
  if (!Array.isArray(found?.plan?.steps)) return undefined
  kept.byHash.delete(hash)
  kept.byHash.set(hash, found) // the most recently used one comes last
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
/** Size of the cache, in steps; each plan counts as a hundred more. */
const KEPT_STEPS = 20_000
const sizeOf = ({ plan }: StoredPlan): number => plan.steps.length + 100
