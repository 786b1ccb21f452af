/** What a request may change on disk, as something that two moments can be compared by. Source: reliability P21. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import type { Config } from '../../../src/config.ts'

export interface StateDigest {
  /** Every key and value of every database, by database, without versions of definitions: those follow from the files, when these are read. */
  store: Record<string, string>
  /** Every file of the definitions folder with its text. */
  definitions: Record<string, string>
  /** Suspend flags. */
  suspended: string[]
  /** Folders of runs below the log folder. */
  logs: string[]
}

/** Takes digests of the home of an open engine; `close` releases its store. */
export function stateDigests({ dataDir, logDir, dagsDir, home }: Config): {
  take(): StateDigest
  close(): Promise<void>
} {
  const root = open({ path: join(dataDir, 'troupe.mdb'), maxDbs: 16, readOnly: true, compression: false })
  let store: StateDigest['store'] = {}
  let at: unknown
  return {
    take() {
      const { lastTxnId } = root.getStats() as { lastTxnId?: unknown }
      if (lastTxnId === undefined || lastTxnId !== at) store = digestOf(root) // without a transaction nothing changes
      at = lastTxnId
      return {
        store,
        definitions: textsIn(dagsDir),
        suspended: namesIn(join(home, 'suspend')),
        logs: runFoldersIn(logDir)
      }
    },
    close: () => root.close()
  }
}

function digestOf(root: RootDatabase): StateDigest['store'] {
  const names = Array.from(root.getKeys(), String).filter((name) => name !== 'versions')
  return Object.fromEntries(
    names.map((name) => {
      const hash = createHash('sha256')
      const entries = root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' }).getRange()
      for (const { key, value } of entries) hash.update(JSON.stringify([key, value.toString('base64')]))
      return [name, hash.digest('base64')]
    })
  )
}

const textsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(namesIn(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

const runFoldersIn = (folder: string): string[] =>
  namesIn(folder).flatMap((dag) => namesIn(join(folder, dag)).map((run) => `${dag}/${run}`))

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : [])
