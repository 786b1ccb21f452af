/** Stores that are not at their path: of an engine whose home was removed or replaced, and damaged ones. Source: reliability P1, P7. */
import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { salvagedIn, salvagedWords } from '../store/damage/salvage.ts'
import type { Finding, Premises } from './finding.ts'

/** Linux appends this to the path of an open file that was removed. */
const REMOVED = ' (deleted)'

// D881: an engine checks that its files are still at their paths
export function* lostFiles({ dataDir }: Pick<Premises, 'dataDir'>): Generator<Finding> {
  const places = [dataDir, realPlace(dataDir)].map((folder) => `${join(folder, 'troupe.mdb')}${REMOVED}`)
  for (const pid of processes())
    if (openIn(pid).some((path) => places.includes(path)))
      yield {
        check: 'store',
        severity: 'error',
        message: `the process with id ${pid} works on a store that was removed from ${dataDir}: what it stores is lost when it ends`,
        mending:
          'let what runs there end, stop it, and restore a backup (troupe restore DIR --replace); it starts nothing new'
      }
}

const processes = (): string[] => {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return [] // no /proc: no engine runs here either
  }
}

/** Files of other users and of processes that have ended meanwhile are invisible. */
function openIn(pid: string): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((file) => {
      try {
        return [readlinkSync(join(folder, file))]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}

/** The real path, as far as it exists. */
function realPlace(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const at = path.lastIndexOf('/')
    return at <= 0 ? path : join(realPlace(path.slice(0, at)), path.slice(at + 1))
  }
}

// D1628: a copy of what can be read takes the place of a damaged store
/** Damaged stores that a start has set aside. */
export function* setAsideStores({ dataDir }: Pick<Premises, 'dataDir'>): Generator<Finding> {
  for (const salvaged of salvagedIn(dataDir))
    yield {
      check: 'store',
      severity: 'warning',
      message: salvagedWords(salvaged),
      mending: `restore a backup (troupe restore DIR --replace) if that is not enough; once it is, remove ${salvaged.aside} and ${salvaged.aside}.json`
    }
}
