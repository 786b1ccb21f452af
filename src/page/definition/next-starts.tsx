/** When the schedules of a definition fire next, each start with the zone of its expression. Source: http-api "Definitions" (next-runs). */
import type { NextRun } from '../answers.ts'
import { pathOf } from '../api.ts'
import { useNow } from '../parts/now.ts'
import { Time } from '../parts/time.tsx'
import { useCronWords } from '../schedule/cron-words.ts'
import { meaningText } from '../schedule/meaning.ts'
import { lengthText, minuteText } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { useDefinitionZone, useZone } from '../zone.ts'

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
  if (!value || value.nextRuns.length === 0) return null
  return (
    <ol class="next-starts">
      {value.nextRuns.map(({ atMs, zone, expression }) => (
        <li key={atMs} title={`${meaningText(expression, meaningOf(expression))}\n${expression}`}>
          <Time at={atMs} today={now} /> <span class="soft">{shown}</span>
          {zone !== shown && (
            <span class="soft">
              , {minuteText(atMs, zone)} {zone}
            </span>
          )}
          <span class="soft">, in {lengthText(Math.max(0, atMs - now))}</span>
          {isOneOfMany && <span class="soft">. {meaningOf(expression).words ?? expression}</span>}
        </li>
      ))}
    </ol>
  )
}
