/**
 * The list of sessions, beside the cookies, for those who look after the server. Whether a session counts is said by its token and by
 * `signed-out.ts`, so a list that is lost costs nothing but the list. Source: docs/authentication.md "Sessions".
 */
import { join } from 'node:path'
import type { Clock } from '../../../clock.ts'
import { codeOf } from '../../../errors.ts'
import { readRegular } from '../../../platform/open-regular.ts'
import { array } from '../../../schema/schema.ts'
import { parsed } from '../../../schema/walk.ts'
import { type WrittenFile, writtenFile } from '../written-file.ts'
import { isMeant, type Session, type SessionFacts, session, type WantedSessions } from './session.ts'

export interface SessionList {
  /** Sessions that have not expired, the latest seen first. */
  all(): Session[]
  /** When a session began, as far as the list knows. */
  sinceOf(id: string): number | undefined
  /** A sign-in here. Resolves when it is on disk, or the failure was reported. */
  began(session: Session): Promise<void>
  /** A request with a session. */
  saw(facts: SessionFacts, seen: Omit<Session, keyof SessionFacts | 'lastSeenAt'>): void
  /** Takes sessions out of the list. @returns how many there were */
  drop(wanted: WantedSessions): number
}

const MOST_SESSIONS = 10_000
/** When sessions were last seen is written once in this time, with a request. */
const BETWEEN_WRITES_MS = 60_000

// D1448: the list of sessions is beside the cookies, in `sessions.json`
/** @param report called with what is wrong with the file: a sentence, and the cause */
export function sessionsIn(
  dataDir: string,
  clock: Clock,
  report: (sentence: string, cause: unknown) => void
): SessionList {
  const path = join(dataDir, 'sessions.json')
  const known = new Map(read().map((session) => [session.id, session]))
  const file: WrittenFile = writtenFile(path, (cause) =>
    report(`${path}: cannot be written: who is signed in would not be known after a restart`, cause)
  )
  let writtenAt = Number.NEGATIVE_INFINITY

  function read(): Session[] {
    try {
      const found = parsed(array(session), readRegular(path).toString())
      if (found) return found
      throw new Error('wanted a list of sessions, found something else')
    } catch (cause) {
      if (codeOf(cause) !== 'ENOENT') report(`${path}: who is signed in cannot be read: the list begins empty`, cause)
      return []
    }
  }

  const save = () => {
    writtenAt = clock.elapsed()
    return file.write(() => JSON.stringify([...known.values()]))
  }

  function keep(session: Session): void {
    known.delete(session.id) // the latest seen stand last
    known.set(session.id, session)
    if (known.size <= MOST_SESSIONS) return
    for (const { id, expiresAt } of known.values()) if (expiresAt <= clock.now()) known.delete(id)
    const [oldest] = known.keys()
    if (known.size > MOST_SESSIONS && oldest !== undefined) known.delete(oldest)
  }

  return {
    all: () => [...known.values()].filter(({ expiresAt }) => expiresAt > clock.now()).reverse(),
    sinceOf: (id) => known.get(id)?.since,
    began(session) {
      keep(session)
      return save()
    },
    saw(facts, seen) {
      const isNew = !known.has(facts.id)
      keep({ ...facts, ...seen, lastSeenAt: clock.now() })
      if (isNew || clock.elapsed() - writtenAt >= BETWEEN_WRITES_MS) void save()
    },
    drop(wanted) {
      const meant = [...known.values()].filter((session) => isMeant(session, wanted))
      for (const { id } of meant) known.delete(id)
      if (meant.length > 0) void save()
      return meant.length
    }
  }
}
