/** A run as rows: one per node in the order of the definition, its sub DAG runs below it; handlers last. */
import type { NodeRecord } from '../../../machines/vocabulary.ts'
import type { HandlerView, RunView } from '../../engine/engine.ts'
import { noteOf, slotNote } from './notes.ts'
import type { Shown } from './paint.ts'
import type { Row } from './row.ts'
import { subRows } from './sub-rows.ts'
import { oneLine } from './text.ts'

/** @param now epoch ms, for the duration of running nodes */
export function rowsOf(view: RunView, now: number): Row[] {
  const { run, nodes, handlers } = view
  const { onSuccess, onFailure, onCancel, onExit } = handlers
  // A handler that did not run is left out once the run has ended.
  const called = [onSuccess, onFailure, onCancel, onExit].filter((view) => view !== undefined)
  const shown = run.finishedAt === undefined ? called : called.filter(({ node }) => node.status !== 'not_started')
  const slot = slotNote(view)
  return [...nodes, ...shown].flatMap((view) => [rowOf(view, slot(view), now), ...subRows(view, now)])
}

function rowOf(view: HandlerView, slot: string, now: number): Row {
  const { node } = view
  const took = tookMs(node, now)
  return {
    name: oneLine(node.step),
    status: shownStatus(node),
    note: oneLine(slot || noteOf(view, now)),
    ...(took === undefined ? {} : { tookMs: took }),
    ...(node.stdout === undefined ? {} : { stdout: node.stdout }),
    ...(node.stderr === undefined ? {} : { stderr: node.stderr })
  }
}

/** Time from start to end, or until `now`. */
export const tookMs = (
  { startedAt, finishedAt }: { startedAt?: number; finishedAt?: number },
  now: number
): number | undefined => (startedAt === undefined ? undefined : (finishedAt ?? now) - startedAt)

function shownStatus({ status, startedAt, finishedAt }: NodeRecord): Shown {
  const isEnding = status === 'canceled' && startedAt !== undefined && finishedAt === undefined
  return isEnding ? 'stopping' : status
}

/** Not a row of sub DAG runs. */
export const isStep = ({ isSub }: Row): boolean => !isSub

/** Counts of steps by status, such as `2 succeeded, 1 running`. */
export function countsText(rows: readonly Row[], wordOf: (status: Shown) => string): string {
  const counts = new Map<Shown, number>()
  for (const { status } of rows.filter(isStep)) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${wordOf(status)}`).join(', ')
}
