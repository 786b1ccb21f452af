/**
 * The stored form of runs and nodes: JSON. As entries are independent of each other, MessagePack would have to spell out the names of
 * members, too: it would take a fifth less disk space, but twice as long to write and up to twice as long to read. Entries of
 * releases before store version 3 are MessagePack, and can be read. Source: architecture 1, 5.
 */
import type { Encoder } from './sealed.ts'

/** `{`: no MessagePack map starts with it. */
const OBJECT = 0x7b

// D39: Records, runs and nodes are stored as JSON
/** For values that JSON can represent. @param older reads entries of earlier releases @param checked throws for invalid entries */
export const entryText = <V extends object>(older: Encoder<unknown>, checked: (value: unknown) => V): Encoder<V> => ({
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes, end) =>
    checked(bytes[0] === OBJECT ? JSON.parse(bytes.toString('utf8', 0, end)) : older.decode(bytes, end))
})
