/**
 * Counts the calls of `node:fs` in this process, by what they are about. The functions are replaced in the module itself, which is
 * what a program may do: `syncBuiltinESMExports` hands the replaced ones to those who have imported them.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

export interface FileCalls {
  /** How often each function was called about each kind of file: `writeSync write-ahead`. */
  calls: Map<string, number>
  /** Bytes written to each kind of file. */
  bytes: Map<string, number>
}

type Call = (...args: unknown[]) => unknown

/** @param kindOf what a path is about; undefined: it is not counted */
export function countFileCalls(kindOf: (path: string) => string | undefined): FileCalls {
  const counts: FileCalls = { calls: new Map(), bytes: new Map() }
  /** Open files of the functions that take a number. */
  const kinds = new Map<number, string | undefined>()
  /** Functions of `node:fs` call each other: the outermost is counted. */
  let depth = 0
  const note = (name: string, kind: string, bytes: number) => {
    add(counts.calls, `${name} ${kind}`, 1)
    if (bytes > 0) add(counts.bytes, kind, bytes)
  }
  const counted = (name: string, call: Call): Call =>
    function (this: unknown, ...args) {
      let result: unknown
      const [file, data] = args
      const kind = typeof file === 'number' ? kinds.get(file) : kindOf(String(file))
      depth++
      try {
        result = call.apply(this, args)
      } finally {
        depth--
      }
      if (name === 'openSync') kinds.set(result as number, kind)
      if (kind === undefined || depth > 0) return result
      note(name, kind, /^(write|append)/.test(name) ? written(result, args, data) : 0)
      if (name === 'promises.open' && result instanceof Promise)
        return result.then((handle: Record<string, Call>) => countedHandle(handle, kind, note))
      return result
    }
  const replace = (object: Record<string, unknown>, prefix: string) => {
    for (const name of Object.keys(object)) {
      const call = object[name]
      if (typeof call === 'function' && /^[a-z_]/.test(name) && !/^_|Stream$|watch/.test(name))
        object[name] = Object.assign(counted(prefix + name, call as Call), call)
    }
  }
  replace(fs.promises as unknown as Record<string, unknown>, 'promises.')
  replace(fs as unknown as Record<string, unknown>, '')
  syncBuiltinESMExports()
  return counts
}

function countedHandle(
  handle: Record<string, Call>,
  kind: string,
  note: (name: string, kind: string, bytes: number) => void
): unknown {
  for (const name of ['read', 'readFile', 'stat', 'write', 'appendFile', 'writeFile', 'sync', 'datasync', 'close']) {
    const call = handle[name]
    if (!call) continue
    handle[name] = (...args) => {
      note(`handle.${name}`, kind, /^(write|append)/.test(name) ? sizeOf(args[0]) : 0)
      return call.apply(handle, args)
    }
  }
  return handle
}

/** `writeSync` says how many bytes they were. */
const written = (result: unknown, args: unknown[], data: unknown): number =>
  typeof result === 'number' ? result : args.length > 1 ? sizeOf(data) : 0

const sizeOf = (data: unknown): number =>
  typeof data === 'string' ? Buffer.byteLength(data) : ArrayBuffer.isView(data) ? data.byteLength : 0

export function add(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more)
}
