/**
 * A checksum before each entry. LMDB has none: of a disk that flips a bit it would hand out another status, another number, another
 * command as if that had been stored. Whoever reads an entry whose checksum is wrong finds one that cannot be read (`damaged.ts`).
 *
 *     `!`, CRC-32 of what follows (4 bytes, little-endian), the entry
 *
 * Entries of releases before store version 4 have none, and are read as they are. Source: reliability F11, F12, P7.
 */
import { crc32 } from 'node:zlib'

/** How values become bytes. `end`: bytes that count; the buffer may be longer. */
export interface Encoder<V> {
  encode(value: V): Buffer
  decode(bytes: Buffer, end: number): V
}

/** Also with one bit of it flipped no entry of before begins like this: to MessagePack it is a number or a text then, and no JSON. */
const MARK = 0x21
// D58
/** What it adds to an entry. */
export const SEAL_BYTES = 5

/** For lmdb, which may not say where the bytes end: then all of the buffer counts. */
export const sealed = <V>(inner: Encoder<V>) => ({
  encode(value: V): Buffer {
    const entry = inner.encode(value)
    const whole = Buffer.allocUnsafe(SEAL_BYTES + entry.length)
    whole[0] = MARK
    whole.writeUInt32LE(crc32(entry), 1)
    whole.set(entry, SEAL_BYTES)
    return whole
  },
  decode(bytes: Buffer, given?: unknown): V {
    const end = typeof given === 'number' ? given : bytes.length // lmdb passes options of its own, too
    if (bytes[0] !== MARK) return inner.decode(bytes, end)
    const entry = bytes.subarray(SEAL_BYTES, end)
    if (end < SEAL_BYTES || crc32(entry) !== bytes.readUInt32LE(1))
      throw new Error('its checksum is wrong: it is not what was stored')
    return inner.decode(entry, entry.length)
  }
})
