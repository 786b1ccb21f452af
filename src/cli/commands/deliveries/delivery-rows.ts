/** Targets and deliveries as the rows of tables. */
import type { Delivery, NotifyTarget } from '../../../client/index.ts'
import type { Paint } from '../../view/paint.ts'
import { type Cell, tableLines } from '../../view/table.ts'
import { durationText, idIn, instant, oneLine } from '../../view/text.ts'

export function targetLines(targets: readonly NotifyTarget[], paint: Paint, room: number): string[] {
  if (targets.length === 0) return []
  const rows = targets.map(({ name, configured, waiting, dead, failures }): Cell[] => [
    oneLine(name),
    String(waiting),
    { text: String(dead), style: dead > 0 ? 'red' : undefined },
    configured
      ? failures === 0
        ? ''
        : { text: `${failures} failed in a row`, style: 'yellow' }
      : { text: 'not configured any more', style: 'yellow' }
  ])
  return tableLines(['target', 'waiting', 'dead', ''], rows, paint, room)
}

/** @param now epoch ms @param room columns that there are */
export function deliveryLines(deliveries: readonly Delivery[], paint: Paint, now: number, room: number): string[] {
  if (deliveries.length === 0) return []
  const rows = deliveries.map(
    ({ state, target, event, dagName, dagRunId, occurredAt, attempts, nextAttemptAt, error, id }): Cell[] => [
      { text: state, style: state === 'dead' ? 'red' : undefined },
      oneLine(target),
      event,
      dagName === '' ? '' : oneLine(`${dagName} ${idIn(room, dagRunId)}`),
      `${durationText(Math.max(0, now - Date.parse(occurredAt)))} ago`,
      String(attempts),
      dueText(instant(nextAttemptAt), now),
      id,
      oneLine(error)
    ]
  )
  return [
    '',
    ...tableLines(['', 'target', 'event', 'run', 'happened', 'failed', 'next', 'id', 'error'], rows, paint, room)
  ]
}

const dueText = (dueAt: number | undefined, now: number): string =>
  dueAt === undefined ? '' : dueAt <= now ? 'now' : `in ${durationText(dueAt - now)}`
