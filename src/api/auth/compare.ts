/** Compares credentials in constant time. Source: reliability 5.1 "Credential guessing", 5.3 R11. */
import { createHash, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type BasicAuth, type ScryptHash, scryptHash } from '../../config.ts'
import { ShareTaken } from '../../errors.ts'

/** Passwords and keys of one address that wait to be checked. */
const MOST_WAITING = 32

const derive = promisify(
  (password: string, { N, r, p, salt, hash }: ScryptHash, done: (error: Error | null, key: Buffer) => void) =>
    scrypt(password, salt, hash.length, { N, r, p, maxmem: 256 * N * r }, done)
)

export const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Takes the same time for all texts of one length, however much they agree. */
export const isSame = (input: string, wanted: string): boolean => timingSafeEqual(digestOf(input), digestOf(wanted))

/**
 * Checks a user and a password against the settings.
 * @param inTurn of the hashes of a server; default: of this password alone
 */
export function passwordCheck({ username, password, passwordHash }: BasicAuth, inTurn = turns()) {
  const hash = passwordHash && scryptHash(passwordHash.reveal())
  let known: Buffer | undefined

  /** An input that fitted once is remembered by its digest: it waits for nobody, however many guess meanwhile. */
  async function fits(input: string, hash: ScryptHash, address: string): Promise<boolean> {
    const digest = digestOf(input)
    const isKnown = () => known !== undefined && timingSafeEqual(known, digest)
    if (isKnown()) return true
    return inTurn(address, async () => {
      if (isKnown()) return true
      const isGood = timingSafeEqual(await derive(input, hash), hash.hash)
      if (isGood) known = digest
      return isGood
    })
  }

  /**
   * @param address of the caller; default: that of all others that give none
   * @throws ShareTaken: too many of this address wait
   */
  return async (user: string, input: string, address = ''): Promise<boolean> => {
    const isUser = isSame(user, username)
    const isPassword = hash ? await fits(input, hash, address) : isSame(input, password?.reveal() ?? '')
    return isUser && isPassword
  }
}

/** Comparisons follow one another: each takes tens of milliseconds. Addresses take turns: one that guesses holds up itself alone. */
export function turns() {
  const waiting = new Map<string, (() => void)[]>()
  let isBusy = false

  function next(): void {
    const [first] = waiting
    isBusy = first !== undefined
    if (!first) return
    const [address, queue] = first
    const begin = queue.shift()
    waiting.delete(address)
    if (queue.length > 0) waiting.set(address, queue) // behind the others
    begin?.()
  }

  return async <T>(address: string, work: () => Promise<T>): Promise<T> => {
    if (isBusy) {
      const queue = waiting.get(address) ?? []
      if (queue.length >= MOST_WAITING)
        throw new ShareTaken(
          `${MOST_WAITING} passwords and keys of this address wait to be checked: ask again in a moment`
        )
      waiting.set(address, queue)
      await new Promise<void>((resolve) => queue.push(resolve))
    }
    isBusy = true
    try {
      return await work()
    } finally {
      next()
    }
  }
}
