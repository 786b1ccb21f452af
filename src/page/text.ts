/** Instants and lengths of time as a person reads them. All of it ends up as text nodes. */
import type { Label } from './answers.ts'

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false
})
const DAY = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: '2-digit' })

/** Epoch ms of an instant of the API; undefined for an empty text, which is "not yet". */
export const instant = (text: string | null | undefined): number | undefined => (text ? Date.parse(text) : undefined)

/** `14:03:05`, with the day before it unless that is `today`'s. */
export function timeText(at: number | undefined, today: number): string {
  if (at === undefined) return '–'
  const [day, time] = [DAY.format(at), CLOCK.format(at)]
  return day === DAY.format(today) ? time : `${day} ${time}`
}

/** `14:03:05.120`. */
export const exactTime = (at: number): string => `${CLOCK.format(at)}.${String(at % 1_000).padStart(3, '0')}`

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

/** The words for a status. */
export const labelText = (label: Label): string => label.replaceAll('_', ' ')

/** Begins and ends of a text that is too long for its place. */
export const shortened = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, Math.ceil(most * 0.65))}…${text.slice(text.length - Math.floor(most * 0.3))}`
