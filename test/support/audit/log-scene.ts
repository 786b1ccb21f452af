/** A real audit log over a real store, and its lines to be tampered with. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Audit } from '../../../src/audit/audit.ts'
import { maskOf } from '../../../src/audit/bounded.ts'
import type { NewEntry } from '../../../src/audit/entry.ts'
import { auditFiles } from '../../../src/audit/files.ts'
import { openTrail, type TrailOptions } from '../../../src/audit/trail.ts'
import type { Verdict } from '../../../src/audit/verify.ts'
import { verifiedHome } from '../../../src/audit/verify-home.ts'
import { systemClock } from '../../../src/clock.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { temporaryFolder } from '../homes.ts'

export const change = (n: number): NewEntry => ({
  principal: { kind: 'token', name: 'ci' },
  address: '192.0.2.7',
  door: 'api',
  operation: 'startDag',
  target: { fileName: `dag-${n}` },
  outcome: 'done',
  status: 200
})

export interface LogScene {
  dir: string
  store: Store
  /** Epoch ms, of all that is entered. */
  now: number
  reports: string[]
  open(options?: Partial<TrailOptions>): Audit
  /** Paths of the files. */
  files(): string[]
  /** All lines. */
  lines(): string[]
  /** Every line, over all files, is given to `edit`, which returns what stands there instead. */
  tamper(edit: (lines: string[]) => string[]): void
  verify(): Promise<Verdict>
  close(): Promise<void>
}

export function logScene(): LogScene {
  const folder = temporaryFolder()
  const store = openStore(join(folder, 'data'))
  const dir = join(folder, 'audit')
  /** Lines of each file, as they were written. */
  let counts: number[] | undefined
  const scene: LogScene = {
    dir,
    store,
    now: Date.UTC(2026, 2, 1, 12),
    reports: [],
    open: (options = {}) =>
      openTrail({
        dir,
        store,
        clock: { ...systemClock, now: () => scene.now },
        retentionDays: 0,
        strict: false,
        mask: maskOf({}),
        report: (sentence) => scene.reports.push(sentence),
        ...options
      }),
    files: () => auditFiles(dir).map(({ path }) => path),
    lines: () => scene.files().flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(0, -1)),
    tamper(edit) {
      counts ??= scene.files().map((path) => readFileSync(path, 'utf8').split('\n').length - 1)
      const edited = edit(scene.lines())
      scene.files().forEach((path, index, all) => {
        const isLast = index === all.length - 1
        const own = edited.splice(0, isLast ? edited.length : counts?.[index])
        writeFileSync(path, own.map((line) => `${line}\n`).join(''))
      })
    },
    verify: () => verifiedHome(dir, store),
    close: () => store.root.close()
  }
  return scene
}
