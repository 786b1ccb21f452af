/** What a search finds, and in which order. Nothing of a browser is in it, so that a test runs it as it is. */
import MiniSearch, { type AsPlainObject } from 'minisearch'
import { ROW, SEARCH_OPTIONS } from './search-options.ts'
import { SYNONYMS, type Synonyms } from './synonyms.ts'

/** The file of the index. */
export interface SearchFile {
  /** How much pages count, by path; those that are not here count 1. */
  weights: Record<string, number>
  sections: AsPlainObject
}

/** A section that was found. */
export interface Found {
  /** Address of the section; of a line of a table with more behind it. */
  id: string
  title: string
  page: string
  start: string
}

/** @returns the best of what is found, best first */
export type Search = (words: string, most: number, synonyms?: Synonyms) => Found[]

/** @param text content of the file of the index */
export function searchOf(text: string): Search {
  const { weights, sections } = JSON.parse(text) as SearchFile
  const index = MiniSearch.loadJS<Found>(sections, SEARCH_OPTIONS)
  return (words, most, synonyms = SYNONYMS) => {
    const meanings = meaningsOf(words, synonyms)
    const sums = new Map<string, Sum>()
    for (const terms of meanings)
      for (const [id, one] of bestOf(index, terms)) {
        const sum = sums.get(id) ?? { found: one.found, score: 0, count: 0 }
        sums.set(id, { found: one.found, score: sum.score + one.score, count: sum.count + 1 })
      }
    const typed = words.trim().toLowerCase()
    const ranked = Array.from(sums.values(), ({ found, score, count }) => ({
      found,
      score: score * (count / meanings.length) ** SHARE * weightOf(found, weights, typed)
    }))
    return ranked
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
      .map(({ found }) => found)
  }
}

interface Sum {
  found: Found
  score: number
  /** How many words of the search it has, itself or by what they mean. */
  count: number
}

/** A section with half of the words counts an eighth. */
const SHARE = 3
/** A page as a whole counts more than its sections, and a line of a table less. */
const PAGE = 1.3
const LINE = 0.6
/** A title that is all that was typed. */
const EXACT = 2

function weightOf({ id, title, page }: Found, weights: Record<string, number>, typed: string): number {
  const [path = '', anchor] = id.split(/[#~]/, 2)
  const weight = weights[path] ?? 1
  if (id.includes(ROW)) return weight * LINE
  const isPage = anchor === undefined
  const isExact = (isPage ? page : title).toLowerCase() === typed
  return weight * (isPage ? PAGE : 1) * (isExact ? EXACT : 1)
}

/** For each section the term of one meaning that it has most of. */
function bestOf(index: MiniSearch<Found>, terms: readonly Term[]): Map<string, Omit<Sum, 'count'>> {
  const best = new Map<string, Omit<Sum, 'count'>>()
  for (const { text, weight } of terms)
    for (const { id, score, title, page, start } of index.search(text)) {
      const weighted = score * weight
      if (weighted > (best.get(id)?.score ?? 0)) best.set(id, { found: { id, title, page, start }, score: weighted })
    }
  return best
}

interface Term {
  text: string
  weight: number
}

/** Less than the word itself. */
const FORM = 0.9
const SYNONYM = 0.8
/** As many words a phrase of the table may have. */
const LONGEST = 5

/** For each word or phrase of a search the terms that are looked for. */
function meaningsOf(text: string, table: Synonyms): Term[][] {
  const words = text.toLowerCase().match(/[^\s,;:!?()"“”]+/g) ?? []
  const plain = words.flatMap((word) => (/^\p{L}+(?:-\p{L}+)+$/u.test(word) ? word.split('-') : [word]))
  const meanings: Term[][] = []
  for (let at = 0; at < plain.length; ) {
    const [length, synonyms] = phraseAt(plain, at, table)
    const typed = plain.slice(at, at + length).join(' ')
    at += length
    const form = baseOf(typed)
    const terms = [{ text: typed, weight: 1 }]
    if (form !== typed) terms.push({ text: form, weight: FORM })
    for (const text of synonyms) terms.push({ text, weight: SYNONYM })
    if (SEARCH_OPTIONS.processTerm(typed) !== null) meanings.push(terms)
  }
  return meanings
}

function phraseAt(
  words: readonly string[],
  at: number,
  table: Synonyms
): [length: number, synonyms: readonly string[]] {
  for (let length = Math.min(LONGEST, words.length - at); length > 0; length--) {
    const phrase = words.slice(at, at + length).join(' ')
    const typed = [phrase, baseOf(phrase)].find((one) => Object.hasOwn(table, one))
    if (typed !== undefined) return [length, table[typed] ?? []]
  }
  return [1, []]
}

/** A beginning that other forms of the word have, too: `retries` and `retry`, `stopped` and `stop`. */
function baseOf(word: string): string {
  const base = word
    .replace(/ies$/, 'y')
    .replace(/(?<=\p{L}{3})(?:ing|ed|(?<!s)s)$/u, '')
    .replace(/([bdgmnprt])\1$/, '$1')
  return base.length > 2 ? base : word
}
