/** Stores with damaged pages that end every reader by a signal. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const PAGE = 4_096
const KIND = 0x12
/** Of a page; where its entries are stands after it, counted from there. */
const HEAD = 0x18
const LEAF = 0x02

/** Pages of entries that hold a text are changed. @returns how many */
export function damagePages(home: string, text: string, damage: (page: Buffer) => void): number {
  const file = join(home, 'data', 'troupe.mdb')
  const bytes = readFileSync(file)
  let damaged = 0
  for (let at = 2 * PAGE; at < bytes.length; at += PAGE) {
    const page = bytes.subarray(at, at + PAGE)
    if (page[KIND] !== LEAF || !page.includes(text)) continue
    damage(page)
    damaged++
  }
  writeFileSync(file, bytes)
  return damaged
}

/** Length of the first entry: beyond the end of the file. */
export const deadly = (page: Buffer): void => void page.writeUInt32LE(2 ** 30, HEAD + page.readUInt16LE(HEAD))

/** The same of the entry with this key, a text. Before it stand the length of the value, two bytes of flags, and the length of the key. */
export const deadlyAt =
  (key: string) =>
  (page: Buffer): void =>
    void page.writeUInt32LE(2 ** 30, page.indexOf(`${String.fromCharCode(key.length)}\0${key}`) - 6)
