/** Values of 2.x within a command: as one word, in which variables are still replaced. */
import { entryOf, textIn, type YamlMap } from './pen.ts'

export const quoted = (text: string): string => `"${text.replace(/["\\`]/g, '\\$&')}"`

/** A path, where `~` is the home directory. */
export const quotedPath = (path: string): string => quoted(path.replace(/^~(?=\/|$)/, '${HOME}'))

/** Reads settings, and knows whether all of them were read. */
export interface Settings {
  /** Undefined: there is none. */
  text(name: string): string | undefined
  is(name: string): boolean
  /** Whether there are others than these. */
  hasOthers(...names: string[]): boolean
}

export const settingsIn = (map: YamlMap | undefined): Settings => ({
  text: (name) => (map ? textIn(entryOf(map, name)) : undefined),
  is: (name) => (map ? textIn(entryOf(map, name)) === 'true' : false),
  hasOthers: (...names) => {
    const known = new Set(names.flatMap((name) => (map ? (entryOf(map, name) ?? []) : [])))
    return map?.items.some((entry) => !known.has(entry)) ?? false
  }
})
