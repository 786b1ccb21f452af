/**
 * `schedule`: cron expressions by kind, and the parser of one expression. Source: execution-semantics 1.7, 11.1-11.4.
 */
import type { Schedule } from '../../../machines/vocabulary.ts'
import { TEXTS } from '../fields/field-forms.ts'
import { key, table } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { optional, textFields, textOf } from '../fields/values.ts'
import { type Problems, shortened, wrong } from '../problems.ts'
import type { Field, Value } from '../yaml/value.ts'

/** One expression as the cron package reads it. */
export interface CronRule {
  /** Five fields. */
  pattern: string
  /** IANA name; absent: the time zone of the server. */
  timezone?: string
}

const WANTED = 'must be a cron expression or a list of those'

/** Per definition. Each is evaluated for every query of the next run. */
const MOST_EXPRESSIONS = 100

export const schedule = table({
  start: key(TEXTS, 'When a run is started.', '0 8 * * *', { otherwise: 'never' }),
  stop: key(TEXTS, 'When running runs are stopped.', '0 18 * * *', { otherwise: 'never' }),
  restart: key(TEXTS, 'When a running run is stopped and started again.', '["0 12 * * *"]', { otherwise: 'never' })
})

// D523: schedules and params have limits
/** Expressions as written, time zone included. Every wrong one is reported, or that there are too many of them. */
export function readSchedule(problems: Problems, field: Field): Schedule | undefined {
  const found = expressionsIn(field.value)
  if (found > MOST_EXPRESSIONS) {
    wrong(problems, field, `must be at most ${MOST_EXPRESSIONS} expressions, found ${found}`)
    return undefined
  }
  if (field.value.kind !== 'map') return { start: expressions(problems, field) ?? [], stop: [], restart: [] }
  const fields = fieldsOf(problems, field, schedule, (_, { path }, unknown) => {
    for (const { key, keyAt } of unknown) {
      const reason = `invalid schedule key: ${shortened(key)} (must be one of: start, stop, restart)`
      problems.add(`field 'schedule': ${reason}`, path, keyAt)
    }
  })
  const read = (kind: string) => optional(problems, fields?.get(kind), expressions) ?? []
  return { start: read('start'), stop: read('stop'), restart: read('restart') }
}

/** Number of expressions of all kinds, as written. */
const expressionsIn = (value: Value): number => {
  if (value.kind === 'list') return value.items.length
  return value.kind === 'map' ? value.entries.reduce((sum, { value }) => sum + expressionsIn(value), 0) : 1
}

function expressions(problems: Problems, field: Field): string[] | undefined {
  return textFields(problems, field, WANTED)?.flatMap((part) => {
    const written = textOf(part).trim()
    if (written === '') return [] // as in any list of texts
    const rule = cronRule(written)
    if ('wrong' in rule)
      wrong(problems, part, `invalid schedule: ${rule.wrong} (value: ${JSON.stringify(shortened(written))})`)
    return [written]
  })
}

interface Range {
  name: string
  from: number
  to: number
  /** Names of the numbers, beginning with `from`. */
  names?: string[]
}

const RANGES: Range[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { name: 'day of week', from: 0, to: 7, names: 'sun mon tue wed thu fri sat'.split(' ') }
]

// D514: cron expressions take what Dagu's parser takes
/** Choice: a million commas would block the engine. */
const MAX_LENGTH = 1000

const ZONE = /^(?:CRON_)?TZ=(\S*)\s*/

/**
 * Parses an expression; otherwise a sentence about what is wrong with it. The package accepts every pattern from here
 * (`test/definition/dag/schedule.test.ts`) and is not called, because one of its objects takes as long as a thousand of these.
 */
export function cronRule(expression: string): CronRule | { wrong: string } {
  if (expression.length > MAX_LENGTH)
    return { wrong: `wanted at most ${MAX_LENGTH} characters, found ${expression.length}` }
  const timezone = ZONE.exec(expression)?.[1]
  if (timezone !== undefined && !isZone(timezone))
    return { wrong: `unknown time zone ${JSON.stringify(shortened(timezone))}` }
  const fields = expression.replace(ZONE, '').split(/\s+/).filter(Boolean)
  if (fields.length !== RANGES.length) {
    return { wrong: `wanted five fields (minute hour day-of-month month day-of-week), found ${fields.length}` }
  }
  const read = RANGES.map((range, index) => cronField(fields[index] ?? '', range))
  const reason = read.find((field) => 'wrong' in field)
  if (reason) return reason
  const pattern = read.map((field) => ('items' in field ? field.items.join(',') : '')).join(' ')
  return { pattern, ...(timezone !== undefined && { timezone }) }
}

const ITEM = /^(?:([*?])|([0-9a-z]+)(?:-([0-9a-z]+))?)(?:\/(\d{1,4}))?$/i

/** The items of a field with numbers for names. `5/15` is from 5 on, and `?` is `*`. */
function cronField(text: string, { name, from, to, names }: Range): { items: string[] } | { wrong: string } {
  const numberOf = (word: string) => {
    const index = names?.indexOf(word.toLowerCase()) ?? -1
    if (index >= 0) return index + from
    return /^\d{1,2}$/.test(word) && Number(word) >= from && Number(word) <= to ? Number(word) : undefined
  }
  const items: string[] = []
  for (const item of text.split(',')) {
    const [whole, all, first = '', last, step] = ITEM.exec(item) ?? []
    if (whole === undefined)
      return { wrong: `${name}: wanted a number, a range, * or a step, found ${JSON.stringify(shortened(item))}` }
    if (step !== undefined && Number(step) === 0) return { wrong: `${name}: the step of ${item} must be at least 1` }
    const steps = step === undefined ? '' : `/${step}`
    // A step beyond the range leaves only its beginning; the package refuses one.
    const isOut = (start: number, end: number) => Number(step) > end - start
    if (all) {
      items.push(isOut(from, to) ? `${from}` : `*${steps}`)
      continue
    }
    const start = numberOf(first)
    const end =
      last === undefined ? (step === undefined ? start : (names?.length ?? to + 1 - from) + from - 1) : numberOf(last)
    if (start === undefined || end === undefined)
      return { wrong: `${name}: wanted ${from} to ${to}, found ${shortened(item)}` }
    if (start > end) return { wrong: `${name}: the range ${item} ends before it begins` }
    items.push((start === end && step === undefined) || isOut(start, end) ? `${start}` : `${start}-${end}${steps}`)
  }
  return { items }
}

/** The numbers that a field of a pattern names, in order: `2`, `2-6`, `1-12/3`, `*`, `*\/2`. @param from the range of the field */
export function numbersOf(field: string, from: number, to: number): number[] {
  const named = new Set<number>()
  for (const item of field.split(',')) {
    const [range = '', step = '1'] = item.split('/')
    const [first = from, last = first] = range === '*' ? [from, to] : range.split('-').map(Number)
    for (let number = first; number <= last; number += Number(step)) named.add(number)
  }
  return [...named].sort((a, b) => a - b)
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
