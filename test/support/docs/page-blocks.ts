/** Blocks of pages, each with what is done with it and what must come of it: no block of such a page and language is left out. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROJECT } from '../project.ts'
import { fencesIn } from './fences.ts'

/** What the page promises of a block, and the work that shows it. */
export type Row = readonly [promise: string, run: (block: string) => unknown]
/** By page (its path from the project's folder) and language (empty: none), a row for each block, in the order of the page. */
export type Rows = Record<string, Record<string, readonly Row[]>>

/** Texts of the blocks of a page in a language. */
export const blocksOf = (page: string, language: string): string[] =>
  fencesIn(page, readFileSync(join(PROJECT, page), 'utf8'))
    .filter((fence) => fence.language === language)
    .map(({ text }) => text)

// D1560: definitions and settings of the pages are run, as they are shown
/** Registers a test for each row, and one which fails where rows and blocks are not as many. */
export function runBlocks(rows: Rows): void {
  for (const [page, languages] of Object.entries(rows))
    describe(page, () => {
      for (const [language, list] of Object.entries(languages)) {
        const blocks = blocksOf(page, language)
        const kind = language || 'no language'
        it(`${kind}: each block has a row here`, () => {
          expect(list.length).to.equal(blocks.length)
        })
        for (const [at, [promise, run]] of list.entries())
          it(`${kind} ${at + 1}: ${promise}`, () => run(blocks[at] ?? ''))
      }
    })
}

/**
 * A block with its addresses as they are in the test.
 * @param pairs what the page has, and what it is here
 * @throws what the page does not have: the test is behind it
 */
export function placed(block: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((text, [shown, here]) => {
    if (!text.includes(shown)) throw new Error(`the block has no ${shown}:\n${block}`)
    return text.replaceAll(shown, here)
  }, block)
}
