/** The blocks of code in the pages that users read. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../project.ts'

export interface Fence {
  /** Path from the project's folder. */
  page: string
  /** Of its first line of text. */
  line: number
  /** Empty: it has none. */
  language: string
  /** What stands behind the language, such as the name of a file. */
  rest: string
  text: string
}

/** Pages of the site, and the README. */
export const PAGES = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'machines/README.md',
  ...readdirSync(join(PROJECT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort()
]

/** In a list a block is indented; its text is not. */
const FENCE = /^( *)```(\S*) ?(.*)\n([\s\S]*?)^ *```$/gm

export const fencesIn = (page: string, text: string): Fence[] =>
  Array.from(text.matchAll(FENCE), ({ 1: indent = '', 2: language = '', 3: rest = '', 4: inside = '', index }) => ({
    page,
    line: text.slice(0, index).split('\n').length + 1,
    language,
    rest,
    text: inside.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
  }))

export const allFences = (): Fence[] =>
  PAGES.flatMap((page) => fencesIn(page, readFileSync(join(PROJECT, page), 'utf8')))
