/** How sections are indexed and found: the same when the index is made and when it is read. */

/** Options of MiniSearch. */
export const SEARCH_OPTIONS = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'start'],
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' as const }
}

/** Stands in the id of a line of a table, behind the address of its section. */
export const ROW = '~'
