/** Which packages a release consists of: those inside its bundles, and those that are installed beside it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Component, Lock, Manifest } from './release.ts'

export const idOf = ({ name, version }: Component): string => `${name}@${version}`

/** @param folder `dist/bundled` @throws Error: nothing was built */
export function bundledIn(folder: string): Component[] {
  return readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Component[])
}

/** What npm installs with the package, as the lock file has it. */
export function installed({ dependencies, optionalDependencies }: Manifest, { packages }: Lock): Component[] {
  const found = new Map<string, Component>()
  const add = (name: string, from: string): void => {
    const place = placeOf(name, from)
    const { version, dependencies, optionalDependencies } = packages[place] ?? {}
    if (version === undefined || found.has(place)) return
    found.set(place, { name, version })
    for (const below of Object.keys({ ...dependencies, ...optionalDependencies })) add(below, place)
  }
  /** The nearest one, as Node finds it. */
  function placeOf(name: string, from: string): string {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
      const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
      if (folder === '' || packages[place]) return place
    }
  }
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) add(name, '')
  return [...found.values()]
}

/** Each once, in the order of their names. */
export function together(...lists: Component[][]): Component[] {
  const byId = new Map(lists.flat().map((one) => [idOf(one), one]))
  return [...byId.keys()].sort().flatMap((id) => byId.get(id) ?? [])
}
