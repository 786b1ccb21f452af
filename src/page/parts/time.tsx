/** An instant in the zone that was chosen; its title has it in the other zones. */
import { exactTime, timeIn, timeText } from '../text.ts'
import { useZone, zones } from '../zone.ts'

interface Props {
  /** Epoch ms; undefined: not yet. */
  at: number | undefined
  /** Epoch ms: of this day, only the time is shown. */
  today: number
  /** With milliseconds, without the day. */
  isExact?: boolean
}

export function Time({ at, today, isExact = false }: Props) {
  const shown = useZone()
  if (at === undefined) return <>–</>
  return (
    <time dateTime={new Date(at).toISOString()} title={elsewhere(at, shown)}>
      {isExact ? exactTime(at) : timeText(at, today)}
    </time>
  )
}

/** A line for each zone, that of the shown time first. */
function elsewhere(at: number, shown: string): string {
  const all = [shown, ...Object.values(zones())]
  return [...new Set(all)].map((zone) => `${timeIn(at, zone)} ${zone}`).join('\n')
}
