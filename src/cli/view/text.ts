/** Text for a terminal: without control sequences, measured and cut in columns. Source: reliability F40. */

/** Escape sequences, 7 and 8 bit; an unclosed one ends with its line. */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g
/** Other control characters, and those that change the direction of writing. Line breaks and tabs stay. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
const INVISIBLE = /[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const ASCII = /^[\x20-\x7e]*$/

/** Something that a terminal would interpret, line breaks and tabs excepted. */
const INTERPRETED = new RegExp(CONTROLS.source)
/** Colours, as the command line itself writes them. */
const COLOURS = /(\x1b\[(?:[0-2]|3[1-6])m)/

const uninterpreted = (text: string): string =>
  text.replace(SEQUENCES, '').split('\n').map(lastWriting).join('\n').replace(CONTROLS, '')

/** Removes everything that a terminal would interpret; tabs become blanks, line breaks stay. */
export const harmless = (text: string): string => uninterpreted(text).replaceAll('\t', '  ')

// D1594: what commands write passes one place, which removes what a terminal would interpret
/** Removes what a terminal would interpret, but not line breaks, tabs and colours of the command line. */
export function visible(text: string): string {
  if (!INTERPRETED.test(text)) return text
  return text
    .split(COLOURS)
    .map((part, at) => (at % 2 === 1 ? part : uninterpreted(part)))
    .join('')
}

/** The same, on one line. */
export const visibleLine = (line: string): string => visible(line).replaceAll('\n', ' ')

/** JSON of the same value, without a character that a terminal would interpret. */
export const visibleJson = (json: string): string =>
  json.replace(CONTROLS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A progress bar rewrites its line: only the last text counts. */
function lastWriting(line: string): string {
  const written = line.replace(/\r+$/, '')
  return written.slice(written.lastIndexOf('\r') + 1)
}

/** The same, on one line. */
export const oneLine = (text: string): string =>
  harmless(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim()

/** Columns a text takes in a terminal. Expects harmless text. */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let columns = 0
  for (const character of text) columns += widthOf(character)
  return columns
}

const widthOf = (character: string) => (INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** At most `columns` wide; a text that was cut ends in an ellipsis. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  return columns < 1 ? '' : `${beginningOf(text, columns - 1)}…`
}

/** As much of it as fits. */
function beginningOf(text: string, columns: number): string {
  let left = columns
  let kept = ''
  for (const character of text) {
    left -= widthOf(character)
    if (left < 0) break
    kept += character
  }
  return kept
}

/** Wraps a text, between words where possible; an empty one has no lines. No line is wider than `columns`, at least 2. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = []
  for (let rest = text; rest !== ''; ) {
    const fits = beginningOf(rest, Math.max(2, columns))
    const blank = rest.lastIndexOf(' ', fits.length)
    const end = fits === rest || blank < 1 ? fits.length : blank
    lines.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return lines
}

/** Padded with blanks to `columns`. */
export const padded = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - columnsOf(text)))

/** Ids of at most this many characters are shown as they are. */
const SHORT_ID = 16
/** Characters of one that is longer. */
const END_OF_ID = 8

// D1686: a terminal shows the ends of long ids
/** The id of a run in a list: the beginnings of neighbours are alike, and commands take the end. @param room columns that there are */
export const idIn = (room: number | undefined, id: string): string =>
  harmless(Number.isFinite(room) && id.length > SHORT_ID ? id.slice(-END_OF_ID) : id)

/** A duration for people: `120ms`, `4.2s`, `2m03s`, `1h02m`. */
export function durationText(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000)
  if (seconds < 1) return `${Math.max(0, Math.round(ms))}ms`
  if (seconds < 60) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`
  const two = (count: number) => String(count).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes}m${two(seconds % 60)}s` : `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`
}

/** Epoch ms of an instant of the API; undefined: not yet. */
export const instant = (text = ''): number | undefined => (text === '' ? undefined : Date.parse(text))

/** Time of day in an IANA zone, such as `14:03:07`. */
export function clockFace(tz: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: tz, timeStyle: 'medium', hourCycle: 'h23' })
  return (at) => format.format(at)
}

/** A minute in an IANA zone, such as `2026-03-01 14:03`. */
export function minuteText(tz: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' })
  return (at) => format.format(at)
}

/** Such as `1 run`, `2 runs`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
