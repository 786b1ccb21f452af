/** Connects the machines to the world: root actor, invoked actors, store. Messages go in; records and answers come out. */
import { createActor } from 'xstate'
import { type EngineEvent, engineMachine, runId } from '../../../machines/engine.ts'
import { queueMachine } from '../../../machines/queue.ts'
import { churnMap } from '../../../machines/tables/churn-map.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import { makeWorkingFolder } from '../../platform/make-folder.ts'
import { openMeters } from '../../platform/meters.ts'
import { keepPlan } from '../../store/commit.ts'
import { nodesOf, runRecord } from '../../store/history.ts'
import type { StoredRestart } from '../../store/stored.ts'
import { eachLogic } from '../functions/each.ts'
import { openJournal } from '../journal/journal.ts'
import { withNormalizedEnds } from '../journal/normalized-ends.ts'
import { quick } from '../journal/quick-transitions.ts'
import { recorded } from '../journal/recorded.ts'
import { openRecorders } from '../journal/recorder.ts'
import { openTransactions } from '../journal/transactions.ts'
import { alarm } from '../pace/alarm.ts'
import { openDiskSpace } from '../pace/disk-space.ts'
import { noTimers } from '../pace/no-timers.ts'
import { resumeRuns, stopOrphans } from '../recovery/resume-runs.ts'
import { neededBy, openRetention } from '../retention/retention.ts'
import { runLogic } from '../run/run.ts'
import { ownFolder } from '../run/run-environment.ts'
import { type ScopeMaker, scopeMaker } from '../run/scope-maker.ts'
import { lateRunner } from '../runner/late-runner.ts'
import type { Runner } from '../runner/runner.ts'
import { schedulerLogic } from '../schedule/scheduler.ts'
import { callLogic } from '../sub-runs/call.ts'
import { inheritedFrom, withInherited } from '../sub-runs/inherited.ts'
import { openSubRuns } from '../sub-runs/sub-runs.ts'
import { noteLateEnd } from './late-end.ts'
import { callerScope, callerTrace, type OpenRun } from './open-run.ts'
import { openServices } from './open-services.ts'
import { needsAgain, placedRuns } from './placed-runs.ts'
import { rootActions } from './root-actions.ts'
import type { RootParts } from './root-parts.ts'
import { failureOf, queueLengths, schedulerFaultOf } from './root-state.ts'
import { openRunEnds } from './run-ends.ts'
import { sendSignal } from './send-signal.ts'
import type { System, SystemParts } from './system-parts.ts'
import { systemWorkers } from './system-workers.ts'
import { tellRelease } from './tell-release.ts'

export type { RunRequest } from './run-request.ts'
export type { System, SystemParts } from './system-parts.ts'

export function openSystem(parts: SystemParts): System {
  const { store, clock, logs, publish, fault, meters = openMeters() } = parts
  const transactions = openTransactions(store, parts.ahead, clock, parts.strict, fault, parts.stalled, meters)
  const diskSpace = openDiskSpace(clock)
  const runs = churnMap<OpenRun>()
  const never = new AbortController().signal
  const makeScope: ScopeMaker = scopeMaker({
    ...parts,
    diskSpace,
    inherited: ({ record }) => inheritedFrom(services, callerScope(runs, record), record.caller, never),
    callerTrace: (record) => callerTrace(runs, record),
    nodesOf: (key) => Array.from(nodesOf(store, key), ([place, { record }]) => [place, record] as const),
    folders: { own: (key) => ownFolder(parts.dataDir, key), make: parts.makeFolder ?? makeWorkingFolder }
  })
  let recovered = () => {}
  const whenRecovered = new Promise<void>((resolve) => {
    recovered = resolve
  })
  const leaving = new AbortController()
  let resumed: Promise<void> | undefined
  const resuming = new Set<string>()
  let isComplete = false
  const isOpen = (key: RunKey) => runs.has(runId(key)) || resuming.has(runId(key))
  /** A command for a run that is not open again yet, or whose sub runs may not be, waits until all are. */
  async function whenResumed(key: RunKey): Promise<void> {
    if (!resuming.has(runId(key))) return
    await resumed
    if (leaving.signal.aborted) throw new TroupeError('service_unavailable', 'the engine is closing: ask the next one')
  }
  const restarts = new Map<string, StoredRestart>()
  const isNeeded = neededBy(isOpen, restarts)
  const retention = openRetention({ store, transactions, clock, dataDir: parts.dataDir, isNeeded, fault })
  const ends = openRunEnds(parts, runs, retention)
  const { stepped, ended } = ends
  const over: typeof ends.over = (run) => {
    ends.over(run)
    if (run.record.placement) remote.over?.(run.record)
  }
  const { notices } = parts
  const watch = { clock, transactions, logs, runs, publish, meters, notices, stepped, ended, over }
  const journal = openJournal(watch)
  const recorders = openRecorders(watch, journal)
  let connect: (runner: Runner) => void = () => {}
  const remote = lateRunner(
    new Promise<Runner>((resolve) => {
      connect = resolve
    }),
    clock,
    clock.elapsed() + (parts.fleet?.lostAfterMs ?? 0)
  )
  let isServed = false
  const hasWorkers = () => parts.fleet !== undefined && (isServed || !parts.fleet.maybe)
  const isClosing = () => leaving.signal.aborted
  const services = openServices(parts, { transactions, diskSpace, runs, makeScope, remote, hasWorkers, isClosing })
  const send = (event: EngineEvent) => root.send(event)
  const rootParts: RootParts = {
    parts,
    transactions,
    runs,
    resuming,
    arriving: churnMap(),
    makeScope,
    retention,
    ends,
    answers: churnMap(),
    dequeued: churnMap(),
    send
  }
  const subRuns = openSubRuns({
    store,
    clock,
    runs,
    recovered: whenRecovered,
    follow: ends.follow,
    launch(run, workflow, retried, needs) {
      const { record, plan } = run
      const { name, dagRunId } = record
      runs.set(runId(record), run)
      transactions.take(() => {
        keepPlan(store, transactions.changes, record.plan, workflow)
        retried?.apply(transactions.changes)
        const known = retried ? { known: retried.known } : {}
        const asked = { key: { name, dagRunId }, plan, at: clock.now(), ...(needs ? { needs } : {}) }
        const placed = record.placement ? { placement: record.placement } : {} // that of its caller
        root.send({ type: 'sub.requested', ...asked, ...known, ...placed })
        if (!needs) tellRelease(rootParts, asked.key, plan)
      })
    },
    send: (event) => transactions.take(() => root.send(event)),
    async paramsOf({ plan }, item, caller) {
      const inherited = await inheritedFrom(services, callerScope(runs, { caller }), caller, never)
      const environment = withInherited(parts.environment, inherited)
      return parts.paramsOf(plan, item, item, { environment, data: inherited.data })
    }
  })

  const root = createActor(
    withNormalizedEnds(
      quick(engineMachine.provide({ actions: rootActions(rootParts) }), {
        scheduler: schedulerLogic({
          ...parts,
          transactions,
          restarts,
          recovered: whenRecovered,
          ended: ends.whenOver,
          start: (runRequest) => system.start(runRequest)
        }),
        queue: recorded(quick(queueMachine, { alarm: alarm(services) }), recorders.queue),
        run: runLogic(services, recorders, {
          call: callLogic(services, store, subRuns, recorders.call),
          each: eachLogic(services, store)
        })
      })
    ),
    {
      input: {
        at: clock.now(),
        queues: parts.queues ?? {},
        held: parts.holdQueues ?? false,
        ...(parts.fleet ? { fleet: parts.fleet } : {})
      },
      clock: noTimers
    }
  )
  root.subscribe({ error: fault })
  root.start()

  const system: System = {
    transactions,
    get stalled() {
      return transactions.stalled ?? diskSpace.lacking
    },
    start({ record, plan: { plan, spec }, env, singleton, retried, note, ...way }) {
      const { exclusive = false, mayWait = false, waitsWhenFull, unlimited } = way
      const needs = needsAgain(store, plan, record)
      const enqueue = way.enqueue ?? (needs && !parts.fleet ? { bounded: true } : undefined)
      const { name, dagRunId } = record
      const key = { name, dagRunId }
      const run: OpenRun = retried?.run ?? { record, plan, spec, seq: 0, ended: new Map() }
      if (env) run.env = env
      runs.set(runId(key), run)
      return new Promise((resolve) => {
        rootParts.answers.set(runId(key), { resolve, note, retried })
        transactions.take(() => {
          const { known, only } = retried ?? {}
          keepPlan(store, transactions.changes, record.plan, { plan, spec })
          const asked = {
            key,
            plan,
            queue: record.queue ?? record.name,
            limit: unlimited ? -1 : exclusive ? 1 : plan.maxActiveRuns,
            ...(needs ? { needs } : {}),
            ...(record.priority === undefined ? {} : { priority: record.priority }),
            ...(record.notBefore === undefined ? {} : { notBefore: record.notBefore }),
            at: record.startedAt ?? record.createdAt
          }
          if (enqueue) root.send({ type: 'enqueue.requested', ...asked, ...enqueue, singleton })
          else
            root.send({
              type: 'start.requested',
              ...asked,
              singleton,
              exclusive,
              mayWait,
              ...(waitsWhenFull ? { waitsWhenFull } : {}),
              ...(known ? { known } : {}),
              ...(only === undefined ? {} : { only })
            })
        })
      })
    },
    isOpen,
    openRun: (key) => runs.get(runId(key)),
    isTaken: (key) => isOpen(key) || rootParts.arriving.has(runId(key)),
    async stop({ name, dagRunId }, { force = false, from } = {}) {
      const key = { name, dagRunId }
      await whenResumed(key)
      await new Promise<void>((resolve) => {
        transactions.take(() => {
          root.send({ type: force ? 'run.force' : 'run.stop', key, at: clock.now(), ...(from ? { from } : {}) })
          transactions.afterFlush(resolve)
        })
      })
    },
    async signal({ name, dagRunId }, asked) {
      const key = { name, dagRunId }
      await whenResumed(key)
      return sendSignal({ transactions, clock, run: runs.get(runId(key)), root }, key, asked)
    },
    ...systemWorkers(root, runs, services),
    noticeWorker: async (notice, worker) => notices?.worker(transactions, notice, worker),
    limitHandlers: () => transactions.take(() => root.send({ type: 'handlers.limited', at: clock.now() })),
    holdQueues: () => transactions.take(() => root.send({ type: 'queues.held' })),
    dequeue: ({ name, dagRunId }) =>
      new Promise((resolve) => {
        const key = { name, dagRunId }
        rootParts.dequeued.set(runId(key), resolve)
        transactions.take(() => root.send({ type: 'dequeue.requested', key, at: clock.now() }))
      }),
    async ended(key) {
      await whenResumed(key)
      await ends.whenOver(key, runRecord(store, key)?.status === 'queued')
    },
    recover() {
      resumed = resumeRuns(rootParts, leaving.signal)
        .then(async () => {
          if (leaving.signal.aborted) return
          recovered()
          stopOrphans(rootParts)
          retention.open()
          // Does not wait for runs to pause: thousands may continue.
          await new Promise<void>((resolve) => transactions.take(() => transactions.afterFlush(resolve)))
          resuming.clear()
          isComplete = true
        })
        .catch(fault)
      return resumed
    },
    serveWorkers(runnerFor) {
      isServed = true
      connect(runnerFor({ services, ...placedRuns(services, runs) }))
    },
    noteLateEnd: (found) =>
      noteLateEnd({ store, clock, transactions, journal, logs, root, open: runs.get(runId(found.key)) }, found),
    isComplete: () => isComplete,
    queueLengths: () => queueLengths(root),
    schedulerFault: () => schedulerFaultOf(root, clock.now()),
    failed: () => failureOf(root),
    async close() {
      leaving.abort()
      root.stop()
      const stored = async () => {
        await resumed
        await retention.close()
        await transactions.settled()
      }
      await Promise.race([stored(), transactions.leave()])
      await ends.close()
    }
  }
  return system
}
