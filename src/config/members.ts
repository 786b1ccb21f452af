/** Members of a map in the configuration, each by its type. */
import type { Type } from './types.ts'

export type Types = Readonly<Record<string, Type<unknown>>>
export type Members<T extends Types> = { [K in keyof T]?: Exclude<ReturnType<T[K]['of']>, undefined> }

/** The members that are of their types. @param problems receives a sentence for each other one */
export function membersOf<T extends Types>(types: T, given: object, where: string, problems: string[]): Members<T> {
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined
    if (type && value === undefined) continue
    members[name] = type?.of(value)
    if (!type) problems.push(`${where}: unknown member ${name}, wanted ${Object.keys(types).join(', ')}`)
    else if (members[name] === undefined)
      problems.push(`${where}.${name}: wanted ${type.wanted}, found ${JSON.stringify(value)}`)
  }
  return members as Members<T> // each value was read by the type of its name
}
