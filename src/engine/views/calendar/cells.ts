/** Days and hours of a time zone. They begin where its clocks say so: a day has 23 to 25 hours, and an hour may come twice. */

export type CellLength = 'day' | 'hour'

/** A day, or an hour of one. */
export interface Cell {
  /** Epoch ms; `to` is the beginning of the next one. */
  from: number
  to: number
  /** `2026-11-28`. */
  date: string
  /** 0 to 23, of an hour. */
  hour?: number
}

/** Clocks change at quarters of an hour only. */
const QUARTER_MS = 15 * 60_000
/** Longer than any day or hour. */
const LONGEST: Record<CellLength, number> = { day: 27 * 4, hour: 8 }

/** The cell that an instant is in, and the ones after it until `to` is reached, oldest first. @param zone IANA name */
export function cellsOf(from: number, to: number, length: CellLength, zone: string): Cell[] {
  const nameOf = namesIn(zone, length)
  const cells: Cell[] = []
  for (let at = beginOf(from, length, nameOf); at < to || cells.length === 0; ) {
    const name = nameOf(at)
    const next = nextAfter(at, length, nameOf)
    const [date = '', hour] = name.split(' ')
    cells.push({ from: at, to: next, date, ...(hour === undefined ? {} : { hour: Number(hour) }) })
    at = next
  }
  return cells
}

type NameOf = (at: number) => string

/** The name of the cell at an instant: what its clocks show of it. */
function namesIn(zone: string, length: CellLength): NameOf {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23'
  })
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const date = `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`
    return length === 'day' ? date : `${date} ${parts.hour}`
  }
}

/** The first quarter of an hour with another name. */
function nextAfter(at: number, length: CellLength, nameOf: NameOf): number {
  const name = nameOf(at)
  return at + QUARTER_MS * firstWhere(LONGEST[length], (quarters) => nameOf(at + quarters * QUARTER_MS) !== name)
}

function beginOf(instant: number, length: CellLength, nameOf: NameOf): number {
  const at = Math.floor(instant / QUARTER_MS) * QUARTER_MS
  const name = nameOf(at)
  return at - QUARTER_MS * (firstWhere(LONGEST[length], (quarters) => nameOf(at - quarters * QUARTER_MS) !== name) - 1)
}

/** The least number from 1 on for which it holds; it holds for all numbers after that, `most` included. */
function firstWhere(most: number, holds: (number: number) => boolean): number {
  let [low, high] = [1, most]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
