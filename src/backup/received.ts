/**
 * Receives the archive of a backup into a file. Each file of it is held against the manifest as it comes, and the archive gets its name
 * only when it is complete and on disk.
 */
import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ReadEntry } from 'tar'
import { messageOf, TroupeError } from '../errors.ts'
import { flushFile, isTaken, refusalOf, removeBegun } from './files.ts'
import { FILE, type Manifest, manifestIn } from './manifest.ts'

/** A manifest lists each file: this is far more than a home has. */
const MOST_MANIFEST_BYTES = 512 * 1024 ** 2

// D1381: an archive gets its name when all of it is what its manifest says
/**
 * @param target a file that does not exist @param bytes the archive
 * @returns its manifest @throws TroupeError already_exists; bad_gateway: it is not complete, or not as it was sent; service_unavailable:
 * the disk refuses; and what `bytes` throws
 */
export async function receiveBackup(target: string, bytes: AsyncIterable<Buffer>): Promise<Manifest> {
  refuseTaken(target)
  const unfinished = `${target}.unfinished`
  removeBegun(unfinished)
  let file: FileHandle | undefined
  let isOfDisk = true
  const onDisk = async <T>(act: () => T | Promise<T>): Promise<T> => {
    isOfDisk = true
    const done = await act()
    isOfDisk = false
    return done
  }
  try {
    file = await onDisk(() => open(unfinished, 'wx', 0o600))
    const opened = file
    const check = await checked()
    for await (const chunk of bytes) {
      await check.write(chunk)
      await onDisk(() => opened.writeFile(chunk))
    }
    const manifest = await check.end()
    await onDisk(async () => {
      await opened.sync()
      await opened.close()
      file = undefined
      refuseTaken(target)
      renameSync(unfinished, target)
      flushFile(dirname(target))
    })
    return manifest
  } catch (cause) {
    await file?.close().catch(() => {}) // the original error is reported
    removeBegun(unfinished)
    if (cause instanceof TroupeError || !isOfDisk) throw cause
    throw new TroupeError('service_unavailable', `the backup could not be written: ${refusalOf(cause)}`, { cause })
  }
}

function refuseTaken(target: string): void {
  if (isTaken(target)) throw new TroupeError('already_exists', `${target} exists already: name a file that does not`)
}

const wrong = (what: string, cause?: unknown) =>
  new TroupeError('bad_gateway', `the backup did not arrive as it was sent, and nothing was kept: ${what}`, { cause })

/** Reads an archive as it comes. */
async function checked() {
  const { Parser } = await import('tar')
  const parser = new Parser({ strict: true })
  let problem: unknown
  let manifest: Manifest | undefined
  /** By path, what is still to come. */
  let files = new Map<string, Manifest['files'][number]>()
  let links = new Map<string, string>()
  const fail = (what: string, cause?: unknown) => {
    problem ??= wrong(what, cause)
  }
  parser.on('error', (error: unknown) => fail(messageOf(error), error))
  parser.on('ignoredEntry', ({ path }: ReadEntry) => fail(`${path} is neither a file nor a link`))
  parser.on('entry', (entry: ReadEntry) => {
    if (!manifest) readManifestOf(entry)
    else if (entry.type === 'SymbolicLink') noteLink(entry)
    else if (entry.type === 'File') noteFile(entry)
    else if (entry.type !== 'Directory') fail(`${entry.path} is neither a file nor a link`)
    entry.resume()
  })

  function readManifestOf(entry: ReadEntry): void {
    if (entry.path !== FILE || entry.size > MOST_MANIFEST_BYTES) {
      fail(`it does not begin with its ${FILE}`)
      return
    }
    const chunks: Buffer[] = []
    entry.on('data', (chunk: Buffer) => void chunks.push(chunk))
    entry.on('end', () => {
      try {
        manifest = manifestIn(Buffer.concat(chunks).toString(), `its ${FILE}`)
        files = new Map(manifest.files.map((file) => [file.path, file]))
        links = new Map((manifest.links ?? []).map(({ path, target }) => [path, target]))
      } catch (error) {
        fail(messageOf(error), error)
      }
    })
  }
  function noteLink({ path, linkpath }: ReadEntry): void {
    if (links.get(path) !== linkpath) fail(`the link ${path} is another one`)
    links.delete(path)
  }
  function noteFile(entry: ReadEntry): void {
    const hash: Hash = createHash('sha256')
    let length = 0
    entry.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      length += chunk.length
    })
    entry.on('end', () => {
      const { bytes, sha256 } = files.get(entry.path) ?? {}
      if (length !== bytes || hash.digest('hex') !== sha256) fail(`${entry.path} is not what its manifest says`)
      files.delete(entry.path)
    })
  }
  const rightSoFar = () => {
    if (problem !== undefined) throw problem
  }
  let isOver = false
  parser.on('eof', () => {
    isOver = true
  })
  const ended = once(parser, 'end')
  ended.catch(() => {}) // `problem` is thrown instead

  return {
    /** @throws TroupeError bad_gateway */
    async write(chunk: Buffer): Promise<void> {
      const isRoom = parser.write(chunk)
      rightSoFar()
      if (!isRoom) await once(parser, 'drain')
      rightSoFar()
    },
    /** @throws TroupeError bad_gateway: something is missing */
    async end(): Promise<Manifest> {
      parser.end()
      rightSoFar()
      await ended.catch(() => {})
      rightSoFar()
      const [missing] = [...files.keys(), ...links.keys()]
      if (!manifest || missing !== undefined) throw wrong(`${missing ?? `its ${FILE}`} is missing`)
      if (!isOver) throw wrong('its end is missing')
      return manifest
    }
  }
}
