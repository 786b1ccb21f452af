/** What asked for a run, in words. Source: http-api "Runs" (`trigger`). */
import { TRIGGER_TYPES } from '../../../machines/vocabulary/lists.ts'
import type { Stopper, Trigger } from '../answers.ts'
import { runLink } from '../route.ts'
import { instant, timeText } from '../text.ts'

const TYPES: Record<Trigger['type'], string> = {
  schedule: 'Schedule',
  api: 'API',
  cli: 'Command line',
  host: 'Host application',
  import: 'Import',
  parent: 'Parent run'
}
const AGAIN: Record<NonNullable<Trigger['again']>, string> = {
  retry: 'retry',
  reschedule: 'rerun',
  restart: 'restart'
}

/** Words for what stopped a run, such as `API, the token ci`. */
export const stopperText = ({ type, by }: Stopper): string =>
  [type === 'engine' ? 'Engine, as it closed' : TYPES[type], by].filter(Boolean).join(', ')

/** Types that a list of runs can be filtered by, and their words. */
export const TRIGGER_CHOICES: [string, string][] = [
  ['', 'Any trigger'],
  ...TRIGGER_TYPES.map((type): [string, string] => [type, TYPES[type]])
]

/** Words for a trigger, such as `Schedule, 14:00:00` or `API, the token ci, rerun`. @param now epoch ms */
export function triggerText({ type, by, slot, again }: Trigger, now: number): string {
  const due = slot === undefined ? undefined : timeText(instant(slot), now)
  return [TYPES[type], due, by, again && AGAIN[again]].filter(Boolean).join(', ')
}

export const TriggeredBy = ({ trigger, now }: { trigger: Trigger; now: number }) => (
  <>
    {triggerText(trigger, now)}
    {trigger.of && (
      <>
        {' of '}
        <a href={runLink(trigger.of)}>
          {trigger.of.name} <span class="mono">{trigger.of.dagRunId}</span>
        </a>
      </>
    )}
  </>
)
