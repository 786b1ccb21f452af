/**
 * Where results go. What cannot be written ends no command, since a run is worth more than what is said of it; the program asks at its
 * end whether something was lost.
 */
import { fstatSync, writeSync } from 'node:fs'
import { codeOf } from '../errors.ts'
import type { Output } from './surroundings.ts'

export interface Results {
  out: Output
  /** Resolves when all has been taken: why something could not be written. A reader that went away (`troupe start x | head`) wanted no more, and lost nothing. */
  lost(): Promise<Error | undefined>
}

export function openResults(stream: NodeJS.WriteStream & { fd: number }): Results {
  let lost: Error | undefined
  const left = new Promise<void>((resolve) => {
    stream.on('error', (error) => {
      if (codeOf(error) === 'EPIPE') resolve()
      else lost ??= error
    })
  })
  /** Node writes once, and asks not how much of it was taken: the rest would be missing at the end of a disk. */
  function write(text: string): void {
    const bytes = Buffer.from(text)
    try {
      for (let at = 0; at < bytes.length && !lost; ) at += writeSync(stream.fd, bytes, at)
    } catch (error) {
      lost = error as Error // of writeSync
    }
  }
  /** What a slow reader has not made room for must not pile up in this process. */
  async function room(): Promise<void> {
    if (!stream.writableNeedDrain || stream.destroyed) return
    await new Promise<void>((resolve) => {
      const done = () => {
        stream.off('drain', done).off('error', done)
        resolve()
      }
      stream.on('drain', done).on('error', done)
    })
  }
  return {
    out: fstatSync(stream.fd).isFile() ? { write } : Object.assign(stream, { left, room }),
    async lost() {
      await new Promise((resolve) => void setImmediate(resolve)) // a stream tells of an error in the next turn
      // A pipe holds 64 KiB: what its reader has not made room for yet waits in this process, and would end with it.
      if (stream.writableLength > 0 && !stream.destroyed)
        await new Promise((resolve) => {
          stream.once('close', resolve)
          stream.write('', resolve)
        })
      return lost
    }
  }
}
