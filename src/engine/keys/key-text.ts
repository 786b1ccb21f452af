/**
 * The text of an API key: `troupe_`, an id of 10 characters, `_`, 43 of the secret, and 6 of a checksum, by which a program that looks
 * for secrets in files can tell it from a text that only looks like one. Source: docs/authentication.md "API keys".
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import type { StoredKey } from '../../store/stored.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^(troupe_([0-9A-Za-z]{10})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
const ID = 10
/** 32 random bytes. */
const SECRET = 43
const CHECKSUM = 6

/** A number in 62 digits. */
function written(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = `${DIGITS[Number(rest % 62n)]}${text}`
  return text
}

/** Without modulo bias that matters: 8 bytes more than the id has. */
const random = (bytes: number, length: number) => written(BigInt(`0x${randomBytes(bytes).toString('hex')}`), length)

const checksum = (text: string) => written(BigInt(crc32(text)), CHECKSUM)

// D1441: the text of a key is `troupe_`, an id, a secret of 256 bits and a checksum
export function newKeyText(): { id: string; text: string } {
  const id = random(16, ID)
  const text = `troupe_${id}_${random(32, SECRET)}`
  return { id, text: text + checksum(text) }
}

/** The id in a text that has the form of a key, and its checksum; undefined: it is none. */
export function idIn(text: string): string | undefined {
  if (!text.startsWith('troupe_')) return undefined
  const [, signed = '', id, sum] = FORM.exec(text) ?? []
  return id !== undefined && checksum(signed) === sum ? id : undefined
}

/** The hash under which an API key is stored. Source: docs/authentication.md "API keys". */
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
