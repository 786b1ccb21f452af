/** The first screen: how many runs have which status, what needs attention, and the last 24 hours of each definition. */
import { useEffect, useState } from 'preact/hooks'
import { RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { ListedDefinition, Pagination, Queue, RunStatus, RunSummary } from '../answers.ts'
import { now as timeNow } from '../clock.ts'
import { useFeed } from '../feed.ts'
import { ANY_WAIT } from '../lists/run-filters.tsx'
import { Awaited } from '../parts/awaited.tsx'
import { StatusMark } from '../parts/icon.tsx'
import { Problem } from '../parts/problem.tsx'
import { linkTo } from '../route.ts'
import { labelText } from '../text.ts'
import { setTitle } from '../title.ts'
import { useAnswer } from '../use-answer.ts'
import { WaitsForYou } from '../waits/waits-for-you.tsx'
import { type Concern, concernsOf } from './attention.ts'
import { countsOf, DAY_MS } from './day.ts'
import { DayStrip } from './day-strip.tsx'
import { Slower } from './slower.tsx'

/** The most that one answer of the API has. */
const MOST = 1_000
/** The answers are large. */
const OFTEN_MS = 3_000
const HOUR_MS = 3_600_000

interface Runs {
  dagRuns: RunSummary[]
  nextCursor: string | null
}
interface Definitions {
  dags: ListedDefinition[]
  pagination: Pagination
}

export function TodayView() {
  const [now, setNow] = useState(timeNow)
  // By the hour, so that the address of the answer stays the same for a while.
  const fromDate = String((Math.floor(now / HOUR_MS) * HOUR_MS - DAY_MS) / 1_000)
  const runs = useAnswer<Runs>(`/dag-runs?${new URLSearchParams({ fromDate, limit: String(MOST) })}`)
  const definitions = useAnswer<Definitions>(`/dags?perPage=${MOST}`)
  const queues = useAnswer<{ queues: Queue[] }>('/queues')
  const [refreshRuns, refreshQueues, refreshDefinitions] = [runs.refresh, queues.refresh, definitions.refresh]
  const [acts] = useState(() => ({
    often() {
      setNow(timeNow())
      refreshRuns()
      refreshQueues()
    },
    seldom: () => refreshDefinitions()
  }))
  useFeed(acts.often, acts.seldom, OFTEN_MS)
  useEffect(() => {
    setTitle('Today')
  }, [])
  const answers = [runs, definitions, queues]
  const refused = answers.find(({ refusal }) => refusal)
  const isAwaited = answers.some(({ value, refusal }) => !value && !refusal)
  // An answer of an unexpected shape is no empty list.
  const all = runs.value ? runs.value.dagRuns : []
  const allQueues = queues.value ? queues.value.queues : []
  const allDefinitions = definitions.value ? definitions.value.dags : []
  const isPart = typeof runs.value?.nextCursor === 'string'
  return (
    <>
      <h1>Today</h1>
      {refused && <Problem refusal={refused.refusal} retry={refused.refresh} />}
      {isAwaited ? (
        <Awaited />
      ) : (
        <>
          <WaitsForYou now={now} />
          <Counts runs={all} queues={allQueues} />
          <Attention concerns={concernsOf(all, allDefinitions, allQueues, now)} isCertain={!refused} />
          <Slower />
          <section aria-label="Last 24 hours">
            <h2>Last 24 hours</h2>
            {isPart && <p class="soft">Of the newest {all.length} runs; the list of runs has all of them.</p>}
            {all.length === 0 ? (
              <p class="soft">
                No runs. <a href="#/definitions">Start a definition</a>
              </p>
            ) : (
              <DayStrip runs={all} now={now} />
            )}
          </section>
        </>
      )}
    </>
  )
}

/** The others are of now. */
const PAST: readonly RunStatus[] = ['failed', 'succeeded', 'partially_succeeded', 'canceled']

function Counts({ runs, queues }: { runs: readonly RunSummary[]; queues: readonly Queue[] }) {
  const past = countsOf(runs)
  const present = countsOf(queues.flatMap(({ runningDAGRuns, queuedDAGRuns }) => runningDAGRuns.concat(queuedDAGRuns)))
  const counts = [
    ...(['running', 'queued'] as const).map((label) => ({
      label,
      count: present.get(label) ?? 0,
      query: { status: statusOf(label) }
    })),
    { label: 'waiting' as const, count: present.get('waiting') ?? 0, query: { waitingFor: ANY_WAIT } },
    ...PAST.map((label) => ({ label, count: past.get(label) ?? 0, query: { status: statusOf(label), period: '24h' } }))
  ]
  return (
    <ul class="counts" aria-label="Running and waiting now, ended in the last 24 hours">
      {counts.map(({ label, count, query }) => (
        <li key={label}>
          <a class={`s-${label} ${count === 0 ? 'none' : ''}`} href={linkTo(['runs'], query)}>
            <StatusMark label={label} />
            <b>{count}</b> {labelText(label)}
          </a>
        </li>
      ))}
    </ul>
  )
}

const statusOf = (label: RunStatus) => String(RUN_STATUSES.indexOf(label))

/** More are in the lists. */
const MOST_CONCERNS = 12
const MARKS: Record<Concern['kind'], RunStatus> = {
  failed: 'failed',
  broken: 'failed',
  waiting: 'queued',
  still: 'queued'
}

/** @param isCertain all that it is about is known */
function Attention({ concerns, isCertain }: { concerns: readonly Concern[]; isCertain: boolean }) {
  const rest = concerns.length - MOST_CONCERNS
  return (
    <section class="attention" aria-label="Needs attention">
      <h2>Needs attention</h2>
      {concerns.length === 0 && isCertain && <p class="soft">Nothing needs attention.</p>}
      <ul>
        {concerns.slice(0, MOST_CONCERNS).map(({ kind, name, text, link }) => (
          <li key={`${kind} ${name}`}>
            <StatusMark label={MARKS[kind]} />
            <a href={link}>{name}</a>
            <span class="soft">{text}</span>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <p class="soft">
          And {rest} more: <a href={linkTo(['runs'], { status: '2' })}>failed runs</a>,{' '}
          <a href="#/definitions">definitions</a>, <a href="#/queues">queues</a>
        </p>
      )}
    </section>
  )
}
