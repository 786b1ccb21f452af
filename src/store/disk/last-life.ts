/**
 * How the last engine on a home ended. A mark stands beside the store as long as an engine has it open, and longer when something of it
 * is left to be done: `data/life`, JSON. Who ended without a goodbye may have been ended by a damaged page. Source: reliability P7.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf, isAlive, type ProcessIdentity } from '../../platform/process-identity.ts'

export interface Mark {
  owner?: ProcessIdentity
  /** Lives in a row, before this one, that ended within a minute of opening the store and without a goodbye. */
  deaths: number
  /**
   * `young`: open for less than a minute, `old`: for more; `unread`: closed before the store had been read to its end, `damaged`: it has
   * been, and it is damaged.
   */
  state: 'young' | 'old' | 'unread' | 'damaged'
}

export interface LastLife {
  /** Lives in a row that ended within a minute, the last one included. */
  deaths: number
  /** Whether the store is to be read to its end: before it is opened, or beside the engine. Absent: it was closed. */
  read?: 'before' | 'beside'
}

/** So many early ends in a row are no coincidence. */
const SUSPICIOUS = 2

const STATES: readonly unknown[] = ['young', 'old', 'unread', 'damaged'] satisfies Mark['state'][]
const pathIn = (dataDir: string) => join(dataDir, 'life')

// D884, D885
/** Undefined: an engine has the store open at this moment. */
export function lastLife(dataDir: string): LastLife | undefined {
  const mark = readMark(dataDir)
  if (!mark) return { deaths: 0 }
  if (mark.owner && isAlive(mark.owner)) return undefined
  const deaths = mark.state === 'young' ? mark.deaths + 1 : 0
  return { deaths, read: mark.state === 'damaged' || deaths >= SUSPICIOUS ? 'before' : 'beside' }
}

/** What stands there; a mark that cannot be read is that of an engine that was ended while it wrote it. */
export function readMark(dataDir: string): Mark | undefined {
  let text: string
  try {
    text = readFileSync(pathIn(dataDir), 'utf8')
  } catch {
    return undefined // there is none; or the store beside it cannot be reached either, and says so
  }
  try {
    const mark = JSON.parse(text) as Mark
    if (Number.isSafeInteger(mark.deaths) && mark.deaths >= 0 && STATES.includes(mark.state)) return mark
  } catch {
    // As below.
  }
  return { deaths: 0, state: 'young' }
}

/** @param mark undefined: nothing is left to be done */
export function writeMark(dataDir: string, mark: Mark | undefined): void {
  try {
    if (mark) writeFileSync(pathIn(dataDir), `${JSON.stringify(mark)}\n`, { mode: 0o600 })
    else rmSync(pathIn(dataDir), { force: true })
  } catch {
    // A disk that refuses it refuses what is stored, too, and that is told. Without the mark the next start believes in a goodbye.
  }
}

/** A mark of this process. */
export function ownMark(deaths: number, state: Mark['state']): Mark {
  const owner = identityOf(process.pid)
  return { ...(owner ? { owner } : {}), deaths, state }
}

/** Whether the mark that stands there is that of this process. */
export const isOwn = (dataDir: string): boolean => readMark(dataDir)?.owner?.pid === process.pid
