/**
 * How the previous engine on a home ended. While an engine has the store open, and longer if a check is pending, a marker file stands
 * next to it: `data/life`, JSON. An unclean shutdown may have been caused by a damaged page. Source: reliability P7.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf, isAlive, processIdentity } from '../../platform/process-identity.ts'
import { count, object, optional, type Shape } from '../../schema/schema.ts'
import { parsed } from '../../schema/walk.ts'

const mark = object({
  owner: optional(processIdentity),
  /** Number of consecutive earlier crashes within a minute of opening the store. */
  deaths: count,
  /**
   * `opening`: its runs are not open yet; `young`: open for less than a minute, `old`: for longer; `unread`: closed before the store was
   * checked completely, `damaged`: checked and found damaged.
   */
  state: { enum: ['opening', 'young', 'old', 'unread', 'damaged'] }
})
export type Mark = Shape<typeof mark>

export interface LastLife {
  /** Number of consecutive crashes within a minute, including the latest. */
  deaths: number
  /** Whether to check the store: before it is opened, or while the engine runs. Absent: not needed after a clean shutdown. */
  read?: 'before' | 'beside'
}

/** This many early crashes in a row are no coincidence; one during a start may be none. */
const SUSPICIOUS = 2

const pathIn = (dataDir: string) => join(dataDir, 'life')

// D884, D885: after an unclean end the store is read in a separate process
/** Undefined: an engine has the store open now. */
export function lastLife(dataDir: string): LastLife | undefined {
  const mark = readMark(dataDir)
  if (!mark) return { deaths: 0 }
  if (mark.owner && isAlive(mark.owner)) return undefined
  const { state } = mark
  const deaths = state === 'young' || state === 'opening' ? mark.deaths + 1 : 0
  const isSuspicious = state === 'damaged' || state === 'opening' || deaths >= SUSPICIOUS
  return { deaths, read: isSuspicious ? 'before' : 'beside' }
}

/** The current marker; an unreadable one was left by an engine that crashed while writing it. */
export function readMark(dataDir: string): Mark | undefined {
  let text: string
  try {
    text = readFileSync(pathIn(dataDir), 'utf8')
  } catch {
    return undefined // missing; or the store cannot be accessed either, which opening it reports
  }
  return parsed(mark, text) ?? { deaths: 0, state: 'young' }
}

/** @param mark undefined: nothing is pending */
export function writeMark(dataDir: string, mark: Mark | undefined): void {
  try {
    if (mark) writeFileSync(pathIn(dataDir), `${JSON.stringify(mark)}\n`, { mode: 0o600 })
    else rmSync(pathIn(dataDir), { force: true })
  } catch {
    // If the disk refuses this, it also refuses other writes, which are reported. Without the marker the next start assumes a clean
    // shutdown.
  }
}

/** A marker of this process. */
export function ownMark(deaths: number, state: Mark['state']): Mark {
  const owner = identityOf(process.pid)
  return { ...(owner ? { owner } : {}), deaths, state }
}

/** Whether the current marker belongs to this process. */
export const isOwn = (dataDir: string): boolean => readMark(dataDir)?.owner?.pid === process.pid
