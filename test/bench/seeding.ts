/**
 * A history of any length in a moment: one run of each definition is executed, and then stored again under other ids and
 * times through the store's own commit. So every record is a real one, and the indexes are those that an engine writes.
 * Left out are journals: no list, count or page reads them.
 */
import { join } from 'node:path'
import type { NodeRecord, RunKey, RunRecord } from '../../machines/vocabulary.ts'
import { createEngine } from '../../src/index.ts'
import { noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { nodesOf } from '../../src/store/history.ts'
import { openStore, type Store } from '../../src/store/open.ts'

/** Distance of the creation of two runs. */
const APART_MS = 20_000
const AT_ONCE = 2_000

/**
 * Stores `count` ended runs, shared out among the definitions in `fileNames` in turn, the newest a moment ago.
 * @param apartMs between the creation of one and of the next
 * @returns keys of the newest run of each
 */
export async function seedRuns(
  { home, dags }: { home: string; dags: string },
  fileNames: readonly string[],
  count: number,
  apartMs = APART_MS
): Promise<RunKey[]> {
  const engine = await createEngine({ home, dagsDir: dags, defaultShell: 'sh' })
  const first = await Promise.all(fileNames.map((fileName) => engine.start({ fileName })))
  const ended = await Promise.all(first.map((key) => engine.result(key)))
  const now = engine.now()
  await engine.close()
  const store = openStore(join(home, 'data'))
  try {
    const models = ended.map(({ run }) => ({ run, nodes: nodesOf(store, run) }))
    for (let from = 0; from < count; from += AT_ONCE) {
      const changes = noChanges()
      for (let n = from; n < Math.min(count, from + AT_ONCE); n++) {
        const model = models[n % models.length]
        if (!model) throw new Error('there is no definition to take a run from')
        const { run, nodes } = model
        const dagRunId = `seeded-${String(n).padStart(7, '0')}`
        const by = now - run.createdAt - (count - n) * apartMs
        const record = { ...moved(run, by), dagRunId, createdAt: run.createdAt + by }
        changes.runs.set(`${run.name}/${dagRunId}`, { value: { record, seq: 0 } })
        for (const [place, { record: node }] of nodes)
          changes.nodes.set(`${dagRunId}/${place}`, {
            key: [run.name, dagRunId, place],
            value: { record: moved(node, by) }
          })
      }
      await commit(store, [changes])
    }
    return ended.map(({ run }) => latestOf(store, run))
  } finally {
    await store.root.close()
  }
}

/** The same with its times moved. */
const moved = <R extends RunRecord | NodeRecord>(record: R, by: number): R => ({
  ...record,
  ...(record.startedAt === undefined ? {} : { startedAt: record.startedAt + by }),
  ...(record.finishedAt === undefined ? {} : { finishedAt: record.finishedAt + by })
})

function latestOf(store: Store, { name }: RunRecord): RunKey {
  const [key] = store.byName.getKeys({ start: [name, Number.MAX_SAFE_INTEGER, ''], reverse: true, limit: 1 })
  return { name, dagRunId: key?.[2] ?? '' }
}
