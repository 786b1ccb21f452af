/**
 * Keeps an engine from dying of its store again and again. When the last engine ended without a goodbye the store is read to its end in a
 * process of its own: beside the engine, so that nobody waits for it; before it is opened when that was the second early end in a row.
 * What cannot be read is set aside; a store that ends its reader is not opened. Source: reliability P7, P8, P11.
 */
import { inAWhile } from '../../clock.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'
import { isOwn, lastLife, type Mark, ownMark, readMark, writeMark } from '../disk/last-life.ts'
import type { Store } from '../open.ts'
import { setAside } from './unreadable-entries.ts'
import { readAside, type Whole } from './whole.ts'

export interface WholeStore {
  /** What of the store is damaged so that nothing more should be stored in it, as a sentence. */
  damage(): string | undefined
  /** The store is open, and this engine's alone. */
  opened(store: Store): void
  /** Runs of the last engine are open again: now there is time to read. */
  recovered(): void
  /** It is closed. */
  closed(): void
  /** It was not opened after all. */
  givenUp(): void
}

/** As in `log.ts`. */
export interface Tell {
  warn(message: string, details?: Record<string, unknown>): void
  error(message: string, details?: Record<string, unknown>): void
}

/** An end within this time of the opening may come from the opening. */
const YOUNG_MS = 60_000
/** Between the recovery and a look at the rest: whoever opens a home for a moment pays nothing for it. */
const LATER_MS = 5_000
/** So long the second start waits for a large store, then the reading goes on beside it; later ones wait until it is done. */
const PATIENCE_MS = 5_000
/** Deaths after which nothing is left to chance: a store that is only readable in parts is not opened either. */
const MOST_DEATHS = 3
/** Entries that are told of one by one. */
const TOLD = 20

const MENDING =
  'troupe doctor says what can be read; troupe restore DIR --replace puts a backup in its place, and sets this one aside'

// D884
/** To be called before the store is opened. @throws TroupeError internal_error: it would end whoever reads it */
export async function wholeStore(dataDir: string, tell: Tell): Promise<WholeStore> {
  const last = lastLife(dataDir)
  // Another engine has it open: the store says so, too, and whose it is.
  if (!last) return { damage: () => undefined, opened() {}, recovered() {}, closed() {}, givenUp() {} }
  const { deaths } = last
  const before = readMark(dataDir)
  const leaving = new AbortController()
  const reading = last.read === 'before' ? read(false) : undefined
  let found = reading && (await withPatience(reading))
  if (found) refuseDeadly(found, deaths)
  let damage = found && damageOf(found)
  /** Whether it is still to be read to its end. */
  let isUnread = last.read !== undefined && !found
  let store: Store | undefined
  let grows: (() => void) | undefined
  let waits: (() => void) | undefined

  function read(beside: boolean): Promise<Whole | undefined> {
    return readAside({ dataDir, reads: true, writes: !beside, beside }, leaving.signal).catch((error) => {
      tell.warn('the store could not be read to its end', { error: messageOf(error) })
      return undefined
    })
  }

  async function withPatience(work: Promise<Whole | undefined>): Promise<Whole | undefined> {
    tell.warn(
      'the last engine on this home ended without a goodbye: its store is read to its end before it is opened',
      {
        deaths
      }
    )
    const done = await (deaths === MOST_DEATHS - 1 ? sooner(work, PATIENCE_MS) : work)
    if (done && deaths >= MOST_DEATHS && done.refusals.length === 0 && !done.deadly)
      tell.warn('engines on this home die early, and its store is in order: look for another cause', { deaths })
    return done
  }

  function take(whole: Whole): void {
    isUnread = false
    damage = damageOf(whole)
    if (damage !== undefined) {
      tell.error(damage)
      mark('damaged')
    }
    for (const { table, key, cause } of whole.lost.slice(0, TOLD))
      tell.error('an entry of the store cannot be read: its bytes are kept', { table, key: JSON.stringify(key), cause })
    if (whole.lost.length > TOLD)
      tell.error(`${whole.lost.length - TOLD} more entries cannot be read: see troupe doctor`)
    if (store && whole.lost.length > 0)
      try {
        setAside(store, whole.lost)
      } catch (error) {
        tell.error('what cannot be read could not be set aside', { error: messageOf(error) })
      }
  }

  const mark = (state: Mark['state']) => writeMark(dataDir, ownMark(deaths, state))

  makeFolderAtOnce(dataDir, 0o700)
  mark('young')
  return {
    damage: () => damage,
    opened(opened) {
      store = opened
      mark('young')
      grows = inAWhile(YOUNG_MS, () => damage === undefined && isOwn(dataDir) && mark('old'))
      if (found) take(found)
      found = undefined
    },
    recovered() {
      if (!isUnread || leaving.signal.aborted) return
      waits = inAWhile(LATER_MS, () => {
        void (reading ?? read(true)).then((whole) => whole && !leaving.signal.aborted && take(whole))
      })
    },
    closed() {
      leaving.abort()
      grows?.()
      waits?.()
      if (!isOwn(dataDir)) return // another home has taken its place
      writeMark(
        dataDir,
        damage !== undefined ? { deaths, state: 'damaged' } : isUnread ? { deaths, state: 'unread' } : undefined
      )
    },
    givenUp() {
      leaving.abort()
      if (isOwn(dataDir)) writeMark(dataDir, before)
    }
  }
}

/** Undefined after so many ms. */
async function sooner<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let cancel = () => {}
  const late = new Promise<undefined>((resolve) => {
    cancel = inAWhile(ms, () => resolve(undefined))
  })
  const done = await Promise.race([work, late])
  cancel()
  return done
}

/** What is left to say of it, when it is opened all the same. */
function damageOf({ deadly, refusals }: Whole): string | undefined {
  const what = deadly ?? (refusals[0] === undefined ? undefined : `the store is damaged: ${refusals[0]}`)
  return what && `${what}; nothing is started on it: ${MENDING}`
}

function refuseDeadly({ deadly, refusals }: Whole, deaths: number): void {
  const refused =
    deaths >= MOST_DEATHS && refusals[0] !== undefined ? `the store is damaged: ${refusals[0]}` : undefined
  const what = deadly ?? refused
  if (what === undefined) return
  const died =
    deaths > 0 ? `, and ${deaths} engine${deaths === 1 ? ' has' : 's have'} died within a minute of opening it` : ''
  throw new TroupeError('internal_error', `${what}${died}; nothing has been changed: ${MENDING}`)
}
