/** Queues: which runs are running in each, and which are waiting for a slot. */
import { useEffect } from 'preact/hooks'
import type { Queue, RunSummary } from '../answers.ts'
import { pathOf } from '../api.ts'
import { useFeed } from '../feed.ts'
import { AnswerState } from '../parts/answer-state.tsx'
import { useNow } from '../parts/now.ts'
import { Why } from '../run/why.tsx'
import { instant, timeText } from '../text.ts'
import { setTitle } from '../title.ts'
import { countsOf } from '../today/day.ts'
import { useAnswer } from '../use-answer.ts'
import { ChosenBar, ClearQueue, keyOf, useChoosing } from './chosen-runs.tsx'
import { RunTable } from './run-table.tsx'

export function QueueList() {
  const answer = useAnswer<{ queues: Queue[] }>('/queues')
  const { value, refresh } = answer
  useFeed(refresh)
  useEffect(() => {
    setTitle('Queues')
  }, [])
  return (
    <>
      <h1>Queues</h1>
      <AnswerState {...answer} />
      {value?.queues.length === 0 && (
        <div class="empty">
          <p>No run is running or waiting.</p>
        </div>
      )}
      {value?.queues.map((queue) => (
        <section key={queue.name} class="queue" aria-label={`Queue ${queue.name}`}>
          <div class="list-head">
            <h2>
              {queue.name} <span class="chip">{queue.type === 'dag-based' ? 'own queue' : 'shared queue'}</span>
            </h2>
            <ClearQueue name={queue.name} runs={[...queue.queuedDAGRuns].reverse()} />
          </div>
          <p class="soft">{countText(queue)}</p>
          {queue.summary.total > 0 && <Members queue={queue} />}
          <Next queue={queue} />
        </section>
      ))}
    </>
  )
}

/** `1 running, 1 waiting of at most 3, 4 queued`: what waits for an answer keeps its slot. */
function countText({ summary, runningDAGRuns, maxConcurrency }: Queue): string {
  const waiting = countsOf(runningDAGRuns).get('waiting') ?? 0
  const most = maxConcurrency === undefined ? '' : ` of at most ${maxConcurrency}`
  return `${summary.running - waiting} running${waiting > 0 ? `, ${waiting} waiting` : ''}${most}, ${summary.queued} queued`
}

function Members({ queue: { runningDAGRuns, queuedDAGRuns } }: { queue: Queue }) {
  const runs = [...runningDAGRuns, ...queuedDAGRuns]
  const choosing = useChoosing(runs)
  const now = useNow(false)
  const places = new Map(queuedDAGRuns.map((run, at) => [keyOf(run), placeText(run, at, queuedDAGRuns.length, now)]))
  return (
    <>
      <ChosenBar runs={[...runs].reverse()} choosing={choosing} />
      <RunTable runs={runs} choosing={choosing} placeOf={(run) => places.get(keyOf(run))} />
    </>
  )
}

const placeText = ({ priority, at = '' }: RunSummary, place: number, count: number, now: number): string =>
  [
    `${place + 1} of ${count}`,
    priority === undefined ? [] : `priority ${priority}`,
    (instant(at) ?? 0) <= now ? [] : `not before ${timeText(instant(at), now)}`
  ]
    .flat()
    .join(', ')

/** Why the first waiting run has to wait: the others are behind it. */
function Next({ queue: { queuedDAGRuns, summary } }: { queue: Queue }) {
  const [first] = queuedDAGRuns
  if (!first) return null
  const { name, dagRunId } = first
  // A change of the counts may have changed the reason.
  return (
    <Why
      key={`${name}/${dagRunId} ${summary.running} ${summary.queued}`}
      path={`/dag-runs${pathOf(name, dagRunId)}/explain`}
      about="run"
      title={summary.queued > 1 ? 'Why the first of them is waiting' : 'Why it is waiting'}
    />
  )
}
