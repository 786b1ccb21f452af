/** When the schedules of a definition fire next, each start with the zone of its expression. Source: http-api "Definitions" (next-runs). */
import type { NextRun } from '../answers.ts'
import { pathOf } from '../api.ts'
import { dateAt } from '../calendar/dates.ts'
import { useNow } from '../parts/now.ts'
import { Time } from '../parts/time.tsx'
import { useCronWords } from '../schedule/cron-words.ts'
import { meaningText } from '../schedule/meaning.ts'
import { lengthText, minuteText } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { offsetAt, useDefinitionZone, useZone } from '../zone.ts'

const FEW = 5

interface Props {
  fileName: string
  changes: number
  /** The definition has several schedules: each start names its own. */
  isOneOfMany: boolean
}

export function NextStarts({ fileName, changes, isOneOfMany }: Props) {
  const { value } = useAnswer<{ nextRuns: NextRun[] }>(`/dags${pathOf(fileName)}/next-runs?limit=${FEW}`, changes)
  const now = useNow(false)
  const shown = useZone()
  const meaningOf = useCronWords()
  useDefinitionZone(value?.nextRuns[0]?.zone)
  const [first, ...others] = value?.nextRuns ?? []
  if (!first) return null
  const start = ({ atMs, zone, expression }: NextRun) => (
    <span class="next-start" title={`${meaningText(expression, meaningOf(expression))}\n${expression}`}>
      {atMs - now < DAY_MS && dayOf(atMs) !== dayOf(now) && 'tomorrow '}
      <Time at={atMs} today={atMs - now < DAY_MS ? atMs : now} />
      {zone !== shown && (
        <span class="soft">
          {' '}
          ({minuteText(atMs, zone)} {placeOf(zone)})
        </span>
      )}
      <span class="soft">, in {lengthText(Math.max(0, atMs - now))}</span>
      {isOneOfMany && <span class="soft">. {meaningOf(expression).words ?? expression}</span>}
    </span>
  )
  if (others.length === 0) return start(first)
  return (
    <details class="next-starts">
      <summary>
        {start(first)} <span class="soft">(+{others.length} more)</span>
      </summary>
      <ol>
        {others.map((next) => (
          <li key={next.atMs}>{start(next)}</li>
        ))}
      </ol>
    </details>
  )
}

const DAY_MS = 86_400_000
const dayOf = (at: number) => dateAt(at, offsetAt(at))
/** `New York`. */
const placeOf = (zone: string) => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
