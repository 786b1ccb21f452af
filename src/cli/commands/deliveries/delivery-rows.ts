/** Targets and deliveries as the rows of tables. */
import type { DeliveryView, TargetView } from '../../../engine/engine.ts'
import type { Paint } from '../../view/paint.ts'
import { type Cell, tableLines } from '../../view/table.ts'
import { durationText, oneLine } from '../../view/text.ts'

export function targetLines(targets: readonly TargetView[], paint: Paint, room: number): string[] {
  if (targets.length === 0) return []
  const rows = targets.map(({ name, isConfigured, waiting, dead, failures = 0 }): Cell[] => [
    oneLine(name),
    String(waiting),
    { text: String(dead), style: dead > 0 ? 'red' : undefined },
    isConfigured
      ? failures === 0
        ? ''
        : { text: `${failures} failed in a row`, style: 'yellow' }
      : { text: 'not configured any more', style: 'yellow' }
  ])
  return tableLines(['target', 'waiting', 'dead', ''], rows, paint, room)
}

/** @param now epoch ms @param room columns that there are */
export function deliveryLines(deliveries: readonly DeliveryView[], paint: Paint, now: number, room: number): string[] {
  if (deliveries.length === 0) return []
  const rows = deliveries.map(({ state, target, event, run, at, attempts, dueAt, error = '', id }): Cell[] => [
    { text: state, style: state === 'dead' ? 'red' : undefined },
    oneLine(target),
    event,
    run ? oneLine(`${run.name} ${run.dagRunId}`) : '',
    `${durationText(Math.max(0, now - at))} ago`,
    String(attempts),
    dueAt === undefined ? '' : dueAt <= now ? 'now' : `in ${durationText(dueAt - now)}`,
    id,
    oneLine(error)
  ])
  return [
    '',
    ...tableLines(['', 'target', 'event', 'run', 'happened', 'failed', 'next', 'id', 'error'], rows, paint, room)
  ]
}
