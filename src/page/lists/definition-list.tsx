/** Definitions: when they run next, how they ran last, and what is wrong with them. */
import { useEffect, useState } from 'preact/hooks'
import type { ListedDefinition, Pagination } from '../answers/definitions.ts'
import { SuspendButton } from '../definition/suspend-button.tsx'
import { useFeed } from '../feed.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Awaited } from '../parts/awaited.tsx'
import { ChoiceFilter, TextFilter } from '../parts/filters.tsx'
import { useNow } from '../parts/now.ts'
import { Problem } from '../parts/problem.tsx'
import { Status } from '../parts/status.tsx'
import { Tags } from '../parts/tags.tsx'
import { Time } from '../parts/time.tsx'
import { changeQuery, linkTo, runLink } from '../route.ts'
import { ScheduleLine } from '../schedule/schedule.tsx'
import { useRefusal } from '../session.ts'
import { StartDialog } from '../start/start-dialog.tsx'
import { instant } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { DefinitionHits } from './definition-hits.tsx'

interface Answer {
  dags: ListedDefinition[]
  errors: string[]
  pagination: Pagination
}

/** The page of the definition shows all of them. */
const MOST_TAGS = 6

const ORDERS: [string, string][] = [
  ['', 'By name'],
  ['nextRun', 'By next run']
]

export function DefinitionList({ query }: { query: URLSearchParams }) {
  const [name = '', tag = '', sort = '', page = ''] = ['name', 'tag', 'sort', 'page'].map((key) => query.get(key) ?? '')
  const text = query.get('text') ?? ''
  const isSearch = text.trim() !== ''
  const mayWrite = useRefusal('write') === undefined
  const tags = useAnswer<{ tags: string[] }>('/dags/tags')
  const asked = Object.entries<string>({ name, tag, sort, page }).filter(([, text]) => text)
  const { value, refusal, refresh } = useAnswer<Answer>(`/dags?${new URLSearchParams(asked)}`)
  useFeed(refresh, tags.refresh)
  useEffect(() => {
    document.title = 'Definitions – Troupe'
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
      <div class="filters">
        <TextFilter label="Name" name="name" value={name} />
        <ChoiceFilter
          label="Tag"
          name="tag"
          value={tag}
          choices={[['', 'Any tag'], ...tagsWith(tag, tags.value?.tags ?? []).map((it) => [it, it] as const)]}
        />
        <ChoiceFilter label="Order" name="sort" value={sort} choices={ORDERS} />
        <TextFilter label="Search in texts" name="text" value={text} />
      </div>
      {isSearch && <DefinitionHits text={text} />}
      <Problem refusal={refusal} retry={refresh} />
      {!isSearch && !value && !refusal && <Awaited />}
      {!isSearch && value && value.dags.length === 0 && !isBeyond && (
        <div class="empty">
          <p>{name || tag ? 'No matching definitions.' : 'There are no definitions yet.'}</p>
        </div>
      )}
      {!isSearch && value && value.dags.length > 0 && <DefinitionTable dags={value.dags} onChanged={refresh} />}
      {!isSearch && value && value.pagination.totalPages > 1 && <Pages {...value.pagination} />}
    </>
  )
}

/** The tag of the filter is always among the choices, even when no definition has it any more. */
const tagsWith = (wanted: string, all: readonly string[]) =>
  wanted === '' || all.includes(wanted) ? all : [wanted, ...all]

function DefinitionTable({ dags, onChanged }: { dags: readonly ListedDefinition[]; onChanged: () => void }) {
  const now = useNow(false)
  const mayNot = useRefusal('run')
  const [toStart, setToStart] = useState<ListedDefinition>()
  return (
    <>
      <table class="list definitions">
        <thead>
          <tr>
            <th scope="col">Definition</th>
            <th scope="col">Latest run</th>
            <th scope="col">Next run</th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {dags.map((listed) => (
            <tr key={listed.fileName}>
              <th scope="row" title={[listed.dag.name, listed.dag.description].filter(Boolean).join(': ')}>
                <a href={linkTo(['definitions', listed.fileName])}>{listed.dag.name}</a>
                <Tags all={listed.dag.tags} most={MOST_TAGS} />
                {listed.errors.length > 0 && (
                  <span class="chip bad">
                    {listed.errors.length} problem{listed.errors.length > 1 && 's'}
                  </span>
                )}
                {listed.dag.description !== '' && (
                  <span class="soft short" title={listed.dag.description}>
                    {listed.dag.description}
                  </span>
                )}
              </th>
              <td>
                {listed.latestDAGRun.dagRunId === '' ? (
                  <span class="soft">Never</span>
                ) : (
                  <a class="bare" href={runLink(listed.latestDAGRun)}>
                    <Status label={listed.latestDAGRun.statusLabel} />
                  </a>
                )}
              </td>
              <td>
                <NextRun {...listed} now={now} />
              </td>
              <td>
                <div class="buttons">
                  <ActionButton
                    kind="small main"
                    refusal={mayNot ?? (listed.errors.length > 0 ? 'The definition has problems.' : undefined)}
                    onAct={() => setToStart(listed)}
                  >
                    Start<span class="unseen"> {listed.dag.name}</span>
                  </ActionButton>
                  <SuspendButton fileName={listed.fileName} isSuspended={listed.suspended} onChanged={onChanged} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {toStart && <StartDialog fileName={toStart.fileName} onClose={() => setToStart(undefined)} />}
    </>
  )
}

function NextRun({ dag, suspended, now }: ListedDefinition & { now: number }) {
  if (suspended) return <span class="chip">Suspended</span>
  if (dag.nextRun === '') return <span class="soft">Manual</span>
  return (
    <>
      <span class="mono">
        <Time at={instant(dag.nextRun)} today={now} />
      </span>
      <ScheduleLine expressions={dag.schedule.map(({ expression }) => expression)} />
    </>
  )
}

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
