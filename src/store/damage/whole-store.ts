/**
 * Keeps an engine from crashing because of its store again and again. After an unclean shutdown the store is read completely in a
 * separate process: while the engine runs, so that nothing waits for it; or, after the second early crash in a row, before it is
 * opened. Unreadable entries are set aside; of a store that crashes its reader, a copy of what can be read is opened. Source: reliability
 * P7, P8, P11.
 */
import { inAWhile } from '../../clock.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'
import { isOwn, lastLife, type Mark, ownMark, readMark, writeMark } from '../disk/last-life.ts'
import { isDamaged, type Store } from '../open.ts'
import { salvage, salvagedWords } from './salvage.ts'
import { setAside } from './unreadable-entries.ts'
import { readAside, type Whole } from './whole.ts'

export interface WholeStore {
  /** Damage that forbids further writes to the store, as a sentence. */
  damage(): string | undefined
  /** The store is open, and owned by this engine. */
  opened(store: Store): void
  /** Runs of the previous engine are open again: now there is time to read. */
  recovered(): void
  closed(): void
  /** Opening it was abandoned. */
  abandoned(cause?: unknown): void
}

/** As in `log.ts`. */
export interface Log {
  warn(message: string, details?: Record<string, unknown>): void
  error(message: string, details?: Record<string, unknown>): void
}

/** A crash within this time after opening may be caused by the store. */
const YOUNG_MS = 60_000
/** Delay between recovery and the check, so that briefly opening a home costs nothing. */
const LATER_MS = 5_000
/** How long the starts after one and two deaths wait before the check of a large store goes on behind; later starts wait for it. */
const FIRST_PATIENCE_MS = 2_000
const PATIENCE_MS = 5_000
/** After this many crashes a partly unreadable store is not opened either. */
const MOST_DEATHS = 3
/** Maximum number of entries that are logged one by one. */
const LOGGED = 20

const REMEDY =
  'troupe doctor says what can be read; troupe restore DIR --replace puts a backup in its place, and sets this one aside'

// D884: after an unclean end the store is read in a separate process
/** Call before the store is opened. @throws TroupeError internal_error: it would crash its reader */
export async function wholeStore(dataDir: string, log: Log): Promise<WholeStore> {
  const last = lastLife(dataDir)
  // Another engine has the store open: opening it reports that, and which one.
  if (!last) return { damage: () => undefined, opened() {}, recovered() {}, closed() {}, abandoned() {} }
  const { deaths } = last
  const before = readMark(dataDir)
  const leaving = new AbortController()
  const reading = last.read === 'before' ? read(false) : undefined
  let found = reading && (await withPatience(reading))
  if (found && damageOf(found) !== undefined && (await isSalvaged(dataDir, log))) found = await read(false)
  if (found) refuseDeadly(found, deaths)
  let damage = found && damageOf(found)
  /** Whether the store still has to be checked. */
  let isUnread = last.read !== undefined && !found
  let store: Store | undefined
  let grows: (() => void) | undefined
  let waits: (() => void) | undefined

  function read(beside: boolean): Promise<Whole | undefined> {
    return readAside({ dataDir, reads: true, writes: !beside, beside }, leaving.signal).catch((error) => {
      log.warn('the store could not be read to its end', { error: messageOf(error) })
      return undefined
    })
  }

  async function withPatience(work: Promise<Whole | undefined>): Promise<Whole | undefined> {
    log.warn('the last engine on this home ended without a goodbye: its store is read to its end before it is opened', {
      deaths
    })
    const isEarly = last?.read === 'before' && deaths > 0 && deaths < MOST_DEATHS
    const done = await (isEarly ? sooner(work, deaths === 1 ? FIRST_PATIENCE_MS : PATIENCE_MS) : work)
    if (done && deaths >= MOST_DEATHS && done.refusals.length === 0 && !done.deadly)
      log.warn('engines on this home die early, and its store is in order: look for another cause', { deaths })
    return done
  }

  function take(whole: Whole): void {
    isUnread = false
    damage = damageOf(whole)
    if (damage !== undefined) {
      log.error(damage)
      mark('damaged')
    }
    for (const { table, key, cause } of whole.lost.slice(0, LOGGED))
      log.error('an entry of the store cannot be read: its bytes are kept', { table, key: JSON.stringify(key), cause })
    if (whole.lost.length > LOGGED)
      log.error(`${whole.lost.length - LOGGED} more entries cannot be read: see troupe doctor`)
    if (store && whole.lost.length > 0)
      try {
        setAside(store, whole.lost)
      } catch (error) {
        log.error('what cannot be read could not be set aside', { error: messageOf(error) })
      }
  }

  const mark = (state: Mark['state']) => writeMark(dataDir, ownMark(deaths, state))

  makeFolderAtOnce(dataDir, 0o700)
  mark('opening')
  return {
    damage: () => damage,
    opened(opened) {
      store = opened
      grows = inAWhile(YOUNG_MS, () => damage === undefined && isOwn(dataDir) && mark('old'))
      if (found) take(found)
      found = undefined
    },
    recovered() {
      if (damage === undefined && isOwn(dataDir)) mark('young')
      if (!isUnread || leaving.signal.aborted) return
      waits = inAWhile(LATER_MS, () => {
        void (reading ?? read(true)).then((whole) => whole && !leaving.signal.aborted && take(whole))
      })
    },
    closed() {
      leaving.abort()
      grows?.()
      waits?.()
      if (!isOwn(dataDir)) return // replaced by another home
      writeMark(
        dataDir,
        damage !== undefined ? { deaths, state: 'damaged' } : isUnread ? { deaths, state: 'unread' } : undefined
      )
    },
    abandoned(cause) {
      leaving.abort()
      if (isOwn(dataDir)) writeMark(dataDir, isDamaged(cause) ? { deaths, state: 'damaged' } : before)
    }
  }
}

/** Whether a copy of what can be read has taken the place of the store. */
async function isSalvaged(dataDir: string, log: Log): Promise<boolean> {
  try {
    const done = await salvage(dataDir)
    if (done) log.error(salvagedWords(done), { copied: JSON.stringify(done.copied) })
    return done !== undefined
  } catch (error) {
    log.error('what can be read of the damaged store could not be copied', { error: messageOf(error) })
    return false
  }
}

/** Undefined after this many ms. */
async function sooner<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let cancel = () => {}
  const late = new Promise<undefined>((resolve) => {
    cancel = inAWhile(ms, () => resolve(undefined))
  })
  const done = await Promise.race([work, late])
  cancel()
  return done
}

/** The remaining damage of a store that is opened nevertheless. */
function damageOf({ deadly, refusals }: Whole): string | undefined {
  const what = deadly ?? (refusals[0] === undefined ? undefined : `the store is damaged: ${refusals[0]}`)
  return what && `${what}; nothing is started on it: the next start copies what can be read to a new store; ${REMEDY}`
}

function refuseDeadly({ deadly, refusals }: Whole, deaths: number): void {
  const refused =
    deaths >= MOST_DEATHS && refusals[0] !== undefined ? `the store is damaged: ${refusals[0]}` : undefined
  const what = deadly ?? refused
  if (what === undefined) return
  const died =
    deaths > 0 ? `, and ${deaths} engine${deaths === 1 ? ' has' : 's have'} died within a minute of opening it` : ''
  throw new TroupeError('internal_error', `${what}${died}; nothing has been changed: ${REMEDY}`)
}
