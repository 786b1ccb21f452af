/** Lists the content of an archive. Source: execution-semantics 10.5.9. */
import { readEntries, verifyArchive } from './entries.ts'
import type { Entry } from './entry.ts'
import type { ArchiveRequest } from './request.ts'
import { type FilesSeen, nothingTaken, selectionOf } from './selection.ts'

export async function list(request: ArchiveRequest, note: (line: string) => void): Promise<Record<string, unknown>> {
  const whole = { ...request, stripComponents: 0, preservePaths: true }
  const selection = selectionOf(whole)
  const seen: FilesSeen = { count: 0, example: '' }
  const files: { path: string; size: number; mode: string; modTime: string; isDir: boolean }[] = []
  if (request.verify) await verifyArchive(request)
  await readEntries(request, async (entry) => {
    const isDir = entry.kind === 'directory'
    // A list shows every entry, even those that extract would refuse.
    const parts = entry.path.split('/').filter((part) => part !== '' && part !== '.')
    if (!isDir && seen.count++ === 0) seen.example = parts.join('/')
    if (!selection.place(parts.length > 0 ? parts : ['.'], isDir)) return
    const modTime = entry.modifiedAt.toISOString().replace('.000Z', 'Z')
    files.push({ path: entry.path, size: await sizeOf(entry), mode: modeText(entry), modTime, isDir })
  })
  if (files.length === 0) note(nothingTaken('listed', seen, whole))
  return {
    operation: 'list',
    source: request.source,
    totalFiles: files.length,
    totalSize: files.reduce((sum, { size }) => sum + size, 0),
    files,
    verified: request.verify,
    duration: ''
  }
}

async function sizeOf({ size, content }: Entry): Promise<number> {
  if (size >= 0) return size
  let bytes = 0
  for await (const chunk of content()) bytes += chunk.length
  return bytes
}

const LETTERS: Record<Entry['kind'], string> = { file: '-', directory: 'd', symlink: 'L', link: '-', special: '?' }

/** `-rw-r--r--` */
const modeText = ({ kind, mode }: Entry): string =>
  LETTERS[kind] + [...'rwxrwxrwx'].map((letter, at) => (mode & (0o400 >> at) ? letter : '-')).join('')
