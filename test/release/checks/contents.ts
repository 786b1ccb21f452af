/** What is in the tarball: everything that the package promises, nothing that belongs to the project alone, nothing of this machine. */
import { createHash } from 'node:crypto'
import type { Check, Packed } from '../release.ts'

const ALWAYS = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'dist/launcher/SHA256SUMS']
const LAUNCHERS = ['linux-x64', 'linux-arm64'].map((platform) => `dist/launcher/${platform}/troupe-launcher`)
/** Sources, tests, maps, and what is made on each machine anew. */
const STRANGE = [
  /^(src|test)\//,
  /^dist\/test\//,
  /\.map$/,
  /\.tsbuildinfo$/,
  /^dist\/launcher\/local-/,
  /program\.cjs\./
]
const MOST_BYTES = 24 * 1024 * 1024
const SCRIPT = /^#!/

export const contents: Check = ({ manifest, files, folders }) => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const promised = [...ALWAYS, ...LAUNCHERS, ...targets(manifest)]
  const missing = promised.filter((path) => !byPath.has(path)).map((path) => `tarball: ${path} is missing`)
  const strange = files
    .filter(({ path }) => STRANGE.some((one) => one.test(path)))
    .map(({ path }) => `tarball: ${path} does not belong there`)
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0)
  const large = bytes > MOST_BYTES ? [`tarball: wanted at most ${MOST_BYTES} bytes unpacked, found ${bytes}`] : []
  return [
    ...missing,
    ...strange,
    ...large,
    ...files.flatMap((file) => ownWords(file, folders)),
    ...sums(byPath),
    ...programs(byPath, manifest.bin)
  ]
}

/** Paths of files that package.json names. */
function targets(named: unknown): string[] {
  if (typeof named === 'string')
    return /^(\.\/)?dist\//.test(named) && !named.includes('*') ? [named.replace(/^\.\//, '')] : []
  if (named === null || typeof named !== 'object') return []
  return Object.entries(named).flatMap(([key, value]) => (key === 'files' ? [] : targets(value)))
}

function ownWords({ path, content }: Packed, folders: string[]): string[] {
  const found = folders.find((folder) => content.includes(folder))
  return found === undefined ? [] : [`tarball: ${path} names the folder ${found} of this machine`]
}

/** Programs for other machines: they are not built again, so their sums must be right. */
function sums(byPath: Map<string, Packed>): string[] {
  const listed = byPath.get('dist/launcher/SHA256SUMS')?.content.toString().trim().split('\n') ?? []
  return listed.flatMap((line) => {
    const [sum = '', name = ''] = line.split(/\s+\*?/)
    const path = `dist/launcher/${name}`
    const found = byPath.get(path)?.content
    if (!found) return [`dist/launcher/SHA256SUMS: ${name} is listed and is not there`]
    const its = createHash('sha256').update(found).digest('hex')
    return its === sum ? [] : [`${path}: wanted the checksum ${sum}, found ${its}: run make -B launchers`]
  })
}

const programs = (byPath: Map<string, Packed>, bin: Record<string, string> = {}): string[] =>
  Object.values(bin).flatMap((path) => {
    const found = byPath.get(path.replace(/^\.\//, ''))
    return found && !SCRIPT.test(found.content.toString('latin1', 0, 2))
      ? [`${path}: wanted #! in its first line, it is a program`]
      : []
  })
