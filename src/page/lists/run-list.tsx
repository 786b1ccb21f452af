/** Runs, newest first, live. The filters are in the address. */
import { useEffect, useRef } from 'preact/hooks'
import { useFeed } from '../feed.ts'
import { AnswerState } from '../parts/answer-state.tsx'
import { useNow } from '../parts/now.ts'
import { setTitle } from '../title.ts'
import { useAnswer } from '../use-answer.ts'
import { ChosenBar, useChoosing } from './chosen-runs.tsx'
import { filtersOf, RunFilters } from './run-filters.tsx'
import { RunTable } from './run-table.tsx'
import { type Part, useOlder } from './use-older.ts'

const PAGE = 50

export function RunList({ query }: { query: URLSearchParams }) {
  const filters = filtersOf(query, useNow(false))
  const filter = new URLSearchParams([['limit', String(PAGE)], ...filters]).toString()
  const answer = useAnswer<Part>(`/dag-runs?${filter}`)
  const { value, refresh } = answer
  useFeed(refresh)
  useEffect(() => {
    setTitle('Runs')
  }, [])
  return (
    <>
      <h1>Runs</h1>
      <RunFilters query={query} />
      <AnswerState {...answer} />
      {value && <Found key={filter} filter={filter} first={value} isFiltered={filters.length > 0} />}
    </>
  )
}

/** @param first the newest; older runs are loaded on request and then no longer updated */
function Found({ filter, first, isFiltered }: { filter: string; first: Part; isFiltered: boolean }) {
  const { runs, cursor, isBusy, load, reload } = useOlder(filter, first)
  const choosing = useChoosing(runs)
  if (runs.length === 0)
    return (
      <div class="empty">
        <p>{isFiltered ? 'No matching runs.' : 'There are no runs yet.'}</p>
        {!isFiltered && <a href="#/definitions">Start a definition</a>}
      </div>
    )
  return (
    <>
      <ChosenBar runs={runs} choosing={choosing} onActed={() => void reload()} />
      <RunTable runs={runs} choosing={choosing} />
      {cursor !== null && <Older key={cursor} isBusy={isBusy} onLoad={(isAsked) => void load(isAsked)} />}
    </>
  )
}

/** How far below the window rows are drawn, in its height. */
const NEAR = '0px 0px 60% 0px'

interface OlderProps {
  isBusy: boolean
  onLoad: (isAsked: boolean) => void
}

/** Once for each part: what failed is asked for again by the button, or when it comes near another time. */
function Older({ isBusy, onLoad }: OlderProps) {
  const place = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (!place.current) return
    const watcher = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && onLoad(false), {
      rootMargin: NEAR
    })
    watcher.observe(place.current)
    return () => watcher.disconnect()
  }, [])
  return (
    <p ref={place} class="more">
      <button type="button" class="button" disabled={isBusy} onClick={() => onLoad(true)}>
        Older runs
      </button>
    </p>
  )
}
