/** The index that the search of the site reads: a document for each heading, made when the site is built. */
import MiniSearch from 'minisearch'
import { SEARCH_OPTIONS } from './browser/search-options.ts'
import { partsOf } from './html.ts'

/** @param pages HTML of the contents by the path of the file; @returns JSON */
export function searchIndex(pages: Iterable<[path: string, page: string, html: string]>): string {
  const index = new MiniSearch(SEARCH_OPTIONS)
  for (const [path, page, html] of pages)
    for (const { id, level, title, text } of partsOf(html))
      index.add({ id: level === 1 ? path : `${path}#${id}`, title, page, text, start: startOf(text) })
  return JSON.stringify(index)
}

const START = 140
/** What is shown below a result. */
const startOf = (text: string) => (text.length <= START ? text : `${text.slice(0, START).replace(/\s+\S*$/, '')} …`)
