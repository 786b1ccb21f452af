/** Every entry of the store is read once. One that cannot be read is set aside: its bytes are kept. Source: reliability P7. */
import type { Database, Key } from 'lmdb'
import { isOf, keepBytes, readRun, UNREADABLE, unreadableNode } from '../store/damaged.ts'
import { planOf } from '../store/history.ts'
import { areSlots, isDecision, isLeftover, isMove, isRestart } from '../store/kept-shape.ts'
import type { NodeKey, PairKey, Store } from '../store/open.ts'
import type { Finding } from './finding.ts'
import type { Reads } from './reads.ts'

/** Tables with what is lost when one of their entries is. */
const LOSSES = {
  runs: 'the run is listed as failed; its steps and its journal are kept',
  nodes: 'the step of that run is shown as failed, state unreadable, until somebody gives it a status by hand',
  calls: 'the sub runs of that step are listed with their root run only',
  attempts: 'an earlier attempt of that run cannot be looked at',
  journal: 'one transition is missing in the history of that run',
  checkpoints: 'nothing: looks into the past of that run take longer',
  plans: 'runs of that text are shown without their steps, and cannot be retried',
  byTime: 'nothing: it is written anew from the runs',
  byName: 'nothing: it is written anew from the runs',
  byStatus: 'nothing: it is written anew from the runs',
  subs: 'nothing: it is written anew from the runs',
  open: 'nothing: it is written anew from the runs',
  feed: 'one event is missing in the stream of all runs',
  moves: 'a rename that was interrupted is not finished',
  decisions: 'one decision of the scheduler cannot be looked at',
  slots: 'what the scheduler had settled for that definition is decided anew',
  restarts: 'a scheduled restart is not finished',
  leftovers: 'the files of a removed run stay'
} as const
type Table = keyof typeof LOSSES

export const unreadableEntries = (store: Store, reads: Reads): Finding[] =>
  (Object.entries(LOSSES) as [Table, string][]).flatMap(([name, loss]) =>
    reads.all(() => unreadableIn(store, name, loss))
  )

function* unreadableIn(store: Store, name: Table, loss: string): Generator<Finding> {
  const table = store[name] as Database<unknown, Key>
  for (const key of table.getKeys()) {
    const cause = whyUnreadable(name, table, key)
    if (cause === undefined) continue
    yield {
      check: 'store',
      severity: 'error',
      message: `entry ${textOf(key)} of table ${name} cannot be read: ${cause}`,
      mending: `restore a backup, or set it aside (${loss})`,
      fix() {
        keepBytes(store, name, key)
        if (name === 'runs') putStandIn(store, key as PairKey)
        else if (name === 'nodes') putUnreadable(store, key as NodeKey)
        else table.removeSync(key)
      }
    }
  }
}

function whyUnreadable(name: Table, table: Database<unknown, Key>, key: Key): string | undefined {
  try {
    const value = table.get(key)
    if (!isKind(name, value)) return 'it is none of its kind'
    if (name !== 'runs') return undefined
    const [dag, dagRunId] = key as [string, string]
    return isOf(value as object, dag, dagRunId) ? undefined : 'it is that of another run'
  } catch (error) {
    if ((error as Error).message.startsWith('MDB_')) throw error // a page, and not this entry alone
    return (error as Error).message
  }
}

/** Of an index only the key counts. */
const KINDS: Partial<Record<Table, (value: never) => boolean>> = {
  subs: (value: unknown) => typeof value === 'string',
  decisions: isDecision,
  slots: areSlots,
  moves: isMove,
  restarts: isRestart,
  leftovers: isLeftover
}
const OF_KEYS: readonly Table[] = ['byTime', 'byName', 'byStatus', 'open']

function isKind(name: Table, value: unknown): boolean {
  if (OF_KEYS.includes(name)) return true
  if (name !== 'subs' && (typeof value !== 'object' || value === null)) return false
  return KINDS[name]?.(value as never) ?? true
}

/** What can still be said of it stays listed. */
function putStandIn(store: Store, [name, dagRunId]: PairKey): void {
  const stored = readRun(store, { name, dagRunId })
  if (stored) store.runs.putSync([name, dagRunId], { ...stored, record: { ...stored.record, error: UNREADABLE } })
}

/** That it was there, and that nobody knows what became of it. */
function putUnreadable(store: Store, key: NodeKey): void {
  const [name, dagRunId, place] = key
  const plan = planOf(store, readRun(store, { name, dagRunId })?.record.plan ?? '')?.plan
  const step = typeof place === 'number' ? plan?.steps[place]?.name : place
  store.nodes.putSync(key, { record: unreadableNode(step ?? `step ${Number(place) + 1}`) })
}

export const textOf = (key: Key): string => JSON.stringify(key)
