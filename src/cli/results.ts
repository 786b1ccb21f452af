/**
 * Where results go. A failed write ends no command, because a run is worth more than its output; the program asks at the end
 * whether anything was lost.
 */
import { fstatSync, writeSync } from 'node:fs'
import { codeOf } from '../errors.ts'
import type { Output } from './context.ts'

export interface Results {
  out: Output
  /** Resolves when everything is written, with the first error. A reader that went away (`troupe start x | head`) is no error. */
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
  /** Node ignores a short write, so the rest would be missing on a full disk. */
  function write(text: string): void {
    const bytes = Buffer.from(text)
    try {
      for (let at = 0; at < bytes.length && !lost; ) at += writeSync(stream.fd, bytes, at)
    } catch (error) {
      lost = error as Error // of writeSync
    }
  }
  /** Backpressure: what a slow reader has not read must not pile up in this process. */
  async function drained(): Promise<void> {
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
    out: fstatSync(stream.fd).isFile() ? { write } : Object.assign(stream, { left, drained }),
    async lost() {
      await new Promise((resolve) => void setImmediate(resolve)) // a stream emits an error in the next turn of the event loop
      // A pipe holds 64 KiB; the rest waits in this process and would be lost with it.
      if (stream.writableLength > 0 && !stream.destroyed)
        await new Promise((resolve) => {
          stream.once('close', resolve)
          stream.write('', resolve)
        })
      return lost
    }
  }
}
