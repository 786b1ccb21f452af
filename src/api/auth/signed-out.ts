/**
 * Sessions that were ended before their tokens expire: kept in a file of the data folder, so that a restart does not bring them back.
 * Without a readable file it is unknown who had signed out, so everybody has to sign in again. Source: api-semantics 9.1 S6.
 */
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { codeOf } from '../../errors.ts'
import { readRegular } from '../../platform/open-regular.ts'

export interface SignedOut {
  /** @param issuedAt epoch ms */
  has(id: string, issuedAt: number): boolean
  /** Takes effect at once; resolves when it is on disk, or the failure was reported. @param expiresAt epoch ms: forgotten after that */
  add(id: string, expiresAt: number): Promise<void>
}

/** Content of the file. */
interface Stored {
  /** Tokens that were issued until then are invalid: epoch ms. */
  issuedAfter: number
  /** Expiry of each ended token by id, epoch ms. */
  ended: Record<string, number>
}

const MOST_SESSIONS = 10_000

// D278
/** Reads the file. @param report called with what is wrong with it: a sentence, and the cause */
export function signedOutIn(
  dataDir: string,
  clock: Clock,
  report: (sentence: string, cause: unknown) => void
): SignedOut {
  const path = join(dataDir, 'signed-out.json')
  let saving: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  const { issuedAfter, ended } = read()

  function read(): { issuedAfter: number; ended: Map<string, number> } {
    try {
      const { issuedAfter, ended } = storedIn(readRegular(path).toString())
      return { issuedAfter, ended: new Map(Object.entries(ended)) }
    } catch (cause) {
      const isMissing = codeOf(cause) === 'ENOENT'
      if (isMissing) return { issuedAfter: 0, ended: new Map() }
      report(`${path}: which sessions were ended cannot be read: everybody has to sign in again`, cause)
      const fresh = { issuedAfter: clock.now(), ended: new Map<string, number>() }
      void save(fresh)
      return fresh
    }
  }

  /** One write at a time: calls during a write share the next one. */
  function save(state: { issuedAfter: number; ended: ReadonlyMap<string, number> }): Promise<void> {
    next ??= saving.then(async () => {
      next = undefined
      try {
        await write(path, { issuedAfter: state.issuedAfter, ended: Object.fromEntries(state.ended) })
      } catch (cause) {
        report(`${path}: cannot be written: a session that was ended would count again after a restart`, cause)
      }
    })
    saving = next
    return next
  }

  return {
    has: (id, issuedAt) => issuedAt <= issuedAfter || ended.has(id),
    add(id, expiresAt) {
      for (const [other, at] of ended) if (at <= clock.now()) ended.delete(other)
      if (ended.size >= MOST_SESSIONS) ended.delete(soonest(ended))
      ended.set(id, expiresAt)
      return save({ issuedAfter, ended })
    }
  }
}

/** The one that expires first. */
const soonest = (ended: ReadonlyMap<string, number>): string =>
  [...ended].reduce((least, one) => (one[1] < least[1] ? one : least), ['', Number.POSITIVE_INFINITY])[0]

/** @throws Error when it is something else */
function storedIn(text: string): Stored {
  const { issuedAfter, ended } = JSON.parse(text)
  const isWhole =
    typeof issuedAfter === 'number' &&
    typeof ended === 'object' &&
    ended !== null &&
    Object.values(ended).every((at) => typeof at === 'number')
  if (!isWhole) throw new Error('wanted {issuedAfter, ended: {id: expiresAt}}, found something else')
  return { issuedAfter, ended }
}

/** The file is the old one or the new one, never a part. */
async function write(path: string, stored: Stored): Promise<void> {
  const next = `${path}.next`
  const file = await open(next, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(stored))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(next, path)
}
