/** The hash under which an API key is stored. Source: docs/authentication.md "API keys". */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { StoredKey } from '../../store/stored.ts'

type Hash = StoredKey['hash']

const BYTES = 32
// D1442: keys are stored as scrypt hashes of 8 MiB, computed once after a start
/** 8 MiB. The secret has 256 bits, so a greater cost would protect nothing; it would keep the first requests after a start waiting. */
const COST = { N: 2 ** 13, r: 8, p: 1 }

const derive = promisify(
  (
    text: string,
    salt: Buffer,
    { N, r, p }: Omit<Hash, 'salt' | 'value'>,
    done: (e: Error | null, key: Buffer) => void
  ) => scrypt(text, salt, BYTES, { N, r, p, maxmem: 256 * N * r }, done)
)

export async function hashOf(text: string): Promise<Hash> {
  const salt = randomBytes(16)
  return { ...COST, salt: salt.toString('base64'), value: (await derive(text, salt, COST)).toString('base64') }
}

export async function fits(text: string, { salt, value, ...cost }: Hash): Promise<boolean> {
  const wanted = Buffer.from(value, 'base64')
  return wanted.length === BYTES && timingSafeEqual(await derive(text, Buffer.from(salt, 'base64'), cost), wanted)
}
