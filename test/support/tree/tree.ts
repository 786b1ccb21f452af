/** Circles between files, and folders with too many of them. */
import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PROJECT } from '../project.ts'
import { importsOf, type Source } from './imports.ts'

/** Files directly in `src/`, beside its folders. */
export const MOST_LOOSE = 7
export const MOST_BESIDE_EACH_OTHER = 20

/** Circles found by walking along all imports, types included, one line each. */
export function circlesIn(all: Source[]): string[] {
  const imports = new Map(all.map(({ path, text }) => [path, targetsOf(path, text)]))
  const circles: string[] = []
  const done = new Set<string>()
  const trail: string[] = []
  const walk = (path: string) => {
    const at = trail.indexOf(path)
    if (at >= 0) circles.push([...trail.slice(at), path].join(' -> '))
    if (at >= 0 || done.has(path)) return
    trail.push(path)
    for (const target of imports.get(path) ?? []) walk(target)
    trail.pop()
    done.add(path)
  }
  for (const path of imports.keys()) walk(path)
  return circles
}

const targetsOf = (path: string, text: string): string[] =>
  importsOf(text).flatMap(({ from }) => (from.startsWith('.') ? [posix.join(posix.dirname(path), from)] : []))

/** All code files below these folders. */
export const codeBelow = (folders: string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(tsx?|mjs)$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
  )

/** Folders with more files beside each other than a reader takes in at once. */
export function crowded(paths: string[]): string[] {
  const counts = new Map<string, number>()
  for (const folder of paths.map(posix.dirname)) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > (folder === 'src' ? MOST_LOOSE : MOST_BESIDE_EACH_OTHER))
    .map(([folder, count]) => `${folder}/ has ${count} files beside each other`)
}
