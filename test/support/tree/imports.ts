/** What source files import, and what of it the import table does not allow them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PROJECT } from '../project.ts'
import { type Row, TABLE } from './import-table.ts'
import { WORDS_OF_A_ROOM } from './words-of-rooms.ts'

export interface Source {
  /** From the project's folder. */
  path: string
  text: string
}

/** Every TypeScript file below `machines/` and `src/`, with those of JSX. */
export const sources = (folders = ['machines', 'src']): Source[] => filesBelow(folders, /\.tsx?$/)
/** What the build runs. */
export const buildModules = (): Source[] => filesBelow(['src'], /\.mjs$/)

function filesBelow(folders: string[], ending: RegExp): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => ending.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .map((path) => ({ path, text: readFileSync(join(PROJECT, path), 'utf8') }))
  )
}

/** Whether a file is in a place: `machines`, `store`, `store/files`, `store/open.ts`. */
function inside(path: string, place: string): boolean {
  const full = place.startsWith('machines') ? place : `src/${place}`
  return path === full || path === `${full}.ts` || path.startsWith(`${full}/`)
}
export const rowOf = (path: string): Row | undefined => TABLE.find(({ room }) => inside(path, room))
/** A place that a row allows, and whether for types only. */
export const placeOf = (may: string): { place: string; typesOnly: boolean } => ({
  place: may.replace(/^types:/, ''),
  typesOnly: may.startsWith('types:')
})

interface Import {
  from: string
  typesOnly: boolean
}

/** The text without comments. A `//` inside a string, as in a URL, stays. */
const withoutComments = (text: string) =>
  text
    .replace(/^\s*\/\*[\s\S]*?\*\//gm, '')
    .replace(/(^|\s)\/\*.*?\*\//gm, '$1')
    .replace(/(^|\s)\/\/.*$/gm, '$1')

const STATEMENT =
  /^(?:import|export)\s+(?<type>type\s+)?[^'"`;=()]*?\s*\bfrom\s*(?<quote>['"])(?<from>[^'"\n]+)\k<quote>/gm
const BARE = /^import\s+(?<quote>['"])(?<from>[^'"\n]+)\k<quote>/gm
const DYNAMIC = /\b(?:import|require)\s*\(\s*(?<quote>['"`])(?<from>[^'"`\n]+)\k<quote>/g

export function importsOf(text: string): Import[] {
  const code = withoutComments(text)
  const found: Import[] = []
  for (const { groups } of code.matchAll(STATEMENT)) {
    const { type, from = '' } = groups ?? {}
    found.push({ from, typesOnly: type !== undefined })
  }
  for (const pattern of [BARE, DYNAMIC])
    for (const { groups } of code.matchAll(pattern)) found.push({ from: groups?.from ?? '', typesOnly: false })
  return found
}

const packageOf = (from: string) => from.split('/', from.startsWith('@') ? 2 : 1).join('/')

/** What is wrong with a file: a sentence for each stranger that it imports, and for each word of another room. */
export function strangersIn({ path, text }: Source): string[] {
  const row = rowOf(path)
  if (!row) return [`${path}: stands in no room of the import table`]
  const allowed = [...row.may, ...(row.npm ?? []), ...(row.node ? ['node:*'] : [])].join(' ') || 'nothing'
  const strangers = importsOf(text)
    .filter((found) => !mayImport(row, path, found))
    .map(
      ({ from, typesOnly }) =>
        `${path}: imports ${typesOnly ? 'types of ' : ''}${from}; row ${row.room} may import itself, ${allowed}`
    )
  const code = withoutComments(text)
  const strange = ({ pattern, room, also }: (typeof WORDS_OF_A_ROOM)[number]) =>
    path !== room && !also?.includes(path) && pattern.test(code)
  const words = WORDS_OF_A_ROOM.filter(strange).map(
    ({ word, room }) => `${path}: says ${word}, which is only for ${room}`
  )
  return [...strangers, ...words]
}

function mayImport({ room, may, npm = [], node }: Row, path: string, { from, typesOnly }: Import): boolean {
  if (from.startsWith('node:')) return node === true
  if (!from.startsWith('.')) return npm.includes(packageOf(from))
  const target = posix.join(posix.dirname(path), from)
  return (
    inside(target, room) ||
    may.map(placeOf).some((open) => inside(target, open.place) && (typesOnly || !open.typesOnly))
  )
}

/** What a row allows and nothing uses. */
export function unusedIn({ room, may, npm = [] }: Row, all: Source[]): string[] {
  const own = all.filter(({ path }) => inside(path, room))
  const found = own.flatMap(({ path, text }) => importsOf(text).map(({ from }) => ({ path, from })))
  const targets = found.map(({ path, from }) => (from.startsWith('.') ? posix.join(posix.dirname(path), from) : from))
  return [
    ...may.filter((one) => !targets.some((target) => inside(target, placeOf(one).place))),
    ...npm.filter((name) => !targets.some((target) => packageOf(target) === name))
  ]
}
