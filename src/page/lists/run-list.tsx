/** Runs, newest first, live. The filters are in the address. */
import { useEffect } from 'preact/hooks'
import type { RunSummary } from '../answers/runs.ts'
import { ask } from '../api.ts'
import { useFeed } from '../feed.ts'
import { useKept } from '../history/kept.ts'
import { Awaited } from '../parts/awaited.tsx'
import { useAction } from '../parts/notices.tsx'
import { useNow } from '../parts/now.ts'
import { Problem } from '../parts/problem.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { triggerText } from '../parts/trigger.tsx'
import { runLink } from '../route.ts'
import { instant, roughLengthText, shortened } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { type Choosing, ChosenBar, keyOf, useChoosing } from './chosen-runs.tsx'
import { filtersOf, RunFilters } from './run-filters.tsx'

const PAGE = 50
interface Part {
  dagRuns: RunSummary[]
  nextCursor: string | null
}

export function RunList({ query }: { query: URLSearchParams }) {
  const filters = filtersOf(query, useNow(false))
  const filter = new URLSearchParams({ limit: String(PAGE), ...filters }).toString()
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
      {value && <Found key={filter} filter={filter} first={value} isFiltered={Object.keys(filters).length > 0} />}
    </>
  )
}

/** @param first the newest; older runs are loaded on request and then no longer updated */
function Found({ filter, first, isFiltered }: { filter: string; first: Part; isFiltered: boolean }) {
  const [more, setMore] = useKept<Part>(`more ${filter}`)
  const { act, isBusy } = useAction()
  const cursor = more ? more.nextCursor : first.nextCursor
  const load = () =>
    act(async () => {
      const part = await ask<Part>(`/dag-runs?${filter}&cursor=${encodeURIComponent(cursor ?? '')}`)
      setMore({ dagRuns: [...(more?.dagRuns ?? []), ...part.dagRuns], nextCursor: part.nextCursor })
      return `Loaded ${part.dagRuns.length} more runs.`
    })
  const known = new Set(first.dagRuns.map(keyOf))
  const runs = [...first.dagRuns, ...(more?.dagRuns ?? []).filter((run) => !known.has(keyOf(run)))]
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
      <ChosenBar runs={runs} choosing={choosing} />
      <RunTable runs={runs} choosing={choosing} />
      {cursor !== null && (
        <p class="more">
          <button type="button" class="button" disabled={isBusy} onClick={load}>
            Older runs
          </button>
        </p>
      )}
    </>
  )
}

/** Of parameters; the page of the run has all of them. */
const MOST_IN_ROW = 200
const MOST_IN_TITLE = 600

interface TableProps {
  runs: readonly RunSummary[]
  /** Undefined: nothing can be selected. */
  choosing?: Choosing | undefined
  /** The place of a run in its queue, such as `2 of 5`. */
  placeOf?: (run: RunSummary) => string | undefined
}

export function RunTable({ runs, choosing, placeOf }: TableProps) {
  const now = useNow(runs.some(({ statusLabel }) => statusLabel === 'running'))
  return (
    <table class="list runs">
      <thead>
        <tr>
          {choosing && (
            <th scope="col" class="choice">
              <ChoiceOfAll choosing={choosing} />
            </th>
          )}
          <th scope="col">Status</th>
          <th scope="col">Run</th>
          <th scope="col">Started</th>
          <th scope="col">Duration</th>
          <th scope="col" class="wide">
            Trigger
          </th>
          <th scope="col" class="wide">
            Parameters
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={keyOf(run)} class={choosing?.chosen.has(keyOf(run)) ? 'chosen' : undefined}>
            {choosing && (
              <td class="choice">{choosing.able.has(keyOf(run)) && <Choice run={run} choosing={choosing} />}</td>
            )}
            <td>
              <Status label={run.statusLabel} /> <Place text={placeOf?.(run)} />
            </td>
            <th scope="row" title={`${run.name} ${run.dagRunId}`}>
              <a href={runLink(run)}>{run.name}</a>
              <span class="soft mono run-id">{run.dagRunId}</span>
            </th>
            <td class="mono">
              <Time at={instant(run.startedAt) ?? instant(run.queuedAt)} today={now} />
            </td>
            <td class="mono">{tookText(run, now)}</td>
            <td class="wide soft cut" title={run.trigger && triggerText(run.trigger, now)}>
              {run.trigger ? triggerText(run.trigger, now) : ''}
            </td>
            <td class="wide soft mono cut" title={shortened(run.params, MOST_IN_TITLE)}>
              {run.params.slice(0, MOST_IN_ROW)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Place = ({ text }: { text: string | undefined }) => (text ? <span class="soft queue-place">{text}</span> : null)

const Choice = ({ run, choosing: { chosen, onChoose } }: { run: RunSummary; choosing: Choosing }) => (
  <input
    type="checkbox"
    aria-label={`Select ${run.name} ${run.dagRunId}`}
    checked={chosen.has(keyOf(run))}
    onChange={({ currentTarget }) => onChoose([keyOf(run)], currentTarget.checked)}
  />
)

function ChoiceOfAll({ choosing: { able, chosen, onChoose } }: { choosing: Choosing }) {
  const isAll = able.size > 0 && chosen.size === able.size
  return (
    <input
      type="checkbox"
      aria-label="Select all that are running or queued"
      disabled={able.size === 0}
      checked={isAll}
      indeterminate={chosen.size > 0 && !isAll}
      onChange={({ currentTarget }) => onChoose(able, currentTarget.checked)}
    />
  )
}

function tookText({ startedAt, finishedAt, statusLabel }: RunSummary, now: number): string {
  const began = instant(startedAt)
  if (began === undefined) return '–'
  const ended = statusLabel === 'running' ? now : (instant(finishedAt) ?? now)
  return roughLengthText(Math.max(0, ended - began))
}
