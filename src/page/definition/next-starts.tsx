/** When the schedules of a definition fire next, each start with the zone of its expression. Source: http-api "Definitions" (next-runs). */
import { pathOf } from '../api.ts'
import type { NextRun } from '../compared.ts'
import { useNow } from '../parts/now.ts'
import { lengthText, timeText, ZONE } from '../text.ts'
import { useAnswer } from '../use-answer.ts'

const FEW = 5

export function NextStarts({ fileName, changes }: { fileName: string; changes: number }) {
  const { value } = useAnswer<{ nextRuns: NextRun[] }>(`/dags${pathOf(fileName)}/next-runs?limit=${FEW}`, changes)
  const now = useNow(false)
  if (!value || value.nextRuns.length === 0) return null
  return (
    <ol class="next-starts">
      {value.nextRuns.map(({ atMs, zone, expression }) => (
        <li key={atMs} title={expression}>
          {timeText(atMs, now)} <span class="soft">{ZONE}</span>
          {zone !== ZONE && (
            <span class="soft">
              , {inZone(atMs, zone)} {zone}
            </span>
          )}
          <span class="soft">, in {lengthText(Math.max(0, atMs - now))}</span>
        </li>
      ))}
    </ol>
  )
}

/** `02:00`, on the clocks of a zone. */
const inZone = (at: number, zone: string): string =>
  new Intl.DateTimeFormat(undefined, { timeZone: zone, hour: '2-digit', minute: '2-digit', hour12: false }).format(at)
