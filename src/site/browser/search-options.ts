/** How sections are indexed: the same when the index is made and when it is read. */

import MiniSearch from 'minisearch'

/** Words that say nothing of what is looked for. None is the name of something, as `at`, `if` and `when` are. */
const STOP_WORDS = new Set(
  'a an and are as be by can could did do does from get has have how i in into is it its me my of or our should that the there this to was were what which with would you your'.split(
    ' '
  )
)

const wordsOf: (text: string) => string[] = MiniSearch.getDefault('tokenize')
/** Words of a name, such as those of `maxActiveRuns`. */
const partsOf = (name: string): string[] => name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+/gu) ?? []

/** Options of MiniSearch. */
export const SEARCH_OPTIONS = {
  fields: ['title', 'tasks', 'page', 'text'],
  storeFields: ['title', 'page', 'start'],
  tokenize: (text: string, field?: string) => {
    const words = wordsOf(text)
    return field === 'title'
      ? words.flatMap((word) => (/\p{Ll}\p{Lu}/u.test(word) ? [word, ...partsOf(word)] : [word]))
      : words
  },
  processTerm: (word: string) => {
    const term = word.toLowerCase()
    return STOP_WORDS.has(term) ? null : term
  },
  searchOptions: {
    boost: { title: 6, tasks: 4, page: 2 },
    prefix: (term: string) => term.length > 2,
    fuzzy: (term: string) => (term.length > 4 ? 0.15 : false),
    weights: { prefix: 0.7, fuzzy: 0.3 },
    combineWith: 'AND' as const
  }
}

/** Stands in the id of a line of a table, behind the address of its section. */
export const ROW = '~'
