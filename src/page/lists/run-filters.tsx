/** The filters of the list of runs. Their values are in the address; the server applies them. Source: http-api "Runs (global)". */
import { RUN_STATUSES, WAITS } from '../../../machines/vocabulary/lists.ts'
import type { RunStatus } from '../answers.ts'
import { ChoiceFilter, Filters, TextFilter, ToggleFilter } from '../parts/filters.tsx'
import { StatusMark } from '../parts/icon.tsx'
import { TRIGGER_CHOICES } from '../parts/trigger.tsx'
import { statusText, timeIn, waitText } from '../text.ts'
import { offsetAt, zone } from '../zone.ts'

/** What is looked for most comes first. */
const STATUSES: readonly RunStatus[] = [
  'failed',
  'running',
  'queued',
  'succeeded',
  'partially_succeeded',
  'canceled',
  'not_started'
]

const HOUR_S = 3_600
/** By the value in the address: how long ago the period began, and ended. `night` is the last one, from 18:00 to 6:00. */
const PERIODS: [string, string][] = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['night', 'Last night'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days']
]
const LENGTHS_S: Partial<Record<string, number>> = {
  '1h': HOUR_S,
  '24h': 24 * HOUR_S,
  '7d': 7 * 24 * HOUR_S,
  '30d': 30 * 24 * HOUR_S
}

/** A period from one instant to another, Unix seconds: as views link to it. */
const BETWEEN = /^(\d{1,11})-(\d{1,11})$/

// D1431: a day or an hour of the calendar leads to the list of runs as a period in seconds
/** `Nov 28, 2026`, or with the hours. */
function betweenText(period: string): string | undefined {
  const [, from, to] = BETWEEN.exec(period) ?? []
  if (from === undefined || to === undefined) return undefined
  const [first, last] = [from, to].map((at) => timeIn(Number(at) * 1_000, zone()).replace(/:00$/, ''))
  const day = first?.replace(/ 00:00$/, '')
  const isDay = day !== first && last?.endsWith(' 00:00') && Number(to) - Number(from) < 26 * HOUR_S
  return isDay ? day : `${first} to ${last}`
}

/** @param now epoch ms @returns Unix seconds */
function periodOf(name: string, now: number): { fromDate?: string; toDate?: string } {
  const [, from, to] = BETWEEN.exec(name) ?? []
  if (from !== undefined && to !== undefined) return { fromDate: from, toDate: to }
  if (name === 'night') {
    const offset = offsetAt(now)
    // Computed as if the clocks of the shown zone were those of UTC.
    const morning = new Date(now + offset)
    if (morning.getUTCHours() < 6) morning.setUTCDate(morning.getUTCDate() - 1)
    morning.setUTCHours(6, 0, 0, 0)
    const evening = morning.getTime() - 12 * HOUR_S * 1_000
    return { fromDate: seconds(evening - offset), toDate: seconds(morning.getTime() - offset) }
  }
  const length = LENGTHS_S[name]
  // By the minute, so that the address of the answer stays the same for a while.
  return length === undefined ? {} : { fromDate: seconds(Math.floor(now / 60_000) * 60_000 - length * 1_000) }
}
const seconds = (ms: number) => String(Math.floor(ms / 1_000))

/** In the address, for all of them. */
export const ANY_WAIT = 'any'
const WAIT_CHOICES: [string, string][] = [
  ['', 'Waiting or not'],
  [ANY_WAIT, 'Waiting for anything'],
  ...WAITS.map((kind): [string, string] => [kind, kind === 'sleep' ? 'Waiting for time' : waitText(kind)])
]

/** Members of the address that are parameters of the API, each once. */
const TEXTS = ['name', 'dagRunId', 'params', 'tag', 'by', 'trigger', 'waitingFor'] as const

// D1361: the filter by status is buttons, the others stay fields
/** The parameters of the API for what is in the address: `status` as often as there are statuses. @param now epoch ms */
export function filtersOf(query: URLSearchParams, now: number): [string, string][] {
  const texts = TEXTS.flatMap((name): [string, string][] => {
    const value = query.get(name) ?? ''
    return name === 'waitingFor' && value === ANY_WAIT ? WAITS.map((kind) => [name, kind]) : [[name, value]]
  })
  // In one order: the same filter is the same request.
  const statuses = [...new Set(query.getAll('status'))].sort().map((status): [string, string] => ['status', status])
  return [...texts, ...statuses, ...Object.entries(periodOf(query.get('period') ?? '', now))].filter(([, it]) => it)
}

export function RunFilters({ query }: { query: URLSearchParams }) {
  const value = (name: string) => query.get(name) ?? ''
  const period = value('period')
  const between = betweenText(period)
  return (
    <Filters values={[...TEXTS.map(value), period, ...query.getAll('status')]}>
      <TextFilter label="Name" name="name" value={value('name')} />
      <TextFilter label="Run ID" name="dagRunId" value={value('dagRunId')} />
      <TextFilter label="Parameter" name="params" value={value('params')} />
      <TextFilter label="Tag" name="tag" value={value('tag')} />
      <ChoiceFilter
        label="Created"
        name="period"
        value={period}
        choices={between === undefined ? PERIODS : [...PERIODS, [period, between]]}
      />
      <ChoiceFilter label="Waiting for" name="waitingFor" value={value('waitingFor')} choices={WAIT_CHOICES} />
      <ChoiceFilter label="Trigger" name="trigger" value={value('trigger')} choices={TRIGGER_CHOICES} />
      <ToggleFilter
        label="Status"
        name="status"
        values={query.getAll('status')}
        any="Any status"
        choices={STATUSES.map((label) => ({
          value: String(RUN_STATUSES.indexOf(label)),
          text: statusText(label),
          mark: <StatusMark label={label} />
        }))}
      />
    </Filters>
  )
}
