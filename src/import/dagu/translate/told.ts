/** A problem that a change has named already, with what to do. */
import type { Problem } from '../../../definition/definition.ts'
import type { Change } from './pen.ts'

// D1693: one line for one problem: what the translation has named is not named again by the reader
export function isTold({ message, path }: Pick<Problem, 'message' | 'path'>, changes: readonly Change[]): boolean {
  const told = new Set(changes.flatMap(({ paths = [] }) => paths))
  const keys = /has invalid keys: ([^()]*?)(?: and \d+ more)?(?: \(|$)/.exec(message)?.[1]
  if (keys !== undefined) return keys.split(', ').every((key) => told.has(path === '' ? key : `${path}.${key}`))
  for (let above = path; above !== ''; above = above.replace(/(?:^|\.)[^.[\]]*$|\[[^\]]*\]$/, ''))
    if (told.has(above)) return true
  return false
}
