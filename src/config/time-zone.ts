/**
 * The time zone of the environment: the default of `tz`, which schedules and times in responses follow. Commands of steps follow
 * the C library, which reads the same variable: a value that it reads as another zone is a warning, an invalid one is refused.
 * Source: tzset(3), execution-semantics 11.3.
 */
import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../clock.ts'
import { nearest } from '../nearest.ts'
import { reasonOf } from '../platform/make-folder.ts'
import { NoFile, readRegular } from '../platform/open-regular.ts'
import { offsetsIn, type PosixRule, posixRule } from './posix-rule.ts'

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
/** Number of years, this one included, for which a zone must match a rule. */
const YEARS = 5
const HOW_TO_FIX = 'set TZ or ENGINE_TZ to one such as Europe/Berlin'

// D390: `TZ` is read as the C library reads it
/** @param variable value of `TZ`; undefined: the zone of the system */
export function environmentZone(variable: string | undefined): EnvironmentZone {
  if (!settled || variable !== settled.variable) settled = { variable, zone: zoneOf(variable) }
  return settled.zone
}
/** Cached, because a program reads its configuration more than once and finding a zone for a rule takes 0.1 s. */
let settled: { variable: string | undefined; zone: EnvironmentZone } | undefined

/** The zone, uncached. */
export function zoneOf(variable: string | undefined, places: ZonePlaces = SYSTEM): EnvironmentZone {
  if (variable === undefined) return systemZone(places)
  const value = variable.replace(/^:/, '')
  if (value === '') return { tz: UTC, isOfDate: false } // as in the C library
  const read = value.startsWith('/') ? zoneOfFile(value) : zoneNamed(value, places)
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

function systemZone({ localtime }: ZonePlaces): EnvironmentZone {
  if (!statSync(localtime, { throwIfNoEntry: false })) return { tz: UTC, isOfDate: false } // as in the C library
  const found = zoneOfFile(localtime)
  if (!('problem' in found)) return found
  return { problem: `time zone of the system: wanted one at ${localtime}, found ${found.problem}: ${HOW_TO_FIX}` }
}

/** The zone that is linked or copied to this path. */
function zoneOfFile(path: string): EnvironmentZone {
  let target: string
  try {
    target = realpathSync(path)
    const [, name = ''] = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(target) ?? []
    const known = knownZone(name)
    if (known !== undefined) return { tz: known, isOfDate: known === name || known === UTC }
    return statSync(target).size > MOST_BYTES ? NO_ZONE : zoneOfBytes(readRegular(target))
  } catch (error) {
    if (error instanceof NoFile) return { problem: error.found }
    return { problem: `a path that cannot be read: ${reasonOf(error)}` }
  }
}

const NO_ZONE = { problem: 'a file of something else' }

/** The rule for future years after the tables of a zone file. Source: RFC 9636, 3.3. */
function zoneOfBytes(bytes: Buffer): EnvironmentZone {
  const text = bytes.toString('latin1')
  if (!text.startsWith('TZif')) return NO_ZONE
  const rule = text.endsWith('\n') ? text.slice(text.lastIndexOf('\n', text.length - 2) + 1, -1) : ''
  return zoneOfRule(rule) ?? { problem: 'a file of no zone that is known here' }
}

/** Undefined: there is no zone of that name. */
function zoneNamed(value: string, places: ZonePlaces): EnvironmentZone | undefined {
  const name = value.replace(/^(posix|right)\//, '')
  const known = knownZone(name)
  const file = join(places.zoneinfo, value)
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
  if (known === undefined) return isFile ? zoneOfFile(file) : zoneOfRule(value)
  const isOfDate = known === name || known === UTC
  if (isFile || known === UTC) return { tz: known, isOfDate }
  const warning =
    `TZ: ${value} is followed as ${known}; there is no file ${file}, so commands of steps that ask the system follow UTC: ` +
    (known === name ? 'install the time zones of the system (tzdata)' : `write ${known}`)
  return { tz: known, isOfDate, warning }
}

/** The name of a zone in `Intl`; undefined: unknown. */
function knownZone(name: string): string | undefined {
  if (name === UTC || name === 'Etc/UTC') return UTC // without `Intl`, which is slow to load
  if (Intl.supportedValuesOf('timeZone').includes(name)) return name
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** A zone that matches a rule for years; undefined: no rule, or no such zone. */
function zoneOfRule(text: string): FoundZone | undefined {
  const rule = posixRule(text)
  const tz = rule && (fixedZone(rule) ?? zoneLike(rule))
  return tz === undefined ? undefined : { tz, isOfDate: false }
}

function fixedZone({ standardMs, summer }: PosixRule): string | undefined {
  const hours = standardMs / 3_600_000
  if (summer || !Number.isInteger(hours)) return undefined
  return hours === 0 ? UTC : knownZone(`Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`) // with the signs of POSIX
}

function zoneLike(rule: PosixRule): string | undefined {
  const year = new Date(systemClock.now()).getUTCFullYear()
  const wanted = Array.from({ length: YEARS }, (_, after) => offsetsIn(year + after, rule)).flat()
  return Intl.supportedValuesOf('timeZone').find((zone) => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    return wanted.every(({ at, offsetMs }) => offsetAt(format, at) === offsetMs)
  })
}

/** ms. @param format with `timeZoneName: 'longOffset'` */
function offsetAt(format: Intl.DateTimeFormat, at: number): number {
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
}

function hint(value: string): string {
  const near = nearest(value.trim(), Intl.supportedValuesOf('timeZone'))
  return near === undefined ? HOW_TO_FIX : `did you mean ${near}?`
}
