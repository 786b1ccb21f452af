/** A command at work in a session: its streams, the process group that it said it is, and how it ended. Source: execution-semantics 10.3.8. */
import { type Clock, pause } from '../../clock.ts'
import type { RemoteEnd, Session } from './pool.ts'

export interface RemoteProcess {
  /** Id of its process group on that machine; undefined: it ended without saying. */
  group: Promise<number | undefined>
  /** Resolves when all that it wrote is passed on. @throws Error when that cannot be written */
  ended: Promise<RemoteEnd>
}

export interface Sink {
  stdout(chunk: Uint8Array): Promise<void>
  stderr(chunk: Uint8Array): Promise<void>
}

/** What a process left behind may hold the streams open; they are drained this long after its end. */
const DRAIN_MS = 2_000

/** @param mark what its first line on stderr begins with, see `remoteLine` */
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
        writing.catch(() => {}) // told below
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
    channel.on('error', () => {}) // what follows is `close`, and that is what counts
    void exited.then(async (how) => {
      end = how
      await pause(clock, DRAIN_MS, over.signal)
      channel.close()
      await settle()
    })
    // The channel closes when stdout has ended, whatever is still to be taken of stderr.
    void Promise.all([closeOf(channel), closeOf(channel.stderr)]).then(settle)
  })
  return { group, ended }
}

const closeOf = (stream: NodeJS.EventEmitter) => new Promise((resolve) => stream.once('close', resolve))

/** Takes the line with the mark out of a stream. What comes before it, from the shell's own files, goes on. */
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
    /** What was held back, when there is no more to come. */
    rest(): Uint8Array {
      const rest = held ?? Buffer.alloc(0)
      held = undefined
      return rest
    }
  }
}
