/**
 * Comes between this process and its file system: every call that changes a file is shown before it happens, and can be
 * made to fail, or to be the last thing that this process ever does. Node lets its own modules be patched; nothing of
 * the engine is.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { WritableCall } from './points/points.ts'

/** What becomes of a call. */
export type Fault =
  /** It fails with this code, and nothing of it has happened. */
  | { fails: string }
  /** The process dies by SIGKILL: before it, when half of its bytes are written, or right after it. */
  | { dies: 'before' | 'half' | 'after' }
  /** It seems to have happened. */
  | { lies: true }

/** Called for each call; returns what happens to it. */
export type Listener = (call: WritableCall) => Fault | undefined

const messages: Record<string, string> = {
  ENOSPC: 'no space left on device',
  EIO: 'i/o error',
  EROFS: 'read-only file system'
}

/** The error that the system gives for a code. */
export function systemError(code: string, call: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${messages[code] ?? 'failed'}, ${call} '${path}'`), {
    code,
    syscall: call,
    path,
    errno: -1
  })
}

export const die = (): never => {
  process.kill(process.pid, 'SIGKILL')
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000) // the signal is on its way
}

/** Bytes that a `writeSync` was asked to write. */
const lengthOf = ([, data, , length]: unknown[]): number =>
  typeof length === 'number' ? length : Buffer.byteLength(data as Buffer | string)

type AnyCall = (...args: unknown[]) => unknown
const BY_PATH = [
  'writeFileSync',
  'appendFileSync',
  'mkdirSync',
  'renameSync',
  'linkSync',
  'rmSync',
  'rmdirSync',
  'unlinkSync',
  'copyFileSync',
  'chmodSync',
  'symlinkSync'
]
const PROMISED = [
  'writeFile',
  'appendFile',
  'mkdir',
  'rename',
  'link',
  'rm',
  'rmdir',
  'unlink',
  'copyFile',
  'symlink',
  'open'
]
const WRITING = /[wa+]/

/** From now on. */
export function interceptFileCalls(listen: Listener): void {
  const { readlinkSync, writeSync } = fs
  const all = fs as unknown as Record<string, AnyCall>
  const promised = fs.promises as unknown as Record<string, AnyCall>
  const pathOf = (file: unknown): string => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`)
    } catch {
      return ''
    }
  }

  function perform(name: string, path: string, args: unknown[], call: () => unknown, half?: () => void): unknown {
    const fault = listen({ name, path, args })
    if (!fault) return call()
    if ('lies' in fault) return name === 'writeSync' ? lengthOf(args) : undefined
    if ('fails' in fault) throw systemError(fault.fails, name, path)
    if (fault.dies === 'before') die()
    if (fault.dies === 'half') half?.()
    else call()
    return die()
  }

  const patch = (place: Record<string, AnyCall>, name: string, by: (original: AnyCall) => AnyCall) => {
    const original = place[name]
    if (original) place[name] = by(original.bind(place))
  }
  for (const name of BY_PATH)
    patch(
      all,
      name,
      (original) =>
        (...args) =>
          perform(name, String(args[0]), args, () => original(...args))
    )
  patch(all, 'openSync', (original) => (...args) => {
    const writes = typeof args[1] === 'string' ? WRITING.test(args[1]) : false
    return writes ? perform('openSync', String(args[0]), args, () => original(...args)) : original(...args)
  })
  patch(all, 'writeSync', (original) => (...args) => {
    const [file, data, offset, length, position] = args as [number, Buffer | string, number?, number?, number?]
    const bytes = Buffer.from(data)
    const half = () => writeSync(file, bytes, offset ?? 0, Math.floor((length ?? bytes.length) / 2), position)
    return perform('writeSync', pathOf(file), args, () => original(...args), half)
  })
  for (const name of ['fsyncSync', 'ftruncateSync'])
    patch(
      all,
      name,
      (original) =>
        (...args) =>
          perform(name, pathOf(args[0]), args, () => original(...args))
    )
  for (const name of PROMISED)
    patch(promised, name, (original) => async (...args) => {
      const writes = name !== 'open' || (typeof args[1] === 'string' && WRITING.test(args[1]))
      return writes ? perform(name, String(args[0]), args, () => original(...args)) : original(...args)
    })
  syncBuiltinESMExports()
}
