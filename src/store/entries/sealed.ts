/**
 * A checksum before each entry. LMDB has none: after a bit flip on disk it would return another status, another number, another
 * command as if that had been stored. An entry with a wrong checksum counts as unreadable (`damaged.ts`).
 *
 *     `!`, CRC-32 of what follows (4 bytes, little-endian), the entry
 *
 * Entries of releases before store version 4 have no checksum, and can be read. Source: reliability F11, F12, P7.
 */
import { crc32 } from 'node:zlib'

/** Encodes values as bytes. `end`: number of valid bytes; the buffer may be longer. */
export interface Encoder<V> {
  encode(value: V): Buffer
  decode(bytes: Buffer, end: number): V
}

/** No older entry starts like this, even with one bit flipped: in MessagePack it would be a number or a text, and it is not JSON. */
const MARK = 0x21
// D58: each entry of the store has a checksum
/** Bytes that it adds to an entry. */
export const SEAL_BYTES = 5

/** For lmdb, which may not pass the end: then the whole buffer is valid. */
export const sealed = <V>(inner: Encoder<V>) => ({
  encode(value: V): Buffer {
    const entry = inner.encode(value)
    const whole = Buffer.allocUnsafe(SEAL_BYTES + entry.length)
    whole[0] = MARK
    whole.writeUInt32LE(crc32(entry), 1)
    whole.set(entry, SEAL_BYTES)
    return whole
  },
  decode(bytes: Buffer, options?: unknown): V {
    const end = typeof options === 'number' ? options : bytes.length // lmdb may also pass its own options
    if (bytes[0] !== MARK) return inner.decode(bytes, end)
    const entry = bytes.subarray(SEAL_BYTES, end)
    if (end < SEAL_BYTES || crc32(entry) !== bytes.readUInt32LE(1))
      throw new Error('its checksum is wrong: it is not what was stored')
    return inner.decode(entry, entry.length)
  }
})
