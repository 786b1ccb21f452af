/** Runs and definitions as the rows of tables. */
import type { RunRecord, Trigger } from '../../../machines/vocabulary.ts'
import type { ListedDefinition } from '../../api/owner/overview.ts'
import { type Paint, statusCell } from './paint.ts'
import { tookMs } from './rows.ts'
import { type Cell, tableLines } from './table.ts'
import { durationText, minuteText, oneLine } from './text.ts'

/** What times are shown in. */
export interface Times {
  /** Epoch ms. */
  now: number
  /** IANA zone. */
  tz: string
  /** Columns that there are; default: any number. */
  room?: number
}

/** No lines for no runs. */
export function runLines(runs: readonly RunRecord[], paint: Paint, { now, tz, room }: Times): string[] {
  const minute = minuteText(tz)
  const rows = runs.map((run): Cell[] => {
    const took = tookMs(run, now)
    const at = run.startedAt ?? run.queuedAt ?? run.createdAt
    return [
      statusCell(run.status),
      oneLine(run.name),
      run.dagRunId,
      minute(at),
      took === undefined ? '' : durationText(took),
      triggerText(run.trigger, minute)
    ]
  })
  return rows.length === 0
    ? []
    : tableLines(['status', 'name', 'run', `started (${tz})`, 'duration', 'trigger'], rows, paint, room)
}

/** No lines for no definitions. */
export function definitionLines(
  definitions: readonly ListedDefinition[],
  paint: Paint,
  { now, tz, room }: Times
): string[] {
  const minute = minuteText(tz)
  const rows = definitions.map(({ fileName, name, suspended, problems, nextRun, latest }): Cell[] => [
    fileName === name ? oneLine(name) : `${oneLine(fileName)} (${oneLine(name)})`,
    latest ? statusCell(latest.status) : { text: 'never ran', style: 'faint' },
    latest ? `${durationText(Math.max(0, now - (latest.finishedAt ?? latest.startedAt ?? latest.createdAt)))} ago` : '',
    problems > 0
      ? { text: `${problems} ${problems === 1 ? 'problem' : 'problems'}`, style: 'red' }
      : suspended
        ? { text: 'suspended', style: 'yellow' }
        : nextRun === undefined
          ? ''
          : minute(nextRun)
  ])
  return rows.length === 0 ? [] : tableLines(['definition', 'last run', '', `next start (${tz})`], rows, paint, room)
}

/** Such as `schedule 2026-03-01 02:00`, `api, the token ci`, `retry by ops`. @param minute shows an instant */
function triggerText(trigger: Trigger | undefined, minute: (at: number) => string): string {
  if (!trigger) return ''
  const { type, again, by, slot, of } = trigger
  const what = slot === undefined ? type : `${type} ${minute(slot)}`
  return [what, by && oneLine(by), again && (of ? `${again} of ${of.dagRunId}` : again)].filter(Boolean).join(', ')
}
