/** Processes between a step and its logs: one that masks, or one for each copied stream. Source: execution-semantics 4.5.2, 14.4.6. */
import { secretsOf } from '../../../masking/secrets.ts'
import type { Job } from '../job.ts'
import { COPY_FAILED, HANGING_SECONDS, maskingOf, maskOrder, maskProgram } from '../mask-order.ts'
import { type Stream, uncopiedNote } from '../uncopied.ts'

/** A filter as `troupe-launcher` takes it. */
export interface Filter {
  /** Bits: 1 it reads stdout, 2 stderr. */
  streams: number
  /** One line for fd 4 of the filter; empty: none. */
  order: string
  /** File for its stderr. */
  errors: string
  /** How long the filter may go on after the end of the step. */
  drainMs: number
  /** Path of the program. */
  program: string
  argv: string[]
  /** Pairs of an exit code (`*`: any but 0) and what it adds to the record of a step that succeeded. */
  notes: string[]
}

/** How long a copy may lag behind the end of the step before it is given up: a grandchild may hold the pipe for ever. */
const DRAIN_MS = 2_000
const STREAMS: [Stream, number][] = [
  ['stdout', 1],
  ['stderr', 2]
]

/** @param find path of a program */
export function filtersOf(job: Job, find: (program: string) => string): Filter[] {
  const { copies = {} } = job
  const masking = maskingOf(job)
  if (masking) {
    const { mask } = secretsOf(masking.values)
    const notes = STREAMS.flatMap(([stream]) => [
      String(COPY_FAILED[stream]),
      uncopiedNote(stream, mask(copies[stream] ?? ''))
    ])
    const order = `${JSON.stringify(maskOrder(job, masking))}\n`
    const drainMs = HANGING_SECONDS * 1_000
    return [{ streams: 3, order, errors: '/dev/null', drainMs, program: process.execPath, argv: maskProgram(), notes }]
  }
  return STREAMS.flatMap(([stream, streams]) => {
    const copy = copies[stream]
    if (copy === undefined) return []
    // D8: `tee` makes the copies of `stdout:` and `stderr:`
    const argv = ['tee', '-a', job[stream], ...(copies.both ? [copies.both] : []), copy]
    const notes = ['*', uncopiedNote(stream, copy)]
    return { streams, order: '', errors: job.stderr, drainMs: DRAIN_MS, program: find('tee'), argv, notes }
  })
}
