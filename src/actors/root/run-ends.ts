/** What follows the end of a run, and the callers that wait for it. */
import { runId } from '../../../machines/engine.ts'
import { type ChurnMap, churnMap } from '../../../machines/tables/churn-map.ts'
import type { NodeRecord, RunKey, RunStatus } from '../../../machines/vocabulary.ts'
import { forgetStates } from '../../executors/processes/state-file.ts'
import { openTracing } from '../../tracing/tracing.ts'
import { fewAtATime } from '../pace/few-at-a-time.ts'
import { fewEachRound } from '../pace/few-each-round.ts'
import type { Retention } from '../retention/retention.ts'
import type { OpenRun } from './open-run.ts'
import type { SystemParts } from './system-parts.ts'

export interface RunEnds {
  /** A step that was executed has ended, and that is committed. */
  stepped(run: OpenRun, node: NodeRecord): void
  /** A run has ended, and that is committed. */
  ended(run: OpenRun, status: RunStatus): void
  /** Readers see that it has ended: it is no longer open. */
  over(run: OpenRun): void
  /** Resolves when the run has ended and its log is written; at once when it is not open. @param waits it is queued, and will be open */
  whenOver(key: RunKey, waits?: boolean): Promise<void>
  /** Readers see that it no longer waits: it was dequeued, or cannot be started. */
  withdrawn(key: RunKey): void
  /** Resolves with the status of a run that is open or waits when its end is committed. */
  follow(run: Pick<OpenRun, 'record' | 'endedAs'>): Promise<RunStatus>
  /** Resolves when everything that follows an end is done. */
  close(): Promise<void>
}

/** Folders that are cleaned up concurrently, and files that are removed in one round of the event loop. */
const TIDIED = 20
/** Cleaning up starts when no run has ended for this long, or when this many folders wait. */
const QUIET_MS = 1_000
// D714: execution records are removed when the engine is idle
const MOST_UNTIDY = 20_000

/** @param runs open runs by `runId` */
export function openRunEnds(
  { clock, logs, logFolders, fault }: SystemParts,
  runs: ChurnMap<OpenRun>,
  retention: Retention
): RunEnds {
  const waiting = churnMap<(() => void)[]>()
  const tidying = fewAtATime(TIDIED)
  const paced = fewEachRound(clock, TIDIED)
  /** Log folders of runs that have ended. */
  let untidy: { id: string; nodeLogs: string }[] = []
  let lastEnd = 0
  let cancel: (() => void) | undefined

  function tidy(): void {
    cancel?.()
    cancel = undefined
    for (const { id, nodeLogs } of untidy)
      void tidying
        // A run with the same id may have been removed and started again in the meantime.
        .take(async () => runs.get(id)?.record.nodeLogs !== nodeLogs && (await forgetStates(nodeLogs, paced)))
        .catch(fault)
    untidy = []
  }
  /** Other runs are active: file systems avoid inodes that were just deleted, which makes each new file more expensive. */
  function tidyLater(id: string, nodeLogs: string): void {
    untidy.push({ id, nodeLogs })
    lastEnd = clock.elapsed()
    if (untidy.length >= MOST_UNTIDY) tidy()
    else cancel ??= clock.after(QUIET_MS, tidyIfQuiet)
  }
  function tidyIfQuiet(): void {
    const left = lastEnd + QUIET_MS - clock.elapsed()
    if (left <= 0) tidy()
    else cancel = clock.after(left, tidyIfQuiet)
  }

  /** Each is called once. */
  function waitersFor(id: string): () => void {
    const resolvers = waiting.get(id) ?? []
    waiting.delete(id)
    return () => {
      for (const resolve of resolvers) resolve()
    }
  }

  const followers = churnMap<(status: RunStatus) => void>()
  const tracing = openTracing(clock, ({ log }, reason) =>
    logs.write(log, 'WARN', 'spans were not sent to the collector', { reason })
  )
  return {
    stepped({ scope, record }, node) {
      if (scope?.trace) tracing.step(scope.trace, record, node)
    },
    ended(run, status) {
      run.endedAs = status
      const { scope, record } = run
      if (scope?.trace) tracing.run(scope.trace, { finishedAt: clock.now(), ...record, status })
      followers.get(runId(run.record))?.(status)
      followers.delete(runId(run.record))
      void logs.flushed(run.record.log) // a client that sees the end must find the log
    },
    over({ record }) {
      const id = runId(record)
      runs.delete(id)
      const notify = waitersFor(id)
      void logs.flushed(record.log).then(notify)
      if (logFolders?.forget) logFolders.forget(record.nodeLogs)
      else tidyLater(id, record.nodeLogs)
      if (!record.caller) retention.look(record.name)
    },
    withdrawn: (key) => waitersFor(runId(key))(),
    whenOver(key, waits = false) {
      const id = runId(key)
      if (!waits && !runs.has(id)) return Promise.resolve()
      return new Promise((resolve) => waiting.set(id, [...(waiting.get(id) ?? []), resolve]))
    },
    follow: (run) =>
      new Promise((resolve) => {
        if (run.endedAs) resolve(run.endedAs)
        else followers.set(runId(run.record), resolve)
      }),
    close: async () => {
      tidy()
      await Promise.all([tidying.settled(), tracing.close()])
    }
  }
}
