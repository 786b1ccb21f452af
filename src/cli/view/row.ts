/** One row of the tree that shows a run, and how long that took. */
import { isWait, type Shown, wordOf } from './paint.ts'
import { instant } from './text.ts'

export interface Row {
  name: string
  status: Shown
  /** A row of sub DAG runs, below the row of their node. */
  isSub?: true
  /** Absent: it never started. */
  tookMs?: number
  /** The note beside the status; may be empty. */
  note: string
  /** Paths of the logs of a node that started. */
  stdout?: string
  stderr?: string
}

/** The note where no word is beside it: a wait says what it waits for, unless the note does. */
export const noteAlone = ({ status, note }: Row): string =>
  isWait(status) && !note.includes(wordOf(status)) ? [wordOf(status), note].filter(Boolean).join(', ') : note

/** What the API tells of a start and an end. A server of an earlier release has seconds alone. */
export interface Timed {
  startedAt?: string
  startedAtMs?: number
  finishedAt?: string
  finishedAtMs?: number
}

/** Epoch ms; undefined: not yet. */
export const startOf = ({ startedAt, startedAtMs = instant(startedAt) }: Timed): number | undefined => startedAtMs
export const endOf = ({ finishedAt, finishedAtMs = instant(finishedAt) }: Timed): number | undefined => finishedAtMs

/** Time from start to end, or until `now`. */
export function tookMs(timed: Timed, now: number): number | undefined {
  const start = startOf(timed)
  return start === undefined ? undefined : (endOf(timed) ?? now) - start
}
