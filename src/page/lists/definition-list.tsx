/** Definitions: when they run next, how they ran last, and what is wrong with them. */
import { useEffect } from 'preact/hooks'
import type { ListedDefinition, Pagination } from '../answers.ts'
import { useFeed } from '../feed.ts'
import { Awaited } from '../parts/awaited.tsx'
import { ChoiceFilter, Filters, TextFilter } from '../parts/filters.tsx'
import { Problem } from '../parts/problem.tsx'
import { changeQuery } from '../route.ts'
import { useMaySomewhere } from '../session.ts'
import { setTitle } from '../title.ts'
import { useAnswer } from '../use-answer.ts'
import { DefinitionHits } from './definition-hits.tsx'
import { COLUMNS, type Column, DefinitionTable } from './definition-table.tsx'
import { SortFilter, sortingOf } from './sort.tsx'

interface Answer {
  dags: ListedDefinition[]
  errors: string[]
  pagination: Pagination
}

/** What its rows show of the latest runs. */
const ROWS = Object.entries({ trend: 'true', latestRuns: '14' })

export function DefinitionList({ query }: { query: URLSearchParams }) {
  const [name = '', tag = '', page = ''] = ['name', 'tag', 'page'].map((key) => query.get(key) ?? '')
  const sorting = sortingOf<Column>(query, COLUMNS)
  // Without a choice the order is that of the server's settings.
  const [sort, order] = sorting.by === undefined ? ['', ''] : [sorting.by, sorting.order]
  const text = query.get('text') ?? ''
  const isSearch = text.trim() !== ''
  const mayWrite = useMaySomewhere('write')
  const tags = useAnswer<{ tags: string[] }>('/dags/tags')
  const asked = Object.entries<string>({ name, tag, sort, order, page }).filter(([, text]) => text)
  const { value, refusal, refresh } = useAnswer<Answer>(`/dags?${new URLSearchParams([...asked, ...ROWS])}`)
  useFeed(refresh, tags.refresh)
  useEffect(() => {
    setTitle('Definitions')
  }, [])
  // There may be fewer pages than when this one was opened.
  const { totalPages = 0, currentPage = 1 } = value?.pagination ?? {}
  const isBeyond = totalPages > 0 && currentPage > totalPages
  useEffect(() => {
    if (isBeyond) changeQuery({ page: String(totalPages) }, 'replace')
  }, [isBeyond, totalPages])
  return (
    <>
      <div class="list-head">
        <h1>Definitions</h1>
        {mayWrite && (
          <a class="button" href="#/new-definition">
            New definition
          </a>
        )}
      </div>
      <Filters values={[name, tag, sort, text]}>
        <TextFilter label="Name" name="name" value={name} />
        <ChoiceFilter
          label="Tag"
          name="tag"
          value={tag}
          choices={[['', 'Any tag'], ...tagsWith(tag, tags.value?.tags ?? []).map((it) => [it, it] as const)]}
        />
        <SortFilter sorting={sorting} none="Default order" />
        <TextFilter label="Search in texts" name="text" value={text} />
      </Filters>
      {isSearch && <DefinitionHits text={text} />}
      <Problem refusal={refusal} retry={refresh} />
      {!isSearch && !value && !refusal && <Awaited />}
      {!isSearch && value && value.dags.length === 0 && !isBeyond && (
        <div class="empty">
          <p>{name || tag ? 'No matching definitions.' : 'There are no definitions yet.'}</p>
        </div>
      )}
      {!isSearch && value && value.dags.length > 0 && (
        <DefinitionTable dags={value.dags} sorting={sorting} onChanged={refresh} />
      )}
      {!isSearch && value && value.pagination.totalPages > 1 && <Pages {...value.pagination} />}
    </>
  )
}

/** The tag of the filter is always among the choices, even when no definition has it any more. */
const tagsWith = (wanted: string, all: readonly string[]) =>
  wanted === '' || all.includes(wanted) ? all : [wanted, ...all]

const Pages = ({ currentPage, totalPages, prevPage, nextPage }: Pagination) => (
  <nav class="more" aria-label="Pages">
    <button
      type="button"
      class="button"
      disabled={prevPage === null}
      onClick={() => changeQuery({ page: String(prevPage) })}
    >
      Previous
    </button>
    <span class="soft">
      Page {currentPage} of {totalPages}
    </span>
    <button
      type="button"
      class="button"
      disabled={nextPage === null}
      onClick={() => changeQuery({ page: String(nextPage) })}
    >
      Next
    </button>
  </nav>
)
