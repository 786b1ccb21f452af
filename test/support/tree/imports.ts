/** What source files import, and what of it the import table does not allow them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PROJECT } from '../project.ts'
import { type Row, TABLE, WORDS_OF_A_ROOM } from './import-table.ts'

export interface Source {
  /** From the project's folder. */
  path: string
  text: string
}

/** Every TypeScript file below `machines/` and `src/`, with those of JSX. */
export function sources(folders = ['machines', 'src']): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .map((path) => ({ path, text: readFileSync(join(PROJECT, path), 'utf8') }))
  )
}

const inside = (path: string, place: string) => (place.endsWith('/') ? path.startsWith(place) : path === place)
export const rowOf = (path: string): Row | undefined =>
  TABLE.find(({ files }) => files.some((place) => inside(path, place)))

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
  const allowed = [...row.may, ...row.npm, ...(row.node ? ['node:*'] : [])].join(' ') || 'nothing'
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

function mayImport({ files, may, npm, node }: Row, path: string, { from, typesOnly }: Import): boolean {
  if (from.startsWith('node:')) return node
  if (!from.startsWith('.')) return npm.includes(packageOf(from))
  const target = posix.join(posix.dirname(path), from)
  if (files.some((place) => inside(target, place))) return true
  return may.some((place) => {
    const [, types, plain = ''] = /^(types:)?(.*)$/.exec(place) ?? []
    return inside(target, plain) && (types === undefined || typesOnly)
  })
}
