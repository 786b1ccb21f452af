/**
 * The time zone of the environment: the default of `tz`, which schedules and times in responses follow. Commands of steps follow
 * the C library, which reads the same variable: a value that it reads as another zone is a warning, an invalid one is refused.
 * Source: tzset(3), execution-semantics 11.3.
 */
import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nearest } from '../nearest.ts'
import { reasonOf } from '../platform/make-folder.ts'
import { NoFile, readRegular } from '../platform/open-regular.ts'

/** A zone that `Intl` knows. */
export interface FoundZone {
  /** IANA name. */
  tz: string
  /** `Date` follows it in a process with this environment. */
  isOfDate: boolean
  /** A warning that commands follow another zone. */
  warning?: string
}

/** @param problem what was wanted and what was found */
export type EnvironmentZone = FoundZone | { problem: string }

/** Folders of the zones of the system. */
export interface ZonePlaces {
  localtime: string
  zoneinfo: string
}
const SYSTEM: ZonePlaces = { localtime: '/etc/localtime', zoneinfo: '/usr/share/zoneinfo' }

const UTC = 'UTC'
const MOST_BYTES = 1024 * 1024
/** A fixed distance from UTC, such as `EST5` or `<-03>3`. Source: tzset(3). */
const DISTANCE = /^(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)([+-]?\d{1,2})$/
const HOW_TO_FIX = 'set TZ or ENGINE_TZ to one such as Europe/Berlin'

// D390: `TZ` is read as the C library reads it
/** @param variable value of `TZ`; undefined: the zone of the system */
export function environmentZone(variable: string | undefined): EnvironmentZone {
  if (!settled || variable !== settled.variable) settled = { variable, zone: zoneOf(variable) }
  return settled.zone
}
/** Cached, because a program reads its configuration more than once. */
let settled: { variable: string | undefined; zone: EnvironmentZone } | undefined

/** The zone, uncached. */
export function zoneOf(variable: string | undefined, places: ZonePlaces = SYSTEM): EnvironmentZone {
  if (variable === undefined) return systemZone(places)
  const value = variable.replace(/^:/, '')
  if (value === '') return { tz: UTC, isOfDate: false } // as in the C library
  const read = value.startsWith('/') ? zoneOfFile(value, places) : zoneNamed(value, places)
  if (read && !('problem' in read)) return { ...read, isOfDate: read.isOfDate && !value.startsWith('/') }
  const found = read ? `, ${read.problem}` : ''
  return { problem: `TZ: wanted a time zone, found ${JSON.stringify(variable)}${found}: ${hint(value)}` }
}

/** Why commands of steps may show other times than schedules; undefined: they do not. @param tz the zone of schedules */
export function zoneOfCommands(tz: string, { TZ }: Readonly<Record<string, string>>): string | undefined {
  const found = environmentZone(TZ)
  if ('problem' in found) return `TZ=${TZ}`
  return found.tz === tz ? undefined : found.tz
}

function systemZone(places: ZonePlaces): EnvironmentZone {
  const { localtime } = places
  if (!statSync(localtime, { throwIfNoEntry: false })) return { tz: UTC, isOfDate: false } // as in the C library
  const found = zoneOfFile(localtime, places)
  if (!('problem' in found)) return found
  return { problem: `time zone of the system: wanted one at ${localtime}, found ${found.problem}: ${HOW_TO_FIX}` }
}

/** The zone that is linked or copied to this path. */
function zoneOfFile(path: string, places: ZonePlaces): EnvironmentZone {
  let target: string
  try {
    target = realpathSync(path)
    const [, name = ''] = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(target) ?? []
    const known = knownZone(name)
    if (known !== undefined) return { tz: known, isOfDate: known === name || known === UTC }
    return statSync(target).size > MOST_BYTES ? NO_ZONE : zoneOfBytes(readRegular(target), places)
  } catch (error) {
    if (error instanceof NoFile) return { problem: error.found }
    return { problem: `a path that cannot be read: ${reasonOf(error)}` }
  }
}

const NO_ZONE = { problem: 'a file of something else' }

/** The zone whose file has the same bytes: a copy does not name its zone. */
function zoneOfBytes(bytes: Buffer, { zoneinfo }: ZonePlaces): EnvironmentZone {
  if (!bytes.toString('latin1', 0, 4).startsWith('TZif')) return NO_ZONE
  const isCopy = (zone: string) => {
    const path = join(zoneinfo, zone)
    return statSync(path, { throwIfNoEntry: false })?.size === bytes.length && readRegular(path).equals(bytes)
  }
  const tz = [UTC, ...Intl.supportedValuesOf('timeZone')].find(isCopy)
  return tz === undefined ? { problem: 'a file of no zone that is known here' } : { tz, isOfDate: false }
}

/** Undefined: there is no zone of that name. */
function zoneNamed(value: string, places: ZonePlaces): EnvironmentZone | undefined {
  const name = value.replace(/^(posix|right)\//, '')
  const known = knownZone(name)
  const file = join(places.zoneinfo, value)
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
  if (known === undefined) return isFile ? zoneOfFile(file, places) : fixedZone(value)
  const isOfDate = known === name || known === UTC
  if (isFile || known === UTC) return { tz: known, isOfDate }
  const warning =
    `TZ: ${value} is followed as ${known}; there is no file ${file}, so commands of steps that ask the system follow UTC: ` +
    (known === name ? 'install the time zones of the system (tzdata)' : `write ${known}`)
  return { tz: known, isOfDate, warning }
}

/** The name of a zone in `Intl`; undefined: unknown. */
function knownZone(name: string): string | undefined {
  // Without `Intl`, which is slow to load. "Factory" says that nobody has set it.
  if (name === UTC || name === 'Etc/UTC' || name === 'Factory') return UTC
  if (Intl.supportedValuesOf('timeZone').includes(name)) return name
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Undefined: no fixed distance, or one that no zone has. */
function fixedZone(text: string): FoundZone | undefined {
  const hours = Number(DISTANCE.exec(text)?.[1] ?? Number.NaN)
  if (Number.isNaN(hours)) return undefined
  const tz = hours === 0 ? UTC : knownZone(`Etc/GMT${hours > 0 ? '+' : '-'}${Math.abs(hours)}`)
  return tz === undefined ? undefined : { tz, isOfDate: false }
}

function hint(value: string): string {
  const near = nearest(value.trim(), Intl.supportedValuesOf('timeZone'))
  return near === undefined ? HOW_TO_FIX : `did you mean ${near}?`
}
