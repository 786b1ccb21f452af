/** When the schedules of a definition fire next, each start with the zone of its expression. Source: http-api "Definitions" (next-runs). */
import { pathOf } from '../api.ts'
import type { NextRun } from '../compared.ts'
import { useNow } from '../parts/now.ts'
import { Time } from '../parts/time.tsx'
import { lengthText, minuteText } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { useDefinitionZone, useZone } from '../zone.ts'

const FEW = 5

export function NextStarts({ fileName, changes }: { fileName: string; changes: number }) {
  const { value } = useAnswer<{ nextRuns: NextRun[] }>(`/dags${pathOf(fileName)}/next-runs?limit=${FEW}`, changes)
  const now = useNow(false)
  const shown = useZone()
  useDefinitionZone(value?.nextRuns[0]?.zone)
  if (!value || value.nextRuns.length === 0) return null
  return (
    <ol class="next-starts">
      {value.nextRuns.map(({ atMs, zone, expression }) => (
        <li key={atMs} title={expression}>
          <Time at={atMs} today={now} /> <span class="soft">{shown}</span>
          {zone !== shown && (
            <span class="soft">
              , {minuteText(atMs, zone)} {zone}
            </span>
          )}
          <span class="soft">, in {lengthText(Math.max(0, atMs - now))}</span>
        </li>
      ))}
    </ol>
  )
}
