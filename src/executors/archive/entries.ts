/** Reads an archive entry by entry, whatever its format. Source: execution-semantics 10.5.3, 10.5.8. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { failureOf } from './codes.ts'
import type { Visit } from './entry.ts'
import { detectFormat, type Format, formatOfName, unpacked } from './format.ts'
import { type Guard, type Limits, openGuard } from './guard.ts'
import { readTar } from './tar.ts'
import { readZip } from './zip.ts'

/** @throws ExecutionError of the archive or of `visit` */
export async function readEntries(
  { source, path, limits }: { source: string; path: string; limits: Limits },
  visit: Visit
): Promise<void> {
  const format = await detectFormat(source, path)
  const { size, mtime } = await stat(source)
  const guard = openGuard(limits, size)
  const guarded: Visit = (entry) => {
    guard.entry()
    return visit(entry)
  }
  try {
    if (format.container === 'zip') return await readZip(source, guard, guarded)
    const bytes = counted(unpacked(source, format.compression, path), guard)
    if (format.container === 'tar') return await readTar(bytes, guarded)
    await guarded({
      path: nameWithin(source, format),
      kind: 'file',
      size: -1,
      mode: 0o644,
      modifiedAt: mtime,
      target: '',
      content: () => bytes
    })
  } catch (error) {
    throw failureOf(error, 'corrupted')
  }
}

/** Reads and discards every byte of every entry. */
export const verifyArchive = (request: { source: string; path: string; limits: Limits }): Promise<void> =>
  readEntries(request, async (entry) => {
    if (entry.kind === 'file') for await (const _ of entry.content());
  })

async function* counted(bytes: AsyncIterable<Buffer>, guard: Guard): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    guard.bytes(chunk.length)
    yield chunk
  }
}

/** `app.log.gz` holds `app.log`. */
function nameWithin(source: string, { compression }: Format): string {
  const name = basename(source)
  const known = formatOfName(name)
  return known?.container === 'single' && known.compression === compression
    ? name.slice(0, name.lastIndexOf('.'))
    : `${name}.out`
}
