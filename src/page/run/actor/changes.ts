/** What is different between two contexts of an actor. A pure computation. */

/** By path, its members joined by a NUL: what was there before; undefined: nothing. */
export type Changes = ReadonlyMap<string, { before: unknown }>

export const pathIn = (path: string, name: string): string => (path === '' ? name : `${path}\0${name}`)

export const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Only the innermost differences, and those that are no longer there. */
export function changesOf(before: unknown, after: unknown, path = ''): Changes {
  if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return new Map([...names].flatMap((name) => [...changesOf(before[name], after[name], pathIn(path, name))]))
  }
  return Object.is(before, after) || JSON.stringify(before) === JSON.stringify(after)
    ? new Map()
    : new Map([[path, { before }]])
}
