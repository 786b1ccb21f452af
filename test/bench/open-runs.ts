/**
 * A home as an engine leaves it that died with many open runs: one run of each kind was really begun, and is stored again under other
 * ids, with the records of its processes. Left out are journals of the copies: recovery reads the latest number of each, no more.
 */
import { cpSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { RunKey } from '../../machines/vocabulary.ts'
import { createEngine } from '../../src/index.ts'
import { noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { nodesOf } from '../../src/store/history.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import type { StoredNode, StoredRun } from '../../src/store/stored.ts'

/** How the step of a run was when the engine died: it has ended since, its outcome is unknown, or it waits in a queue. */
export const KINDS = ['ended', 'cut', 'queued'] as const
export type Kind = (typeof KINDS)[number]

const AT_ONCE = 1_000
/** Distance of the creation of two runs. */
const APART_MS = 1_000
const LIMIT_MS = 20_000

/** Definitions that `seedOpenRuns` begins runs of. A file `go` beside them ends the steps. */
export const openDefinitions = (): Record<Kind, string> => ({
  ended: 'maxActiveRuns: -1\nsteps:\n  - name: s1\n    command: while [ ! -e "$GO" ]; do sleep 0.05; done\nparams: GO=',
  cut: 'maxActiveRuns: -1\nsteps:\n  - name: s1\n    command: while [ ! -e "$GO" ]; do sleep 0.05; done\nparams: GO=',
  queued: 'queue: narrow\nmaxActiveRuns: 4\nsteps:\n  - name: s1\n    command: "true"\n'
})

/** @param counts open runs of each kind */
export async function seedOpenRuns(
  { home, dags }: { home: string; dags: string },
  counts: Record<Kind, number>
): Promise<void> {
  const go = join(home, 'go')
  const engine = await createEngine({ home, dagsDir: dags, defaultShell: 'sh', holdQueues: true })
  const params = `GO=${go}`
  const models: Record<Kind, RunKey> = {
    ended: await engine.start({ fileName: 'ended', params }),
    cut: await engine.start({ fileName: 'cut', params }),
    queued: await engine.enqueue({ fileName: 'queued' })
  }
  const log = (key: RunKey) => engine.record(key)?.nodeLogs ?? ''
  const folders = [log(models.ended), log(models.cut)].map((path) => (existsSync(path) ? path : dirname(path)))
  await until('the steps to begin', () => folders.every((folder) => stateIn(folder) !== undefined))
  await engine.close() // which leaves running steps alone
  writeFileSync(go, '')
  await until('the steps to end', () => folders.every((folder) => linesOf(folder).length >= 2))
  // Its holder has died with the engine: that it began is all there is.
  const cut = stateIn(folders[1] ?? '') ?? ''
  truncateSync(cut, (linesOf(folders[1] ?? '')[0] ?? '').length + 1)
  const store = openStore(join(home, 'data'))
  try {
    for (const kind of KINDS) await copied(store, models[kind], kind, counts[kind] - 1)
  } finally {
    await store.root.close()
  }
}

async function copied(store: Store, model: RunKey, kind: Kind, count: number): Promise<void> {
  const run = store.runs.get([model.name, model.dagRunId])
  if (!run) throw new Error(`no open run of ${kind}`)
  const nodes = nodesOf(store, model)
  const folder = dirname(run.record.log)
  for (let from = 0; from < count; from += AT_ONCE) {
    const changes = noChanges()
    for (let n = from; n < Math.min(count, from + AT_ONCE); n++) {
      const dagRunId = `${kind}-${String(n).padStart(7, '0')}`
      const other = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(model.dagRunId, dagRunId)) as T
      const copy = other<StoredRun>(run)
      const { record } = copy
      const order = record.order === undefined ? {} : { order: record.order + n + 1 }
      const created = { createdAt: record.createdAt - (count - n) * APART_MS }
      changes.runs.set(dagRunId, { value: { ...copy, record: { ...record, ...order, ...created } } })
      for (const [place, node] of nodes)
        changes.nodes.set(`${dagRunId}/${place}`, {
          key: [model.name, dagRunId, place],
          value: other<StoredNode>(node)
        })
      if (kind !== 'queued') cpSync(folder, other(folder), { recursive: true, preserveTimestamps: true })
    }
    await commit(store, [changes])
  }
}

const stateIn = (folder: string): string | undefined => {
  const name = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.state'))
    : undefined
  return name && join(folder, name)
}

const linesOf = (folder: string): string[] => {
  const path = stateIn(folder)
  return path === undefined ? [] : readFileSync(path, 'utf8').split('\n').slice(0, -1)
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const limit = performance.now() + LIMIT_MS; !holds(); await pause(20))
    if (performance.now() > limit) throw new Error(`waited ${LIMIT_MS / 1000} s for ${what}`)
}
