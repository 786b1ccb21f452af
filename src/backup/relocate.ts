/** Rewrites the absolute paths in stored records (logs) and plans (definitions) for another home. Source: api-semantics 10.3. */
import type { Database, Key } from 'lmdb'
import type { NodeRecord, RunRecord } from '../../machines/vocabulary.ts'
import { readEntry } from '../store/damage/damaged.ts'
import type { Store } from '../store/open.ts'

/** Old and new absolute folders. */
export type Moved = [from: string, to: string][]

// D864: a home restored to another place does not adopt running steps
/** In one transaction. Paths outside these folders (a `logDir` of a definition) are unchanged. */
export function relocate(store: Store, folders: Moved): void {
  const moved = folders.filter(([from, to]) => from !== to)
  if (moved.length === 0) return
  const path = (old: string) => {
    const folder = moved.find(([from]) => old === from || old.startsWith(`${from}/`))
    return folder ? folder[1] + old.slice(folder[0].length) : old
  }
  const runRecord = (record: RunRecord): RunRecord => ({
    ...record,
    log: path(record.log),
    nodeLogs: path(record.nodeLogs)
  })
  const nodeRecord = ({ stdout, stderr, ...record }: NodeRecord): NodeRecord => ({
    ...record,
    ...(stdout === undefined ? {} : { stdout: path(stdout) }),
    ...(stderr === undefined ? {} : { stderr: path(stderr) })
  })
  store.root.transactionSync(() => {
    change(store.runs, (value) => ({ ...value, record: runRecord(value.record) }))
    change(store.nodes, (value) => ({ ...value, record: nodeRecord(value.record) }))
    change(store.attempts, ({ record, nodes }) => ({
      record: runRecord(record),
      nodes: new Map(Array.from(nodes, ([place, node]) => [place, nodeRecord(node)]))
    }))
    // Steps run in the folder of their definition. The key of a text is only a name and is unchanged.
    change(store.plans, ({ plan, spec }) => ({
      plan: plan.sourceDir === undefined ? plan : { ...plan, sourceDir: path(plan.sourceDir) },
      spec
    }))
    change(store.leftovers, (value) => ({
      ...value,
      log: path(value.log),
      nodeLogs: value.nodeLogs.map(path),
      own: path(value.own)
    }))
  })
}

/** An unreadable one is unchanged. */
function change<V extends object, K extends Key>(table: Database<V, K>, changed: (value: V) => V): void {
  for (const key of [...table.getKeys()]) {
    const value = readEntry(table, key)
    const moved = value && unlessDamaged(() => changed(value))
    if (moved !== undefined) table.putSync(key, moved)
  }
}

function unlessDamaged<V>(make: () => V): V | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
