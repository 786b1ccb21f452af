/** A command that runs in a session: its streams, its process group, and how it ended. Source: execution-semantics 10.3.8. */
import { type Clock, pause } from '../../clock.ts'
import type { RemoteEnd, Session } from './pool.ts'

export interface RemoteProcess {
  /** Id of the remote process group; undefined: the process ended without printing it. */
  group: Promise<number | undefined>
  /** Resolves when all its output is written. @throws Error when a write fails */
  ended: Promise<RemoteEnd>
}

export interface Sink {
  stdout(chunk: Uint8Array): Promise<void>
  stderr(chunk: Uint8Array): Promise<void>
}

/** Orphans may keep the streams open; they are drained this long after the end of the process. */
const DRAIN_MS = 2_000

/** @param mark prefix of its first line on stderr, see `remoteLine` */
export function attach({ channel, exited }: Session, mark: string, sink: Sink, clock: Clock): RemoteProcess {
  let tellGroup = (_group: number | undefined) => {}
  const group = new Promise<number | undefined>((resolve) => {
    tellGroup = resolve
  })
  const finder = findMark(mark, (found) => tellGroup(found))
  let end: RemoteEnd = {}
  const ended = new Promise<RemoteEnd>((resolve, reject) => {
    let writing = Promise.resolve()
    const over = new AbortController()
    const pass = (stream: NodeJS.ReadableStream, write: (chunk: Uint8Array) => Promise<void>) =>
      stream.on('data', (chunk: Buffer) => {
        if (over.signal.aborted) return
        stream.pause()
        const written = write(chunk)
        writing = Promise.all([writing, written]).then(() => {})
        writing.catch(() => {}) // reported below
        written.then(
          () => stream.resume(),
          (error) => {
            reject(error)
            channel.close()
          }
        )
      })
    const settle = async () => {
      if (over.signal.aborted) return
      over.abort()
      tellGroup(undefined)
      writing = Promise.all([writing, sink.stderr(finder.rest())]).then(() => {})
      await writing.then(() => resolve(end), reject)
    }
    pass(channel, sink.stdout)
    pass(channel.stderr, (chunk) => sink.stderr(finder.filter(chunk)))
    channel.on('error', () => {}) // `close` follows and is handled
    void exited.then(async (how) => {
      end = how
      await pause(clock, DRAIN_MS, over.signal)
      channel.close()
      await settle()
    })
    // The channel closes when stdout has ended, even if stderr has unread data.
    void Promise.all([closeOf(channel), closeOf(channel.stderr)]).then(settle)
  })
  return { group, ended }
}

const closeOf = (stream: NodeJS.EventEmitter) => new Promise((resolve) => stream.once('close', resolve))

/** Removes the line with the mark from a stream. Earlier output, from the shell's startup files, passes through. */
function findMark(mark: string, found: (group: number) => void) {
  const start = Buffer.from(`${mark} `)
  let held: Buffer | undefined = Buffer.alloc(0)
  return {
    filter(chunk: Uint8Array): Uint8Array {
      if (!held) return chunk
      const all = Buffer.concat([held, chunk])
      const at = all.indexOf(start)
      const lineEnd = at < 0 ? -1 : all.indexOf('\n', at)
      if (lineEnd >= 0) {
        held = undefined
        found(Number(all.toString('latin1', at + start.length, lineEnd)))
        return Buffer.concat([all.subarray(0, at), all.subarray(lineEnd + 1)])
      }
      const keep = at >= 0 ? at : Math.max(0, all.length - start.length)
      held = all.subarray(keep)
      return all.subarray(0, keep)
    },
    /** Returns the held-back rest at the end. */
    rest(): Uint8Array {
      const rest = held ?? Buffer.alloc(0)
      held = undefined
      return rest
    }
  }
}
