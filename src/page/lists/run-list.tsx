/** Runs, newest first, live. The filters are in the address. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { RunSummary } from '../answers/runs.ts'
import { ask } from '../api.ts'
import { useFeed } from '../feed.ts'
import { useKept } from '../history/kept.ts'
import { Awaited } from '../parts/awaited.tsx'
import { useAction } from '../parts/notices.tsx'
import { useNow } from '../parts/now.ts'
import { Problem } from '../parts/problem.tsx'
import { useAnswer } from '../use-answer.ts'
import { ChosenBar, keyOf, useChoosing } from './chosen-runs.tsx'
import { filtersOf, RunFilters } from './run-filters.tsx'
import { RunTable } from './run-table.tsx'

const PAGE = 50
/** Of older ones. */
const MORE = 200
/** Of those that are read again. */
const MOST_AT_ONCE = 1_000
interface Part {
  dagRuns: RunSummary[]
  nextCursor: string | null
}

export function RunList({ query }: { query: URLSearchParams }) {
  const filters = filtersOf(query, useNow(false))
  const filter = new URLSearchParams([['limit', String(PAGE)], ...filters]).toString()
  const { value, refusal, refresh } = useAnswer<Part>(`/dag-runs?${filter}`)
  useFeed(refresh)
  useEffect(() => {
    document.title = 'Runs – Troupe'
  }, [])
  return (
    <>
      <h1>Runs</h1>
      <RunFilters query={query} />
      <Problem refusal={refusal} retry={refresh} />
      {!value && !refusal && <Awaited />}
      {value && <Found key={filter} filter={filter} first={value} isFiltered={filters.length > 0} />}
    </>
  )
}

/** @param first the newest; older runs are loaded on request and then no longer updated */
function Found({ filter, first, isFiltered }: { filter: string; first: Part; isFiltered: boolean }) {
  const [more, setMore] = useKept<Part>(`more ${filter}`)
  const { act, isBusy } = useAction()
  const cursor = more ? more.nextCursor : first.nextCursor
  const isLoading = useRef(false)
  const partAfter = (after: string, limit: number) => {
    const query = new URLSearchParams(filter)
    query.set('limit', String(limit))
    query.set('cursor', after)
    return ask<Part>(`/dag-runs?${query}`)
  }
  const load = async (isAsked: boolean) => {
    if (isLoading.current) return
    isLoading.current = true
    await act(async () => {
      const part = await partAfter(cursor ?? '', MORE)
      setMore({ dagRuns: [...(more?.dagRuns ?? []), ...part.dagRuns], nextCursor: part.nextCursor })
      return isAsked ? `Loaded ${part.dagRuns.length} more runs.` : ''
    })
    isLoading.current = false
  }
  /** Reads the older ones again: nothing follows them. */
  const reload = async () => {
    const wanted = more?.dagRuns.length ?? 0
    if (wanted === 0) return
    await act(async () => {
      const dagRuns: RunSummary[] = []
      let { nextCursor } = first
      while (nextCursor !== null && dagRuns.length < wanted) {
        const part = await partAfter(nextCursor, Math.min(MOST_AT_ONCE, wanted - dagRuns.length))
        dagRuns.push(...part.dagRuns)
        nextCursor = part.nextCursor
      }
      setMore({ dagRuns, nextCursor })
      return ''
    })
  }
  // They may be many thousands.
  const runs = useMemo(() => {
    const known = new Set(first.dagRuns.map(keyOf))
    return [...first.dagRuns, ...(more?.dagRuns ?? []).filter((run) => !known.has(keyOf(run)))]
  }, [first, more])
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

/** So far below the window, in its height. */
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
