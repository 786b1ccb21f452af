/** What the list of workers and the view of one have in common. */
import type { ComponentChildren } from 'preact'
import { shellWord } from '../../platform/shell/shell-word.ts'
import type { Coordinator, Label, Worker } from '../answers.ts'
import { Awaited } from '../parts/awaited.tsx'
import { RunId } from '../parts/copy/run-id.tsx'
import { StatusMark } from '../parts/icon.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Problem } from '../parts/problem.tsx'
import { runLink } from '../route.ts'
import { capitalized, roughLengthText } from '../text.ts'
import { useAnswer } from '../use-answer.ts'
import { type Span, STRIP_MS, type Standing, spansText } from './health.ts'
import type { ListedWorker, Workers } from './use-workers.ts'

/** Each has the color and the mark of a status of runs. */
const LOOKS: Record<Standing, Label> = {
  healthy: 'succeeded',
  warning: 'queued',
  unhealthy: 'failed',
  incompatible: 'canceled',
  lost: 'not_started'
}

export const Health = ({ standing, worker }: ListedWorker) => (
  <>
    <span class={`status s-${LOOKS[standing]}`}>
      <StatusMark label={LOOKS[standing]} />
      {capitalized(standing)}
    </span>
    {worker.status === 'draining' && <span class="chip">draining</span>}
    {worker.reason && (
      <span class="reason">
        <LongText text={worker.reason} label={`Why ${worker.id} is refused`} />
      </span>
    )}
  </>
)

/** Heights differ too, so that nobody depends on the color. */
const HEIGHTS: Record<Standing, number> = { healthy: 16, warning: 11, unhealthy: 6, incompatible: 6, lost: 2 }
const WIDTH = 300
const PER_MS = WIDTH / STRIP_MS

export function Strip({ spans, at }: { spans: readonly Span[]; at: number }) {
  const text = `Seen in the last 5 min: ${spansText(spans, at)}`
  return (
    <svg class="health" viewBox={`0 0 ${WIDTH} 16`} preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      <path class="axis" d={`M0 15.5H${WIDTH}`} />
      {spans.map(({ from, until, standing }) => {
        const x = Math.max(0, WIDTH - (at - from) * PER_MS)
        const width = Math.max(2, WIDTH - (at - until) * PER_MS - x)
        const height = HEIGHTS[standing]
        return (
          <rect
            key={from}
            class={`s-${LOOKS[standing]}`}
            x={Math.min(x, WIDTH - 2)}
            y={16 - height}
            width={width}
            height={height}
          />
        )
      })}
    </svg>
  )
}

/** @param most maximum that is shown */
export function Tasks({ worker, most }: { worker: Worker; most: number }) {
  const tasks = worker.running_tasks
  return (
    <ul class="plain-list">
      {tasks.slice(0, most).map(({ dagName, dagRunId }) => (
        <li key={`${dagName}/${dagRunId}`}>
          <a href={runLink({ name: dagName, dagRunId })}>{dagName}</a> <RunId id={dagRunId} isInRow />
        </li>
      ))}
      {tasks.length > most && <li class="soft">{tasks.length - most} more</li>}
    </ul>
  )
}

export const slotsText = ({ running_tasks, slots }: Worker): string => `${running_tasks.length} of ${slots}`

export const silenceText = (ms: number | undefined): string => (ms === undefined ? '–' : `${roughLengthText(ms)} ago`)

const PERCENT = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const LOADS = [
  ['cpu', 'CPU'],
  ['mem', 'memory'],
  ['disk', 'disk']
] as const
export const loadText = ({ load }: Worker): string =>
  LOADS.flatMap(([key, name]) => {
    const share = load?.[key]
    return share === undefined ? [] : [`${name} ${PERCENT.format(share)} %`]
  }).join(', ') || '–'

export const labelsOf = ({ labels }: Worker): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`)

/** What stands between a heading and workers: that there is no coordinator, what is wrong, and that nothing is known yet. */
export function WorkersState({ workers, errors, refusal, refresh, hasNoCoordinator }: Workers) {
  if (refusal && hasNoCoordinator)
    return (
      <div class="empty">
        <p>
          There is no coordinator: <LongText text={refusal.message} label="Why there is no coordinator" />.
        </p>
        <p>
          Every run is run by this server itself. To let workers on other machines take part, start a coordinator on
          this machine with <code>troupe coordinator</code>. This view then shows its workers.
        </p>
      </div>
    )
  return (
    <>
      <Problem refusal={refusal} retry={refresh} />
      {errors.map((error) => (
        <Warning key={error}>
          <LongText text={error} label="What is wrong" />
        </Warning>
      ))}
      {!workers && !refusal && <Awaited />}
      {workers?.length === 0 && <NoWorkers />}
    </>
  )
}

const Warning = ({ children }: { children: ComponentChildren }) => (
  <div class="problem" role="status">
    <p>{children}</p>
  </div>
)

function NoWorkers() {
  const { value } = useAnswer<{ coordinators: Coordinator[] }>('/services/coordinator')
  const [first] = value?.coordinators ?? []
  return (
    <div class="empty">
      <p>No worker is connected.</p>
      <p>
        Start one with{' '}
        <code>
          troupe worker --worker.coordinators {first ? shellWord(`${first.host}:${first.port}`) : 'HOST:PORT'}
        </code>
        {!first && ', the address of the coordinator'}.
      </p>
    </div>
  )
}
