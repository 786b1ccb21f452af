/** Verifies a chain of entries: each line that was changed, removed, added, moved or cut off is named. Source: docs/operating/audit.md. */
import { DROPPED, type Entry, GENESIS, type Head, unsealed } from './entry.ts'
import type { PlacedLine } from './read.ts'

export interface Break {
  /** File and line, such as `0000000000000001.jsonl:7`; empty: the end of the log. */
  place: string
  /** The entry, as far as it is known. */
  seq?: number
  kind: 'changed' | 'missing' | 'added' | 'cut'
  message: string
}

export interface Verdict {
  /** Lines that were read. */
  entries: number
  first?: Head
  last?: Head
  /** What was dropped before the first entry, as the log itself says. */
  dropped?: { through: number; hash: string; until: string }
  /** The first one first; at most MOST_BREAKS, of `count`. */
  breaks: Break[]
  /** Number of all breaks. */
  count: number
  /** What is noteworthy and no break. */
  notes: string[]
}

export interface Expected {
  /** The latest entry that the store of the home knows. Undefined: nobody knows. */
  head?: Head | undefined
  /** The log is that of a home, and not a part of one. */
  isWhole: boolean
  /** Hashes of entries that were noted elsewhere: they must be there. */
  hashes?: readonly string[]
}

const MOST_BREAKS = 20
const MOST_NOTES = 10

// D1461: verifying names the first break, goes on after it, and needs no clock
export async function verified(
  lines: AsyncIterable<PlacedLine>,
  { head, isWhole, hashes = [] }: Expected
): Promise<Verdict> {
  const verdict: Verdict = { entries: 0, breaks: [], count: 0, notes: [] }
  const wanted = new Set(hashes)
  const droppings: Entry[] = []
  let first: Entry | undefined
  let firstPlace = ''
  /** Lines before the first entry. */
  let unreadable = 0
  /** The entry before; its hash is unknown after a line that cannot be read. */
  let before: { seq: number; hash: string | undefined; at: string } | undefined
  let atHead: string | undefined
  const broken = (found: Break) => {
    verdict.count++
    if (verdict.breaks.length < MOST_BREAKS) verdict.breaks.push(found)
  }
  const note = (text: string) => {
    if (verdict.notes.length < MOST_NOTES) verdict.notes.push(text)
  }

  for await (const { text, place, isWhole: isComplete } of lines) {
    const next = before ? before.seq + 1 : undefined
    if (!isComplete) {
      if (isWhole && (head === undefined || (before?.seq ?? 0) >= head.seq))
        note(`${place} is being written, or was when the engine died`)
      else broken({ place, ...seqOf(next), kind: 'cut', message: `${place} is not complete` })
      continue
    }
    verdict.entries++
    const found = unsealed(text)
    if (!found) {
      broken({
        place,
        ...seqOf(next),
        kind: 'changed',
        message: `${place} is no entry${next === undefined ? '' : `: entry ${next} was written there`}`
      })
      if (before) before = { ...before, seq: before.seq + 1, hash: undefined }
      else unreadable++
      continue
    }
    const { entry, isIntact } = found
    const { seq, hash, previous, at } = entry
    if (isIntact) wanted.delete(hash)
    if (entry.operation === DROPPED) droppings.push(entry)
    if (seq === head?.seq) atHead = hash
    first ??= entry
    firstPlace ||= place
    if (!isIntact)
      broken({ place, seq, kind: 'changed', message: `${place}: entry ${seq} was changed: its hash is another one` })
    if (next !== undefined && before) {
      if (seq < next) {
        broken({
          place,
          seq,
          kind: 'added',
          message: `${place}: entry ${seq} stands after entry ${before.seq}: it was moved or added`
        })
        before = { ...before, hash: undefined }
        continue
      }
      if (seq > next)
        broken({
          place,
          seq: next,
          kind: 'missing',
          message: `${place}: ${range(next, seq - 1)} missing before entry ${seq}`
        })
      else if (before.hash !== undefined && previous !== before.hash)
        broken({
          place,
          seq: before.seq,
          kind: 'changed',
          message: `${place}: entry ${seq} does not follow entry ${before.seq} as it stands: one of the two was replaced`
        })
      if (at < before.at) note(`${place}: the clock was set back before entry ${seq}, from ${before.at} to ${at}`)
    }
    before = { seq, hash, at }
  }

  if (first) {
    verdict.first = { seq: first.seq, hash: first.hash }
    const start = beginning(first, droppings)
    if (typeof start === 'object') verdict.dropped = start
    else if (start === 'unknown' && !isWhole) note(`it begins with entry ${first.seq}; what was before is not in it`)
    else if (start === 'unknown' && (first.seq === 1 || first.seq - 1 > unreadable)) {
      verdict.breaks.unshift(withoutStart(first.seq, firstPlace))
      verdict.count++
    }
  }
  if (before) verdict.last = { seq: before.seq, hash: before.hash ?? '' }
  const end = before?.seq ?? 0
  if (head && end < head.seq) broken(cutAfter(end, head.seq))
  else if (head && atHead !== undefined && atHead !== head.hash)
    broken({
      place: '',
      seq: head.seq,
      kind: 'changed',
      message: `entry ${head.seq} is not the one that ${STORE} knows`
    })
  for (const hash of wanted) broken({ place: '', kind: 'missing', message: `no entry has the hash ${hash}` })
  return verdict
}

const STORE = 'the store of this home'
const cutAfter = (end: number, known: number): Break => ({
  place: '',
  seq: end + 1,
  kind: 'cut',
  message: `${range(end + 1, known)} missing at the end: ${STORE} knows entry ${known}`
})

/** The log begins with an entry that cannot be the first one. */
const withoutStart = (seq: number, place: string): Break =>
  seq === 1
    ? { place, seq, kind: 'changed', message: `${place}: entry 1 is not the first one of this log` }
    : {
        place,
        seq: 1,
        kind: 'missing',
        message: `${place}: ${range(1, seq - 1)} missing, and no retention has dropped them`
      }

const seqOf = (seq: number | undefined) => (seq === undefined ? {} : { seq })

const range = (from: number, to: number): string => (from === to ? `entry ${from} is` : `entries ${from} to ${to} are`)

/** Whether a log may begin like this: with entry 1, or after what it says itself that it has dropped. */
function beginning(
  { seq, previous }: Entry,
  droppings: readonly Entry[]
): NonNullable<Verdict['dropped']> | 'genesis' | 'unknown' {
  if (seq === 1) return previous === GENESIS ? 'genesis' : 'unknown'
  for (const { after = {} } of droppings) {
    const { through, hash, until } = after
    if (through === seq - 1 && hash === previous) return { through: seq - 1, hash: previous, until: String(until) }
  }
  return 'unknown'
}
