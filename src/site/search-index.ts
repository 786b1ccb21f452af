/** The index that the search of the site reads: a document for each heading and for each name in a table, made when the site is built. */
import MiniSearch from 'minisearch'
import { ROW, SEARCH_OPTIONS } from './browser/search-options.ts'
import { partsOf } from './html.ts'

// D1536: the search finds sections and names
/** @param pages HTML of the contents by the path of the file; @returns JSON */
export function searchIndex(pages: Iterable<[path: string, page: string, html: string]>): string {
  const index = new MiniSearch(SEARCH_OPTIONS)
  for (const [path, page, html] of pages)
    for (const { id, level, title, text, names } of partsOf(html)) {
      const place = level === 1 ? path : `${path}#${id}`
      index.add({ id: place, title, page, text, start: startOf(text) })
      // What one looks up is most often the name of something in a table. Members of answers are too many, and have no meaning alone.
      if (path.startsWith('api/')) continue
      for (const [at, row] of names.entries())
        index.add({ id: `${place}${ROW}${at}`, title: row.name, page: title, text: row.text, start: startOf(row.text) })
    }
  return JSON.stringify(index)
}

const START = 140
/** What is shown below a result. */
const startOf = (text: string) => (text.length <= START ? text : `${text.slice(0, START).replace(/\s+\S*$/, '')} …`)
