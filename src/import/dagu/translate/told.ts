/** What is left to say of a problem, when changes have named things already. */
import type { Problem } from '../../../definition/definition.ts'
import type { Change } from './pen.ts'

// D1693: one line for one problem: what the translation has named is not named again by the reader
/** The message without what a change has named with what to do; undefined: nothing is left of it. */
export function untold(
  { message, path }: Pick<Problem, 'message' | 'path'>,
  changes: readonly Change[]
): string | undefined {
  const told = new Set(changes.flatMap(({ paths = [] }) => paths))
  for (let above = path; above !== ''; above = above.replace(/(?:^|\.)[^.[\]]*$|\[[^\]]*\]$/, ''))
    if (told.has(above)) return undefined
  const [, before = '', keys] = /^(.*has invalid keys: )([^()]*?)(?: and \d+ more)?(?: \(|$)/.exec(message) ?? []
  if (keys === undefined) return message
  const named = keys.split(', ')
  const left = named.filter((key) => !told.has(path === '' ? key : `${path}.${key}`))
  if (left.length === named.length) return message
  return left.length > 0 ? before + left.join(', ') : undefined
}
