/** Tar archives, read and written as streams. Source: execution-semantics 10.5.3, 10.5.4. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { ReadEntry } from 'tar'
import { failure } from './codes.ts'
import type { Entry, Visit } from './entry.ts'
import type { Planned } from './planned.ts'

const KINDS: Partial<Record<ReadEntry['type'], Entry['kind']>> = {
  File: 'file',
  OldFile: 'file',
  ContiguousFile: 'file',
  Directory: 'directory',
  GNUDumpDir: 'directory',
  SymbolicLink: 'symlink',
  Link: 'link'
}

/** @throws ExecutionError, or an Error for a damaged archive */
export async function readTar(bytes: AsyncIterable<Buffer>, visit: Visit): Promise<void> {
  const { Parser } = await import('tar')
  const parser = new Parser({ strict: true })
  const broken = new AbortController()
  const fail = (error: unknown) => broken.abort(error)
  let visits = Promise.resolve()
  parser.on('error', fail)
  parser.on('ignoredEntry', (entry: ReadEntry) =>
    fail(failure('format', `the entry ${JSON.stringify(entry.path)} has a type that is not supported`))
  )
  parser.on('entry', (entry: ReadEntry) => {
    visits = visits.then(() => visit(entryOf(entry)))
    visits.then(() => entry.resume(), fail)
  })
  const ended = once(parser, 'end', { signal: broken.signal })
  ended.catch(() => {}) // thrown below
  try {
    for await (const chunk of bytes) {
      broken.signal.throwIfAborted()
      if (!parser.write(chunk)) await once(parser, 'drain', { signal: broken.signal })
    }
    parser.end()
    await ended
    await visits
  } catch (error) {
    throw broken.signal.aborted ? broken.signal.reason : error
  }
}

const entryOf = (entry: ReadEntry): Entry => ({
  path: entry.path,
  kind: KINDS[entry.type] ?? 'special',
  size: entry.size,
  mode: (entry.mode ?? 0o644) & 0o777,
  modifiedAt: entry.mtime ?? new Date(0),
  target: entry.linkpath ?? '',
  content: () => entry
})

const BLOCK = 512
const TYPES = { file: 'File', directory: 'Directory', symlink: 'SymbolicLink' } as const

/** The bytes of a tar archive. @throws ExecutionError with code 7 when a file changes meanwhile */
export async function* tarBytes(planned: Planned[]): AsyncGenerator<Buffer> {
  const { Header, Pax } = await import('tar')
  for (const { path, kind, size, mode, modifiedAt, target, absolute } of planned) {
    const fields = {
      path: kind === 'directory' ? `${path}/` : path,
      mode,
      size,
      mtime: modifiedAt,
      ...(target ? { linkpath: target } : {})
    }
    const header = new Header({ ...fields, type: TYPES[kind] })
    if (header.encode()) yield new Pax(fields).encode()
    if (header.block) yield header.block
    if (kind !== 'file' || size === 0) continue
    let read = 0
    const chunks: AsyncIterable<Buffer> = createReadStream(absolute, { end: size - 1 })
    for await (const chunk of chunks) {
      read += chunk.length
      yield chunk
    }
    if (read < size) throw failure('create', `${absolute} changed while it was archived`)
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}
