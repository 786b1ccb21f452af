/** `archive` steps: extract, create, list; the result as JSON on stdout. The work is done in a thread. Source: execution-semantics 10.5. */
import { rm } from 'node:fs/promises'
import type { Clock } from '../../clock.ts'
import type { Work } from '../frame/in-process.ts'
import { masksIn } from '../frame/masked-json.ts'
import { write } from '../frame/step-output.ts'
import { inThread, type ThreadWork } from '../frame/worker-thread.ts'
import { failure, failureOf } from './codes.ts'
import { LIMITS } from './guard.ts'
import { forgetPartial, notePartial } from './partial-note.ts'
import { type ArchiveOutcome, requestOf } from './request.ts'

const HEAP_MB = 1_024

/** Resolves with an exit code of 10.5.10. @param run does the work, in a thread of its own @throws ExecutionError with one */
export async function archive(
  { execution, signal, stdout, stderr }: Work,
  clock: Clock,
  limits = LIMITS,
  run: (work: ThreadWork, clock: Clock) => Promise<ArchiveOutcome> = inThread<ArchiveOutcome>
): Promise<number> {
  const began = clock.elapsed()
  const data = requestOf(execution, Buffer.from(clock.random(6)).toString('hex'), limits)
  const module = new URL('./worker.js', import.meta.url)
  if (data.operation === 'create' && data.partial) notePartial(execution, data.partial)
  const note = (line: string) => void stderr.write(`${line}\n`)
  try {
    // No time limit here: that of the step applies.
    const work = { module, leaves: true, data, signal, limitMs: 0, heapMb: HEAP_MB, note }
    const { exitCode, message, result } = await run(work, clock)
    if (message !== undefined) await write(stderr, `${message}\n`)
    if (result)
      await write(
        stdout,
        `${JSON.stringify({ ...result, duration: durationText(clock.elapsed() - began) }, masksIn(execution.masking), 2)}\n`
      )
    return exitCode
  } catch (error) {
    throw signal.aborted ? failure('canceled', 'canceled', error) : failureOf(error, 'other')
  } finally {
    if (data.partial) await rm(data.partial, { force: true }).catch(() => {}) // it may never have existed
    forgetPartial(execution)
  }
}

/** `1.5ms`, `2.25s`, `1m3s` */
export function durationText(ms: number): string {
  const round = (value: number) => String(Number(value.toFixed(3)))
  if (ms < 1_000) return `${round(ms)}ms`
  if (ms < 60_000) return `${round(ms / 1_000)}s`
  const minutes = Math.floor(ms / 60_000)
  const rest = `${minutes % 60}m${round((ms % 60_000) / 1_000)}s`
  return minutes < 60 ? rest : `${Math.floor(minutes / 60)}h${rest}`
}
