/** A backup as one stream: a tar archive, its manifest first, so that its receiver can check each file as it comes. */
import { createReadStream, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { FILE } from './manifest.ts'

const BLOCK = 512

/**
 * The bytes of the archive of a backup that nobody changes meanwhile: files, links and folders, with their modes and times.
 * @param folder the backup @throws Error of the file system
 */
export async function* archiveOf(folder: string): AsyncGenerator<Buffer> {
  const { Header, Pax } = await import('tar')
  for (const path of [FILE, ...partsIn(folder, '')]) {
    const place = join(folder, path)
    const stat = lstatSync(place)
    const type = typeOf(stat)
    if (!type) continue
    const size = type === 'File' ? stat.size : 0
    const fields = {
      path: type === 'Directory' ? `${path}/` : path,
      size,
      mode: stat.mode & 0o777,
      mtime: stat.mtime,
      ...(type === 'SymbolicLink' ? { linkpath: readlinkSync(place) } : {})
    }
    // A header alone has whole seconds, and the end of a step is read from the time of its record.
    yield new Pax(fields).encode()
    const header = new Header({ ...fields, type })
    header.encode()
    if (header.block) yield header.block
    if (size === 0) continue
    let read = 0
    const chunks: AsyncIterable<Buffer> = createReadStream(place, { end: size - 1 })
    for await (const chunk of chunks) {
      read += chunk.length
      yield chunk
    }
    if (read < size) throw new Error(`${path} was changed while it was sent`)
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** All entries below a folder but the manifest, each folder before what is in it. */
function* partsIn(folder: string, prefix: string): Generator<string> {
  const entries = readdirSync(join(folder, prefix), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (path === FILE) continue
    yield path
    if (entry.isDirectory()) yield* partsIn(folder, path)
  }
}

const typeOf = (stat: Stats) =>
  stat.isFile() ? 'File' : stat.isDirectory() ? 'Directory' : stat.isSymbolicLink() ? 'SymbolicLink' : undefined
