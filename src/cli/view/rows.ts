/** A run as rows: one a node in the order of the definition, handlers last. */
import type { NodeRecord } from '../../../machines/vocabulary.ts'
import type { RunView } from '../../engine.ts'
import type { Shown } from './paint.ts'
import { oneLine } from './text.ts'

export interface Row {
  name: string
  status: Shown
  /** Absent: it never started. */
  tookMs?: number
  /** What there is to say beside the status; may be empty. */
  note: string
  /** Paths of the logs of a node that started. */
  stdout?: string
  stderr?: string
}

/** @param now epoch ms, for the time of what still runs */
export function rowsOf({ run, nodes, handlers }: RunView, now: number): Row[] {
  const { onSuccess, onFailure, onCancel, onExit } = handlers
  // A handler that never ran says nothing about a run that has ended.
  const called = [onSuccess, onFailure, onCancel, onExit].filter((view) => view !== undefined)
  const shown = run.finishedAt === undefined ? called : called.filter(({ node }) => node.status !== 'not_started')
  return [...nodes, ...shown].map(({ node }) => rowOf(node, now))
}

function rowOf(node: NodeRecord, now: number): Row {
  const took = tookMs(node, now)
  return {
    name: oneLine(node.step),
    status: shownStatus(node),
    note: noteOf(node),
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

function noteOf({ status, error: told = '', exitCode, retryCount, conditions = [] }: NodeRecord): string {
  const [error = ''] = told.split('\n', 1) // what follows quotes the log
  const notes: string[] = []
  if (status === 'failed') notes.push(error || (exitCode === undefined ? '' : `exit code ${exitCode}`))
  else if (status === 'skipped') notes.push(error || (conditions.find(({ matched }) => !matched)?.error ?? ''))
  else if (status !== 'not_started') notes.push(error)
  if (retryCount > 0) notes.push(retryCount === 1 ? '1 retry' : `${retryCount} retries`)
  return oneLine(notes.filter(Boolean).join(', '))
}

/** How many rows have which status, such as `2 succeeded, 1 running`. */
export function countsText(rows: readonly Row[], wordOf: (status: Shown) => string): string {
  const counts = new Map<Shown, number>()
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${wordOf(status)}`).join(', ')
}
