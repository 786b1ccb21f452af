/** The filters of the list of runs. Their values are in the address; the server applies them. Source: http-api "Runs (global)". */
import { RUN_LABELS } from '../answers/runs.ts'
import { ChoiceFilter, TextFilter } from '../parts/filters.tsx'
import { TRIGGER_CHOICES } from '../parts/trigger.tsx'
import { statusText } from '../text.ts'
import { offsetAt } from '../zone.ts'

const STATUSES: [string, string][] = [
  ['', 'Any status'],
  ...RUN_LABELS.map((label, at): [string, string] => [String(at), statusText(label)])
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

/** @param now epoch ms @returns Unix seconds */
function periodOf(name: string, now: number): { fromDate?: string; toDate?: string } {
  if (name === 'night') {
    const offset = offsetAt(now)
    // As if the clocks of the shown zone were those of UTC.
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

/** Texts in the address, each with the parameter of the API that it is. */
const TEXTS = ['name', 'dagRunId', 'params', 'tag', 'by', 'status', 'trigger'] as const

/** The parameters of the API for what is in the address. @param now epoch ms */
export function filtersOf(query: URLSearchParams, now: number): Record<string, string> {
  const given = TEXTS.flatMap((name) => {
    const value = query.get(name) ?? ''
    return value === '' ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(given), ...periodOf(query.get('period') ?? '', now) }
}

export function RunFilters({ query }: { query: URLSearchParams }) {
  const value = (name: string) => query.get(name) ?? ''
  return (
    <div class="filters">
      <TextFilter label="Name" name="name" value={value('name')} />
      <TextFilter label="Run ID" name="dagRunId" value={value('dagRunId')} />
      <TextFilter label="Parameter" name="params" value={value('params')} />
      <TextFilter label="Tag" name="tag" value={value('tag')} />
      <ChoiceFilter label="Status" name="status" value={value('status')} choices={STATUSES} />
      <ChoiceFilter label="Created" name="period" value={value('period')} choices={PERIODS} />
      <ChoiceFilter label="Trigger" name="trigger" value={value('trigger')} choices={TRIGGER_CHOICES} />
    </div>
  )
}
