/** The blocks of one page, for tests that do what it shows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../project.ts'
import { fencesIn } from './fences.ts'

/** @param page path from the project's folder @returns texts of its blocks of a language, in the order of the page */
export const blocksOf = (page: string, language: string): string[] =>
  fencesIn(page, readFileSync(join(PROJECT, page), 'utf8'))
    .filter((fence) => fence.language === language)
    .map(({ text }) => text)

/** The only one that has some words. @throws Error when there is none, or more than one */
export function blockWith(page: string, language: string, words: string): string {
  const found = blocksOf(page, language).filter((text) => text.includes(words))
  if (found.length !== 1 || found[0] === undefined)
    throw new Error(`${page} has ${found.length} blocks of ${language} with "${words}"`)
  return found[0]
}
