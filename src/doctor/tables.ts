/** Reads every entry of the store once. An unreadable one is set aside: its bytes are kept. Source: reliability P7. */
import type { Database, Key } from 'lmdb'
import { keepBytes, readRun, unreadableNode } from '../store/damage/damaged.ts'
import { putStandIn, TABLES, type Table, unreadableIn } from '../store/damage/unreadable-entries.ts'
import { planOf } from '../store/history.ts'
import type { NodeKey, PairKey, Store } from '../store/open.ts'
import type { Finding } from './finding.ts'
import type { Reads } from './reads.ts'

/** What is lost with an entry of each table. */
const LOSSES = {
  runs: 'the run is listed as failed; its steps and its journal are kept',
  nodes: 'the step of that run is shown as failed, state unreadable, until its status is set by hand',
  calls: 'the sub runs of that step are listed with their root run only',
  items: 'that item of a step with each is called again when the step is',
  attempts: 'an earlier attempt of that run cannot be looked at',
  journal: 'one transition is missing in the history of that run',
  checkpoints: 'nothing: looks into the past of that run take longer',
  plans: 'runs of that text are shown without their steps, and cannot be retried',
  byTime: 'nothing: it is rebuilt from the runs',
  byName: 'nothing: it is rebuilt from the runs',
  byStatus: 'nothing: it is rebuilt from the runs',
  subs: 'nothing: it is rebuilt from the runs',
  open: 'nothing: it is rebuilt from the runs',
  feed: 'one event is missing in the stream of all runs',
  moves: 'a rename that was interrupted is not finished',
  decisions: 'one decision of the scheduler cannot be looked at',
  slots: 'what the scheduler had decided for that definition is decided again',
  restarts: 'a scheduled restart is not finished',
  leftovers: 'the files of a removed run stay',
  workers: 'that worker is unknown until it says hello again',
  versions: 'an earlier text of that definition cannot be looked at',
  deliveries: 'one event is not delivered to its target',
  keys: 'that API key lets nobody in: make another one',
  asks: 'a start that is asked for again with that idempotency key makes a second run'
} as const satisfies Record<Table, string>

export const unreadableEntries = (store: Store, reads: Reads): Finding[] =>
  TABLES.flatMap((table) => reads.all(() => findingsIn(store, table)))

function* findingsIn(store: Store, table: Table): Generator<Finding> {
  for (const { key, cause } of unreadableIn(store, table))
    yield {
      check: 'store',
      severity: 'error',
      message: `entry ${textOf(key)} of table ${table} cannot be read: ${cause}`,
      mending: `restore a backup, or set it aside (${LOSSES[table]})`,
      fix() {
        keepBytes(store, table, key)
        // `key` is one of the table.
        if (table === 'runs') putStandIn(store, key as PairKey)
        else if (table === 'nodes') putUnreadable(store, key as NodeKey)
        else (store[table] as Database<unknown, Key>).removeSync(key)
      }
    }
}

/** The entry in its place: it existed, and its outcome is unknown. */
function putUnreadable(store: Store, key: NodeKey): void {
  const [name, dagRunId, place] = key
  const plan = planOf(store, readRun(store, { name, dagRunId })?.record.plan ?? '')?.plan
  const step = typeof place === 'number' ? plan?.steps[place]?.name : place
  store.nodes.putSync(key, { record: unreadableNode(step ?? `step ${Number(place) + 1}`) })
}

export const textOf = (key: Key): string => JSON.stringify(key)
