/** A run as rows: one per node in the order of the definition, its sub DAG runs below it; handlers last. */
import type { Node, RunDetails } from '../../client/index.ts'
import { nodesOf } from './nodes.ts'
import { noteOf, slotNote } from './notes.ts'
import { type Shown, shownState } from './paint.ts'
import { type Row, tookMs } from './row.ts'
import { subRows } from './sub-rows.ts'
import { oneLine } from './text.ts'

/** @param now epoch ms, for the duration of running nodes */
export function rowsOf(run: RunDetails, now: number): Row[] {
  const slot = slotNote(run)
  // A handler that did not run is left out once the run has ended.
  const isShown = ({ statusLabel }: Node, at: number) =>
    at < run.nodes.length || run.finishedAt === '' || statusLabel !== 'not_started'
  return nodesOf(run)
    .filter(isShown)
    .flatMap((node) => [rowOf(node, slot(node), now), ...subRows(node, now)])
}

function rowOf(node: Node, slot: string, now: number): Row {
  const { step, stdout, stderr } = node
  const took = tookMs(node, now)
  return {
    name: oneLine(step.name),
    status: isEnding(node) ? 'stopping' : shownState(node),
    note: oneLine(slot || noteOf(node, now)),
    ...(took === undefined ? {} : { tookMs: took }),
    ...(stdout === '' ? {} : { stdout }),
    ...(stderr === '' ? {} : { stderr })
  }
}

const isEnding = ({ statusLabel, startedAt, finishedAt }: Node): boolean =>
  statusLabel === 'canceled' && startedAt !== '' && finishedAt === ''

/** Not a row of sub DAG runs. */
export const isStep = ({ isSub }: Row): boolean => !isSub

/** Counts of steps by status, such as `2 succeeded, 1 running`. */
export function countsText(rows: readonly Row[], wordOf: (status: Shown) => string): string {
  const counts = new Map<Shown, number>()
  for (const { status } of rows.filter(isStep)) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${wordOf(status)}`).join(', ')
}
