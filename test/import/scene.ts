/** The recorded home of Dagu in a folder of its own, and an import of it. */
import { cpSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { type DaguOptions, type ImportedHome, importDagu } from '../../src/import/dagu/import.ts'
import { PARTS } from '../../src/import/report.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'
import { RECORDED } from './dagu-home.ts'

/** A copy that a test may change. */
export function daguHome(): string {
  const home = join(temporaryFolder(), 'dagu')
  cpSync(RECORDED, home, { recursive: true })
  return home
}

export const importInto = (to: string, from: string, options: Partial<DaguOptions> = {}): Promise<ImportedHome> =>
  importDagu({
    config: readConfig({ home: to }, {}),
    clock: systemClock,
    home: from,
    only: new Set(PARTS),
    dryRun: false,
    overwrite: false,
    environment: {},
    ...options
  })

/** Entries of one part and kind, as `what: text`. */
export const said = ({ report }: ImportedHome, part: string, kind: string): string[] =>
  report.entries
    .filter((entry) => entry.part === part && entry.kind === kind)
    .map(({ what, line, text }) => `${what}${line === undefined ? '' : `:${line}`}: ${text}`)

/** Each file below a folder with its bytes and times. */
export function contentsOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    const stat = lstatSync(path)
    if (stat.isDirectory()) continue
    const bytes = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? readFileSync(path, 'base64') : ''
    found[name] = `${stat.mode} ${stat.mtimeMs} ${bytes}`
  }
  return found
}

export async function storeIn<T>(home: string, look: (store: Store) => T): Promise<T> {
  const store = openStore(join(home, 'data'), { readOnly: true })
  try {
    return look(store)
  } finally {
    await store.root.close()
  }
}

/** What a promise rejects with. */
export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

/** The status file of a run's only attempt. */
export function statusOf(home: string, dagRunId: string): string {
  const runs = join(home, 'data', 'dag-runs')
  const files = readdirSync(runs, { recursive: true, encoding: 'utf8' })
  return join(runs, files.find((name) => name.endsWith('status.jsonl') && name.includes(`_${dagRunId}/`)) ?? '')
}
