/**
 * Sessions that were ended before their tokens expire: kept in a file of the data folder, so that a restart does not bring them back.
 * Without a readable file it is unknown who had signed out, so everybody has to sign in again. Source: api-semantics 9.1 S6.
 */
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { codeOf } from '../../errors.ts'
import { readRegular } from '../../platform/open-regular.ts'
import type { SessionFacts, WantedSessions } from './sessions/session.ts'
import { writtenFile } from './written-file.ts'

export interface SignedOut {
  has(session: SessionFacts): boolean
  /** Takes effect at once; resolves when it is on disk, or the failure was reported. @param expiresAt epoch ms until which it matters */
  add(wanted: WantedSessions, expiresAt?: number): Promise<void>
  /** Whether a logout token with this id was used before; notes it until then. @param until epoch ms */
  isReplay(jti: string, until: number): boolean
}

/** Instants, epoch ms, by what they are about. */
type Instants = Map<string, number>

/** Content of the file. Earlier releases know the first two members. */
interface Ended {
  /** Sessions that began until then are over. */
  issuedAfter: number
  /** Expiry of each ended token by id. */
  ended: Instants
  /** Sessions of a person that began until then are over. */
  people: Instants
  /** Sessions of a person that know no `sid`, and that began until then, are over. */
  peopleWithoutSid: Instants
  /** Sessions of the provider that are over, and since when. */
  sids: Instants
  /** Logout tokens that were used, and until when that matters. */
  used: Instants
}

const LISTS = ['ended', 'people', 'peopleWithoutSid', 'sids', 'used'] as const
const MOST = 10_000

// D278: ended sessions are kept in `signed-out.json`
/** Reads the file. @param report called with what is wrong with it: a sentence, and the cause */
export function signedOutIn(
  dataDir: string,
  clock: Clock,
  report: (sentence: string, cause: unknown) => void
): SignedOut {
  const path = join(dataDir, 'signed-out.json')
  const file = writtenFile(path, (cause) =>
    report(`${path}: cannot be written: a session that was ended would count again after a restart`, cause)
  )
  const state = read()

  function read(): Ended {
    try {
      return storedIn(readRegular(path).toString())
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return nothing(0)
      report(`${path}: which sessions were ended cannot be read: everybody has to sign in again`, cause)
      const fresh = nothing(clock.now())
      void file.write(() => textOf(fresh))
      return fresh
    }
  }

  // D1449: sessions of a person are ended by the time at which they began
  const reaches = (instants: Instants, key: string, since: number) => since <= (instants.get(key) ?? -1)

  return {
    has({ id, subject, sid, since }) {
      if (since <= state.issuedAfter || state.ended.has(id) || reaches(state.people, subject, since)) return true
      return sid === undefined ? reaches(state.peopleWithoutSid, subject, since) : state.sids.has(sid)
    },
    add(wanted, expiresAt = Number.POSITIVE_INFINITY) {
      const now = clock.now()
      if (wanted === 'all') state.issuedAfter = Math.max(state.issuedAfter, now)
      else if ('session' in wanted) {
        for (const [other, at] of state.ended) if (at <= now) state.ended.delete(other)
        if (state.ended.size >= MOST) state.ended.delete(soonest(state.ended))
        state.ended.set(wanted.session, expiresAt)
      } else if ('sid' in wanted) {
        note(state.sids, wanted.sid, now)
        if (wanted.subject !== undefined) note(state.peopleWithoutSid, wanted.subject, now)
      } else note(state.people, wanted.subject, now)
      return file.write(() => textOf(state))
    },
    isReplay(jti, until) {
      for (const [other, at] of state.used) if (at <= clock.now()) state.used.delete(other)
      if (state.used.has(jti)) return true
      note(state.used, jti, until)
      return false
    }
  }
}

/** The latest stand last; of too many, the oldest is dropped. */
function note(instants: Instants, key: string, at: number): void {
  instants.delete(key)
  const [oldest] = instants.keys()
  if (instants.size >= MOST && oldest !== undefined) instants.delete(oldest)
  instants.set(key, at)
}

/** The one that expires first. */
const soonest = (ended: Instants): string =>
  [...ended].reduce((least, one) => (one[1] < least[1] ? one : least), ['', Number.POSITIVE_INFINITY])[0]

const nothing = (issuedAfter: number): Ended => ({
  issuedAfter,
  ended: new Map(),
  people: new Map(),
  peopleWithoutSid: new Map(),
  sids: new Map(),
  used: new Map()
})

const textOf = (state: Ended) =>
  JSON.stringify({
    issuedAfter: state.issuedAfter,
    ...Object.fromEntries(
      LISTS.filter((list) => list === 'ended' || state[list].size > 0).map((list) => [
        list,
        Object.fromEntries(state[list])
      ])
    )
  })

/** @throws Error when it is something else */
function storedIn(text: string): Ended {
  const found: Record<string, unknown> = Object(JSON.parse(text))
  const { issuedAfter } = found
  if (typeof issuedAfter !== 'number' || !isInstants(found.ended)) throw strange()
  const lists = LISTS.map((list): [string, Instants] => {
    const instants = found[list] ?? {}
    if (!isInstants(instants)) throw strange()
    return [list, new Map(Object.entries(instants))]
  })
  return { ...nothing(issuedAfter), ...Object.fromEntries(lists) }
}

const strange = () => new Error('wanted {issuedAfter, ended: {id: expiresAt}}, found something else')

const isInstants = (input: unknown): input is Record<string, number> =>
  typeof input === 'object' && input !== null && Object.values(input).every((at) => typeof at === 'number')
