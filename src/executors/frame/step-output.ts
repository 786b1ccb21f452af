/** The two streams of an in-process execution, to its logs and to their copies. Source: execution-semantics 4.5. */
import { statSync } from 'node:fs'
import { appendFile, type FileHandle, open } from 'node:fs/promises'
import { type Transform, Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { SecretMark } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import { maskStream } from '../../masking/mask-stream.ts'
import { reasonOf } from '../../platform/make-folder.ts'
import { noteTimes, type TimesNote } from '../../platform/note-times.ts'
import type { Execution } from '../executor.ts'
import { markLine, marksPath } from '../launcher/marks.ts'

/** For an output that is read again from its beginning: masked bytes that are in the logs already. */
export interface Written {
  stdout: number
  stderr: number
}

export interface StepOutput {
  stdout: Writable
  stderr: Writable
  /** Resolves when everything is written. @throws Error when a write has failed */
  close(): Promise<void>
  /** Discards unwritten data. */
  abandon(): void
}

/** Unbuffered, so that readers see each write at once; only the mask of secrets may hold some of it back. */
export function openStepOutput(
  { stdout, stderr, copies, masking }: Pick<Execution, 'stdout' | 'stderr' | 'copies' | 'masking'>,
  clock: Clock,
  written?: Written
): StepOutput {
  const marks: SecretMark[] = []
  const before = (statSync(stdout, { throwIfNoEntry: false })?.size ?? 0) - (written?.stdout ?? 0)
  const mask = (note?: (mark: SecretMark) => void) => masking && maskStream(masking.secrets, clock, note)
  const streams = [
    openStream(
      [stdout, copies?.stdout, copies?.both],
      clock,
      written?.stdout,
      mask(masking?.marks ? (mark) => void marks.push(mark) : undefined)
    ),
    openStream([stderr, copies?.stderr, copies?.both], clock, written?.stderr, mask())
  ] as const
  const [out, err] = streams
  return {
    stdout: out.head,
    stderr: err.head,
    async close() {
      for (const { head } of streams) head.end()
      await Promise.all(streams.map(({ done }) => done))
      const lines = marks.map((mark) => markLine({ ...mark, at: mark.at + before }))
      if (lines.length > 0) await appendFile(marksPath(stdout), lines.join(''), { mode: 0o600 })
    },
    abandon() {
      for (const { head } of streams) head.destroy()
    }
  }
}

function openStream(
  paths: [log: string, ...copies: (string | undefined)[]],
  clock: Clock,
  written = 0,
  mask?: Transform
): { head: Writable; done: Promise<void> } {
  const [log, ...copies] = paths
  const tail = fileWriter([log, ...copies.filter((path) => path !== undefined)], clock, written)
  const done = mask ? pipeline(mask, tail) : finished(tail)
  done.catch(() => {}) // reported by `close`; nobody waits for an abandoned stream
  return { head: mask ?? tail, done }
}

/** Appends to all files, without the first `written` bytes; notes when the first one, the log, was written. */
function fileWriter(paths: [log: string, ...copies: string[]], clock: Clock, written: number): Writable {
  let left = written
  let files: FileHandle[] = []
  let note: TimesNote | undefined
  const closeAll = () => Promise.all([note?.end(), ...files.splice(0).map((file) => file.close())])
  return new Writable({
    construct(done) {
      Promise.all(paths.map((path) => open(path, 'a', 0o600).catch(refusal(path)))).then(
        (opened) => {
          files = opened
          note = noteTimes(paths[0], clock.now())
          done()
        },
        (error: Error) => done(error)
      )
    },
    write(chunk: Buffer, _, done) {
      const rest = chunk.subarray(left)
      left -= Math.min(left, chunk.length)
      const written = files.map((file, at) => file.appendFile(rest).catch(refusal(paths[at] ?? '')))
      Promise.all(written).then(() => {
        note?.wrote(rest.length, clock.now())
        done()
      }, done)
    },
    final(done) {
      closeAll().then(() => done(), done)
    },
    destroy(error, done) {
      closeAll().then(() => done(error), done)
    }
  })
}

/** The file that failed, and why. */
const refusal = (path: string) => (cause: unknown) => {
  throw new Error(`${path}: ${reasonOf(cause)}`, { cause })
}

/** Writes, then waits for drain. @throws Error that broke the stream, however long ago */
export const write = (stream: Writable, chunk: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(chunk, (error) => (error ? reject(stream.errored ?? error) : resolve()))
  })
