/** Reads the audit log: a part of it, the newest entry first, or all of its lines. */
import { codeOf, TroupeError } from '../errors.ts'
import { type Entry, entryIn, GENESIS } from './entry.ts'
import { type AuditFile, auditFiles, linesBefore, linesIn } from './files.ts'
import { type AuditFilter, matcher } from './filter.ts'

export interface AuditPart {
  /** The newest first. */
  entries: Entry[]
  /** Cursor of the next part; absent: there is none. */
  next?: string
}

/** Entries that are looked at for one part, however few of them match. */
const MOST_LOOKED_AT = 5_000

/**
 * At most `limit` entries; fewer, and still a `next`, where few of many match. Lines that are no entries are left out.
 * @param cursor `next` of the part before @throws TroupeError bad_request: it is none
 */
export async function auditPart(
  dir: string,
  { filter, limit, cursor }: { filter: AuditFilter; limit: number; cursor?: string | undefined }
): Promise<AuditPart> {
  const matches = matcher(filter)
  const entries: Entry[] = []
  let looked = 0
  for (const { file, end } of placesBefore(auditFiles(dir), cursor))
    for await (const { text, start } of linesBefore(file.path, end)) {
      const entry = entryIn(text)
      if (entry && matches(entry)) entries.push(entry)
      if (entry && entry.previous === GENESIS) return { entries }
      if (entries.length >= limit || ++looked >= MOST_LOOKED_AT) return { entries, next: `${file.first}-${start}` }
    }
  return { entries }
}

/** Files from a cursor backwards, which says where the newest of them ends. */
function placesBefore(files: AuditFile[], cursor: string | undefined): { file: AuditFile; end?: number }[] {
  const backwards = files.reverse().map((file) => ({ file }))
  if (cursor === undefined) return backwards
  const [, first, end] = /^(\d{1,16})-(\d{1,15})$/.exec(cursor) ?? []
  if (first === undefined)
    throw new TroupeError('bad_request', `query parameter 'cursor': wanted the nextCursor of an answer`)
  return backwards
    .filter(({ file }) => file.first <= Number(first))
    .map((place) => (place.file.first === Number(first) ? { ...place, end: Number(end) } : place))
}

export interface PlacedLine {
  text: string
  /** Name of the line's file, and its number in it, from 1. */
  place: string
  /** The line ends with a line break. */
  isWhole: boolean
}

/** Every line, the oldest first. @param paths of files in their order */
export async function* linesOf(paths: readonly string[]): AsyncGenerator<PlacedLine> {
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    let number = 0
    try {
      for await (const { text, isWhole } of linesIn(path)) yield { text, place: `${name}:${++number}`, isWhole }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error // it was dropped meanwhile, with all before it
    }
  }
}

/** The lines of entries that match, as they are stored, in chunks of some size. */
export async function* exported(dir: string, filter: AuditFilter): AsyncGenerator<string> {
  const matches = matcher(filter)
  const wantsAll = Object.values(filter).every((value) => value === undefined)
  let chunk = ''
  for await (const { text, isWhole } of linesOf(auditFiles(dir).map(({ path }) => path))) {
    // The last line of a log that is written to may not be complete.
    if (!isWhole) continue
    const entry = wantsAll ? undefined : entryIn(text)
    if (wantsAll || (entry && matches(entry))) chunk += `${text}\n`
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
const CHUNK = 64 * 1024
