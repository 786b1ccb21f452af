/** The index that the search of the site reads: a document for each heading and for each name in a table, made when the site is built. */
import MiniSearch from 'minisearch'
import type { SearchFile } from './browser/ranking.ts'
import { ROW, SEARCH_OPTIONS } from './browser/search-options.ts'
import { partsOf } from './html.ts'
import { API, type Section } from './map.ts'

// D1536: the search finds sections and names
/** @param pages HTML of the contents by the path of the file @param sections of the navigation @param tasks by path and anchor @returns JSON */
export function searchIndex(
  pages: Iterable<[path: string, page: string, html: string]>,
  sections: readonly Section[],
  tasks: ReadonlyMap<string, string>
): string {
  const index = new MiniSearch(SEARCH_OPTIONS)
  for (const [path, page, html] of pages)
    for (const { id, level, title, text, names } of partsOf(html)) {
      const place = level === 1 ? path : `${path}#${id}`
      index.add({ id: place, title, page, text, tasks: tasks.get(place), start: startOf(text) })
      // What one looks up is most often the name of something in a table. Members of answers are too many, and have no meaning alone.
      if (path.startsWith('api/')) continue
      for (const [at, row] of names.entries())
        index.add({ id: `${place}${ROW}${at}`, title: row.name, page: title, text: row.text, start: startOf(row.text) })
    }
  const file: SearchFile = { weights: weightsOf(sections), sections: index.toJSON() }
  return JSON.stringify(file)
}

/** How much the pages of a section or a group count; those of others count 1. */
const WEIGHTS: Record<string, number> = { Reference: 0.9, [API]: 0.4, Explanation: 0.5, History: 0.1, Decisions: 0.1 }

// D1725: instructions are found before what explains them
function weightsOf(sections: readonly Section[]): Record<string, number> {
  const weighted = sections.flatMap(({ title, groups }) =>
    groups.flatMap((group) =>
      group.entries
        .filter(({ anchor }) => anchor === '')
        .map(({ page }): [string, number] => [page.path, WEIGHTS[group.title] ?? WEIGHTS[title] ?? 1])
    )
  )
  return Object.fromEntries(weighted.filter(([, weight]) => weight !== 1))
}

const START = 140
/** What is shown below a result. */
const startOf = (text: string) => (text.length <= START ? text : `${text.slice(0, START).replace(/\s+\S*$/, '')} …`)
