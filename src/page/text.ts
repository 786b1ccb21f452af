/** Instants, durations and statuses for people. Instants are in the zone that was chosen. All of it ends up in text nodes. */
import type { Label, WaitedFor, WaitKind } from './answers.ts'
import type { Connection } from './event-stream.ts'
import { zone } from './zone.ts'

const HOUR = { hour: '2-digit', hourCycle: 'h23' } as const
const KINDS = {
  clock: { ...HOUR, minute: '2-digit', second: '2-digit' },
  minute: { ...HOUR, minute: '2-digit' },
  day: { year: 'numeric', month: 'short', day: '2-digit' },
  date: { month: 'short', day: '2-digit' },
  year: { year: 'numeric' }
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

const formats = new Map<string, Intl.DateTimeFormat>()

/** Cached: making one takes longer than using it a hundred times. */
function formatted(kind: keyof typeof KINDS, at: number, timeZone = zone()): string {
  const key = `${kind} ${timeZone}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...KINDS[kind], timeZone })
  formats.set(key, format)
  return format.format(at)
}

/** Epoch ms of an instant of the API; undefined for an empty text, which means "not yet". */
export const instant = (text: string | null | undefined): number | undefined => (text ? Date.parse(text) : undefined)

/** `14:03:05`, with the day before it unless that is `today`'s; the year, unless it is that of `today`. */
export function timeText(at: number | undefined, today: number): string {
  if (at === undefined) return '–'
  const time = formatted('clock', at)
  if (formatted('day', at) === formatted('day', today)) return time
  return `${formatted(formatted('year', at) === formatted('year', today) ? 'date' : 'day', at)} ${time}`
}

/** `Nov 27, 2026 14:03:05`, on the clocks of a zone. */
export const timeIn = (at: number, timeZone: string): string =>
  `${formatted('day', at, timeZone)} ${formatted('clock', at, timeZone)}`

/** `14:03`. @param timeZone default: the one that was chosen */
export const minuteText = (at: number, timeZone?: string): string => formatted('minute', at, timeZone)

/** `14:03:05`; empty when it is not known. */
export const clockText = (at: number | undefined): string => (at === undefined ? '' : formatted('clock', at))

/** `14:03:05.120`. */
export const exactTime = (at: number): string => `${formatted('clock', at)}.${String(at % 1_000).padStart(3, '0')}`

/** `420 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function lengthText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  const seconds = Math.floor(ms / 1_000)
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60
  ]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`
}

/** The length between instants that are known to the second. */
export const roughLengthText = (ms: number): string =>
  ms < 1_000 ? 'under 1 s' : ms < 60_000 ? `${Math.floor(ms / 1_000)} s` : lengthText(ms)

/** The words for a connection to the server's events. */
export const CONNECTION: Record<Connection, string> = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost, retrying'
}

/** A longer id is shown in part. */
const MOST_OF_ID = 16
const LAST_OF_ID = 8

// D1722: the last characters of the id of a run stand for it
export const shortId = (id: string): string => (id.length > MOST_OF_ID ? id.slice(-LAST_OF_ID) : id)

/** What a run or a step looks like: its status, or that it waits for something outside. */
export type Marked = Label | 'waiting'

// D1673: what waits for something outside is drawn, counted and named as waiting, wherever its status is shown
export const markOf = <L extends Label>(run: { statusLabel: L; waitingFor?: WaitedFor | undefined }): L | 'waiting' =>
  run.waitingFor ? 'waiting' : run.statusLabel

/** The words for a status within a sentence. */
export const labelText = (label: Marked): string => label.replaceAll('_', ' ')

/** The words for a status that stand alone. */
export const statusText = (label: Label): string => capitalized(labelText(label))

const WAITS: Record<WaitKind, string> = {
  approval: 'Waiting for approval',
  signal: 'Waiting for signal',
  sleep: 'Waiting'
}
export const waitText = (kind: WaitKind): string => WAITS[kind]

/** The words for the state of a run or a step: what it waits for outside, in place of its status. @param today epoch ms */
export function stateText(label: Label, waitingFor: WaitedFor | undefined, today: number): string {
  if (!waitingFor) return statusText(label)
  const until = waitingFor.for === 'sleep' ? instant(waitingFor.until) : undefined
  return `${WAITS[waitingFor.for]}${until === undefined ? '' : ` until ${timeText(until, today)}`}`
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** In a name within a sentence, such a sign would turn around the rest of it. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

/** A sentence of the server without signs that change the direction of what follows: something is seen in their place. */
export const sentence = (text: string): string => text.replace(TURNING, '\ufffd')

/** A letter with its accents, or an emoji of several code points, is one grapheme and must not be split. */
const SIGNS = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\uff01-\uff60]/u
const BROAD = 'mwMW@%'

/** The width of a grapheme, in average letters. */
const roomOf = (sign: string): number =>
  sign > '~' ? (WIDE.test(sign) ? 2 : 1) : BROAD.includes(sign) ? 1.5 : /[A-Z]/.test(sign) ? 1.25 : 1

/** The first graphemes, as many as fit. */
function fitting(signs: Iterable<string>, most: number): string[] {
  const fit: string[] = []
  let room = 0
  for (const sign of signs) {
    room += roomOf(sign)
    if (room > most) break
    fit.push(sign)
  }
  return fit
}

/** ASCII text needs no segmenter and is a hundred times faster without: graphs have thousands of names. */
function* signsOf(text: string): Generator<string> {
  if (/^[ -~]*$/.test(text)) yield* text
  else for (const { segment } of SIGNS.segment(text)) yield segment
}

/** No readable grapheme is longer. Of a very long text the middle is not segmented. */
const LONGEST_SIGN = 40

/** Begin and end of a text that is too long for its place. @param most average letters that fit there */
export function shortened(text: string, most: number): string {
  const [first, last] = [text.slice(0, most * LONGEST_SIGN), text.slice(-most * LONGEST_SIGN)]
  if (fitting(signsOf(first), most).join('') === text) return text
  const begin = fitting(signsOf(first), Math.ceil(most * 0.65))
  const end = fitting([...signsOf(last)].reverse(), Math.floor(most * 0.3)).reverse()
  return `${begin.join('')}…${end.join('')}`
}
