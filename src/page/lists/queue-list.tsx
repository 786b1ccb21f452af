/** Queues: what runs in each, and what waits for a place. */
import { useEffect } from 'preact/hooks'
import type { Queue } from '../answers.ts'
import { useFeed } from '../feed.ts'
import { Problem } from '../parts/problem.tsx'
import { useAnswer } from '../use-answer.ts'
import { RunTable } from './run-list.tsx'

export function QueueList() {
  const { value, refusal, refresh } = useAnswer<{ queues: Queue[] }>('/queues')
  useFeed(refresh)
  useEffect(() => {
    document.title = 'Queues – Troupe'
  }, [])
  return (
    <>
      <h1>Queues</h1>
      <Problem refusal={refusal} retry={refresh} />
      {value?.queues.length === 0 && (
        <div class="empty">
          <p>Nothing runs and nothing waits.</p>
        </div>
      )}
      {value?.queues.map((queue) => (
        <section key={queue.name} class="queue" aria-label={`Queue ${queue.name}`}>
          <h2>
            {queue.name} <span class="chip">{queue.type}</span>
          </h2>
          <p class="soft">
            {queue.summary.running} running
            {queue.maxConcurrency !== undefined && ` of at most ${queue.maxConcurrency}`}, {queue.summary.queued}{' '}
            waiting
          </p>
          {queue.summary.total > 0 && <RunTable runs={[...queue.runningDAGRuns, ...queue.queuedDAGRuns]} />}
        </section>
      ))}
    </>
  )
}
