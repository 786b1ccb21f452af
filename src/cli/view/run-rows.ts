/** Runs and definitions as the rows of tables. */
import type { DagListItem, RunSummary, Trigger } from '../../client/index.ts'
import { type Paint, shownState, statusCell } from './paint.ts'
import { endOf, startOf, tookMs } from './row.ts'
import { type Cell, tableLines, type Yield } from './table.ts'
import { counted, durationText, idIn, instant, minuteText, oneLine } from './text.ts'

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
export function runLines(runs: readonly RunSummary[], paint: Paint, { now, tz, room }: Times): string[] {
  const minute = minuteText(tz)
  const rows = runs.map((run): Cell[] => {
    const took = tookMs(run, now)
    const at = begunAt(run)
    return [
      statusCell(shownState(run), sleepText(run, minute)),
      oneLine(run.name),
      idIn(room, run.dagRunId),
      at === undefined ? '' : minute(at),
      took === undefined ? '' : durationText(took),
      triggerText(run.trigger, minute, room)
    ]
  })
  return rows.length === 0
    ? []
    : tableLines(['status', 'name', 'run', `started (${tz})`, 'duration', 'trigger'], rows, paint, room, YIELDS)
}
/** The trigger first, then the start: name, status, id and duration stay. */
const YIELDS: readonly Yield[] = [
  [5, 8],
  [5, 0],
  [0, 24],
  [1, 16],
  [3, 0],
  [1, 6],
  [0, 3]
]

/** When it started, or was queued; epoch ms. */
export const begunAt = (run: RunSummary): number | undefined => startOf(run) ?? instant(run.queuedAt)

/** No lines for no definitions. */
export function definitionLines(definitions: readonly DagListItem[], paint: Paint, { now, tz, room }: Times): string[] {
  const minute = minuteText(tz)
  const rows = definitions.map(
    ({ fileName, dag: { name, nextRun }, suspended, errors, latestDAGRun: latest }): Cell[] => {
      const next = instant(nextRun)
      const hasRun = latest.dagRunId !== ''
      return [
        fileName === name ? oneLine(name) : `${oneLine(fileName)} (${oneLine(name)})`,
        hasRun ? statusCell(shownState(latest), sleepText(latest, minute)) : { text: 'never ran', style: 'faint' },
        hasRun ? `${durationText(now - (endOf(latest) ?? begunAt(latest) ?? now))} ago` : '',
        errors.length > 0
          ? { text: counted(errors.length, 'problem'), style: 'red' }
          : suspended
            ? { text: 'suspended', style: 'yellow' }
            : next === undefined
              ? ''
              : minute(next)
      ]
    }
  )
  return rows.length === 0
    ? []
    : tableLines(['definition', 'last run', '', `next start (${tz})`], rows, paint, room, YIELDS_OF_DEFINITIONS)
}
/** Names and what their last runs were stay. */
const YIELDS_OF_DEFINITIONS: readonly Yield[] = [
  [0, 16],
  [3, 16],
  [3, 0],
  [2, 0],
  [0, 8]
]

/** Until when it sleeps. @param minute shows an instant */
function sleepText({ waitingFor }: RunSummary, minute: (at: number) => string): string {
  const until = waitingFor?.for === 'sleep' ? instant(waitingFor.until) : undefined
  return until === undefined ? '' : ` until ${minute(until)}`
}

/** Such as `schedule 2026-03-01 02:00`, `api, the token ci`, `retry by ops`. @param minute shows an instant */
function triggerText(trigger: Trigger | undefined, minute: (at: number) => string, room?: number): string {
  if (!trigger) return ''
  const { type, again, by, slot, of } = trigger
  const at = instant(slot)
  const what = at === undefined ? type : `${type} ${minute(at)}`
  return [what, by && oneLine(by), again && (of ? `${again} of ${idIn(room, of.dagRunId)}` : again)]
    .filter(Boolean)
    .join(', ')
}
