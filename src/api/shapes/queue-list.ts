/** All queues with their runs, of any number: a long answer is in parts. Source: http-api "Queues and workers", api-semantics 6.1. */
import type { ParameterizedContext } from 'koa'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { nextTurn, systemClock } from '../../clock.ts'
import type { QueueView } from '../../engine/engine.ts'
import { answerTexts } from './run-list.ts'
import type { SummaryOf } from './run-rows.ts'

/** Runs per part; up to so many the answer is an ordinary one. */
const AT_ONCE = 500

/** Answers with `{queues, summary}`. */
export function answerQueues(ctx: ParameterizedContext, queues: QueueView[], summaryOf: SummaryOf): void {
  const summary = sumsOf(queues)
  if (summary.totalRunning + summary.totalQueued > AT_ONCE) answerTexts(ctx, texts(queues, summary, summaryOf))
  else
    ctx.body = {
      queues: queues.map((queue) => {
        const [running, queued] = [queue.running, queue.queued].map((runs) => runs.map(summaryOf))
        return { ...headOf(queue), runningDAGRuns: running, queuedDAGRuns: queued, running, queued }
      }),
      summary
    }
}

async function* texts(queues: QueueView[], summary: object, summaryOf: SummaryOf): AsyncGenerator<string> {
  let before = '{"queues":['
  for (const queue of queues) {
    const { running, queued } = queue
    before += JSON.stringify(headOf(queue)).slice(0, -1)
    for (const [name, runs] of Object.entries({ runningDAGRuns: running, queuedDAGRuns: queued, running, queued })) {
      yield `${before},"${name}":[`
      yield* listed(runs, summaryOf)
      before = ']'
    }
    before = ']},'
  }
  yield `${before.slice(0, -1)}],"summary":${JSON.stringify(summary)}}`
}

/** Yields to the event loop in between. */
async function* listed(runs: RunRecord[], summaryOf: SummaryOf): AsyncGenerator<string> {
  for (let at = 0; at < runs.length; at += AT_ONCE) {
    const text = runs.slice(at, at + AT_ONCE).map((run) => JSON.stringify(summaryOf(run)))
    yield (at > 0 ? ',' : '') + text.join()
    await nextTurn(systemClock)
  }
}

/** Rule A4: the lists have the names of both releases. */
const headOf = ({ name, maxConcurrency, running, queued }: QueueView) => ({
  name,
  type: maxConcurrency === undefined ? 'dag-based' : 'custom',
  ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
  summary: { running: running.length, queued: queued.length, total: running.length + queued.length }
})

function sumsOf(queues: QueueView[]) {
  const sum = (read: (queue: QueueView) => number) => queues.reduce((total, queue) => total + read(queue), 0)
  const totalRunning = sum(({ running }) => running.length)
  const totalCapacity = sum(({ capacity }) => capacity)
  return {
    totalQueues: queues.length,
    totalRunning,
    totalQueued: sum(({ queued }) => queued.length),
    totalCapacity,
    utilizationPercentage: totalCapacity === 0 ? 0 : Math.round((totalRunning / totalCapacity) * 100)
  }
}
