/**
 * When a schedule fires, worked out another way than the engine does: every minute is looked at on the wall clock of its
 * zone. Source: execution-semantics 11.1 to 11.5.
 */
import type { Random } from '../../support/random.ts'

/** One expression, as text and as what it means. Absent: any. */
export interface Rhythm {
  text: string
  minutes?: number[]
  hours?: number[]
  days?: number[]
  /** 0: Sunday. */
  weekdays?: number[]
  /** IANA name; absent: that of the server. */
  zone?: string
}

export const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']
const MINUTE = 60_000

/** Busy ones are more frequent than in life. */
export function randomRhythm(random: Random): Rhythm {
  const { below, chance, pick } = random
  const form = below(10)
  const every = pick([1, 2, 3, 5, 7, 10, 15, 20, 30])
  const steps = Array.from({ length: Math.ceil(60 / every) }, (_, index) => index * every)
  const minutes = form < 5 ? steps : chance(0.3) ? [below(30), 30 + below(30)] : [below(60)]
  const hours = form < 6 ? undefined : form < 8 ? [below(24)] : spread(random, 24, 6)
  const days = chance(0.1) ? spread(random, 31, 12).filter((day) => day > 0) : undefined
  const weekdays = chance(0.15) ? spread(random, 7, 4) : undefined
  const zone = chance(0.4) ? pick(ZONES) : undefined
  const chosen = {
    minutes: form < 5 && every === 1 ? undefined : minutes,
    hours,
    days: days?.length ? days : undefined,
    weekdays
  }
  const minuteText = form < 5 ? (every === 1 ? '*' : `*/${every}`) : minutes.join(',')
  const [hourText, dayText, weekdayText] = [chosen.hours, chosen.days, chosen.weekdays].map(
    (list) => list?.join(',') ?? '*'
  )
  const fields = `${minuteText} ${hourText} ${dayText} * ${weekdayText}`
  return {
    text: zone ? `${pick(['CRON_TZ', 'TZ'])}=${zone} ${fields}` : fields,
    ...(chosen.minutes ? { minutes: chosen.minutes } : {}),
    ...(chosen.hours ? { hours: chosen.hours } : {}),
    ...(chosen.days ? { days: chosen.days } : {}),
    ...(chosen.weekdays ? { weekdays: chosen.weekdays } : {}),
    ...(zone ? { zone } : {})
  }
}

const spread = ({ below, shuffled }: Random, count: number, most: number) =>
  shuffled(Array.from({ length: count }, (_, index) => index))
    .slice(0, 1 + below(most))
    .sort((a, b) => a - b)

/** Whether it fires in a minute (epoch ms). @param server zone of the server */
export function fires({ minutes, hours, days, weekdays, zone }: Rhythm, at: number, server: string): boolean {
  const here = zone ?? server
  const { minute, hour, day, weekday, text } = wallClock(at, here)
  if (minutes && !minutes.includes(minute)) return false
  if (hours && !hours.includes(hour)) return false
  const [onDay, onWeekday] = [days?.includes(day), weekdays?.includes(weekday)]
  if (days && weekdays ? !onDay && !onWeekday : onDay === false || onWeekday === false) return false
  // A repeated time fires at its first occurrence for fixed hours, at both for `*` hours.
  return !hours || ![30, 60].some((back) => wallClock(at - back * MINUTE, here).text === text)
}

interface WallClock {
  minute: number
  hour: number
  day: number
  weekday: number
  /** All of it. */
  text: string
}
const formats = new Map<string, Intl.DateTimeFormat>()
const known = new Map<string, WallClock>()
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function wallClock(at: number, zone: string): WallClock {
  const key = `${zone} ${at}`
  const found = known.get(key)
  if (found) return found
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      weekday: 'short'
    })
  formats.set(zone, format)
  const text = format.format(at) // such as "Sun, 03/29/2026, 02:30"
  const [, name = '', day = '', hour = '', minute = ''] = /^(\w+), \d+\/(\d+)\/\d+, (\d+):(\d+)$/.exec(text) ?? []
  const read = { minute: Number(minute), hour: Number(hour), day: Number(day), weekday: WEEKDAYS.indexOf(name), text }
  if (known.size > 100_000) known.clear()
  known.set(key, read)
  return read
}
