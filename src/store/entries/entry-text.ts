/**
 * How runs and nodes are stored: as JSON. Where no entry depends on another one MessagePack spells out the names of members, too: it
 * takes a fifth less room, twice as long to write and up to twice as long to read. Entries of releases before store version 3 are
 * MessagePack, and are read as they are. Source: architecture 1, 5.
 */
import type { Encoder } from './sealed.ts'

/** `{`: no map of MessagePack begins with it. */
const OBJECT = 0x7b

// D39
/** For values that JSON can hold. @param older reads what earlier releases have stored @param checked throws for what is no such entry */
export const entryText = <V extends object>(older: Encoder<unknown>, checked: (value: unknown) => V): Encoder<V> => ({
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes, end) =>
    checked(bytes[0] === OBJECT ? JSON.parse(bytes.toString('utf8', 0, end)) : older.decode(bytes, end))
})
