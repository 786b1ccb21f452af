/** Compares credentials in constant time. Source: reliability 5.1 "Credential guessing", 5.3 R11. */
import { createHash, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type BasicAuth, type ScryptHash, scryptHash } from '../../config.ts'

const derive = promisify(
  (password: string, { N, r, p, salt, hash }: ScryptHash, done: (error: Error | null, key: Buffer) => void) =>
    scrypt(password, salt, hash.length, { N, r, p, maxmem: 256 * N * r }, done)
)

export const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Takes the same time for all texts of one length, however much they agree. */
export const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digestOf(given), digestOf(wanted))

/** Tells whether a user and a password are those of the settings. */
export function passwordCheck({ username, password, passwordHash }: BasicAuth) {
  const hash = passwordHash && scryptHash(passwordHash.reveal())
  let turn: Promise<unknown> = Promise.resolve()
  let known: Buffer | undefined

  /** One at a time: each takes tens of milliseconds and megabytes. What fitted once is remembered by its digest. */
  async function fits(given: string, hash: ScryptHash): Promise<boolean> {
    const digest = digestOf(given)
    if (known && timingSafeEqual(known, digest)) return true
    const mine = turn.then(() => derive(given, hash))
    turn = mine.catch(() => undefined)
    const isGood = timingSafeEqual(await mine, hash.hash)
    if (isGood) known = digest
    return isGood
  }

  return async (user: string, given: string): Promise<boolean> => {
    const isUser = isSame(user, username)
    const isPassword = hash ? await fits(given, hash) : isSame(given, password?.reveal() ?? '')
    return isUser && isPassword
  }
}
