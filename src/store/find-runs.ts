/** Which runs there are: by name, by status, by time, newest first or in their order. Source: architecture 6, api-semantics 3.6. */
import type { Awaits, RunKey, RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import { awaitedBy } from './awaited.ts'
import { planOf, runRecord } from './history.ts'
import { END } from './key-end.ts'
import type { Store } from './open.ts'
import type { RunFilter, RunPlace, RunsPart } from './parts.ts'

/** Root runs with a status. */
export const countRuns = (store: Store, status: RunStatus): number =>
  store.byStatus.getKeysCount({ start: [status, 0, '', ''], end: [status, Number.MAX_VALUE, '', ''] })

/** Root runs of a name that have not ended. */
export const activeRuns = (store: Store, name: string): RunRecord[] =>
  Array.from(store.open.getKeys({ start: [name, ''], end: [name, END] })).flatMap(([, dagRunId]) => {
    const record = runRecord(store, { name, dagRunId })
    return record && !record.caller ? [record] : []
  })

/** Newest first; equal times by run id ascending. */
export function findRuns(store: Store, filter: RunFilter = {}): RunRecord[] {
  const found: RunRecord[] = []
  for (const key of keysFor(store, filter)) {
    const record = matching(store, key, filter)
    if (!record) continue
    found.push(record)
    if (found.length === filter.limit) break
  }
  return found
}

/**
 * Runs in parts, for filters that few of very many runs match.
 * @param after where the part before ended @param isEnough asked after each run that was looked at, matching or not
 */
export function findRunsPart(
  store: Store,
  filter: RunFilter,
  after: RunPlace | undefined,
  isEnough: (found: number) => boolean
): RunsPart {
  const runs: RunRecord[] = []
  const to = Math.min(filter.to ?? Number.MAX_SAFE_INTEGER, after ? after.createdAt + 1 : Number.MAX_SAFE_INTEGER)
  for (const key of keysFor(store, { ...filter, to })) {
    if (after && key.createdAt === after.createdAt && inOrder(key, after) <= 0) continue
    const record = matching(store, key, { ...filter, to })
    if (record) runs.push(record)
    if (isEnough(runs.length)) return { runs, next: key }
  }
  return { runs }
}

function matching(store: Store, key: RunPlace, filter: RunFilter): RunRecord | undefined {
  const record = matches(key, filter) ? runRecord(store, key) : undefined
  const lookedUp = {
    tagsOf: ({ plan }: RunRecord) => planOf(store, plan)?.plan.tags ?? [],
    awaitedBy: (run: RunRecord) => awaitedBy(store, run)
  }
  return record && fits(record, filter, lookedUp) ? record : undefined
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
function* keysFor(
  store: Store,
  { name, status, waitingFor, from = 0, to = Number.MAX_SAFE_INTEGER }: RunFilter
): Iterable<RunPlace> {
  // What waits is running.
  const [only, ...others] = waitingFor ? (['running'] as const) : (status ?? [])
  if (name !== undefined && !(only === 'running' && others.length === 0)) {
    const range = { start: [name, to, ''], end: [name, from, ''], reverse: true }
    yield* sameTimeAscending(store.byName.getKeys(range), ([name, createdAt, dagRunId]) => ({
      name,
      dagRunId,
      createdAt
    }))
  } else if (only && others.length === 0) {
    const range = { start: [only, to, '', ''], end: [only, from, '', ''], reverse: true }
    yield* sameTimeAscending(store.byStatus.getKeys(range), ([, createdAt, name, dagRunId]) => ({
      name,
      dagRunId,
      createdAt
    }))
  } else {
    const range = { start: [to, '', ''], end: [from, '', ''], reverse: true }
    yield* sameTimeAscending(store.byTime.getKeys(range), ([createdAt, name, dagRunId]) => ({
      name,
      dagRunId,
      createdAt
    }))
  }
}

/** A reversed range has equal times in descending order of id; the listing wants them ascending. */
function* sameTimeAscending<K>(keys: Iterable<K>, read: (key: K) => RunPlace): Iterable<RunPlace> {
  let group: RunPlace[] = []
  for (const key of keys) {
    const found = read(key)
    if (group[0] && group[0].createdAt !== found.createdAt) {
      yield* group.sort(inOrder)
      group = []
    }
    group.push(found)
  }
  yield* group.sort(inOrder)
}
const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
/** Order of runs that were created in the same millisecond. */
const inOrder = (a: RunKey, b: RunKey) => compared(a.dagRunId, b.dagRunId) || compared(a.name, b.name)

/** Whether a run is one that a filter asks for, by what its key says: cheap. Source: api-semantics 3.6. */
export function matches({ name, dagRunId, createdAt }: RunPlace, filter: RunFilter): boolean {
  if (filter.name !== undefined && name !== filter.name) return false
  if (filter.nameContains !== undefined && !contains(name, filter.nameContains)) return false
  if (filter.idContains !== undefined && !dagRunId.includes(filter.idContains)) return false
  return createdAt >= (filter.from ?? 0) && createdAt < (filter.to ?? Number.MAX_SAFE_INTEGER)
}

/** What is looked up of a run only for filters about it. */
interface LookedUp {
  /** Tags of its definition, which are stored with its plan. */
  tagsOf(run: RunRecord): readonly string[]
  awaitedBy(run: RunRecord): Awaits | undefined
}

/** Whether a run fits the rest of a filter. */
export function fits(
  run: RunRecord,
  { paramContains: part, ...filter }: RunFilter,
  { tagsOf, awaitedBy }: LookedUp
): boolean {
  const { status, trigger, params } = run
  if (filter.status && !filter.status.includes(status)) return false
  if (filter.trigger && !(trigger && filter.trigger.includes(trigger.type))) return false
  if (filter.byContains !== undefined && !contains(trigger?.by ?? '', filter.byContains)) return false
  if (part !== undefined && !params.some(({ name, value }) => contains(`${name}=${value}`, part))) return false
  if (filter.tags?.length) {
    const tags = tagsOf(run)
    if (!filter.tags.every((tag) => tags.includes(tag))) return false
  }
  if (!filter.waitingFor) return true
  const kind = awaitedBy(run)?.for
  return kind !== undefined && filter.waitingFor.includes(kind)
}

const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())
