/** Wires the machines to the world: the root actor, its companions, the store. Messages go in; records and answers come out. */
import { createActor, type SnapshotFrom } from 'xstate'
import { engineMachine, runId } from '../../machines/engine.ts'
import type { NodePlace } from '../../machines/node.ts'
import { queueMachine, type Verdict } from '../../machines/queue.ts'
import type { schedulerMachine } from '../../machines/scheduler.ts'
import type { NodeRecord, Plan, RunKey, RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import type { Clock } from '../clock.ts'
import type { Capture } from '../executors/capture.ts'
import type { SharedContainers } from '../executors/docker/shared-container.ts'
import type { Executor } from '../executors/executor.ts'
import { forgetStates } from '../executors/state-file.ts'
import type { Changes } from '../store/commit.ts'
import { nodesOf } from '../store/history.ts'
import type { Store, StoredPlan, StoredRestart } from '../store/open.ts'
import type { WriteAhead } from '../store/write-ahead.ts'
import { openTracing } from '../tracing/tracing.ts'
import { alarm } from './alarm.ts'
import { callLogic } from './call.ts'
import type { Hands } from './hands.ts'
import { inheritedFrom } from './inherited.ts'
import type { LoadedEnv, LoadSurroundings } from './load-time.ts'
import type { OpenRun } from './open-run.ts'
import { forgetQueued, loadQueued, storeQueued } from './queued-runs.ts'
import { recorded } from './recorded.ts'
import { type Happening, openRecorder } from './recorder.ts'
import { openRecords, parkRun, parkUnreadable, restoreRun, storedRun } from './recovery.ts'
import { neededBy, openRetention } from './retention.ts'
import type { Retried } from './retried-run.ts'
import { runLogic } from './run.ts'
import type { RunLogs } from './run-log.ts'
import { type Scheduling, schedulerLogic } from './scheduler.ts'
import { type ScopeMaker, scopeMaker } from './scope-maker.ts'
import { openSubRuns, type SubRunParams } from './sub-runs.ts'
import { openTurns, type Turns } from './turns.ts'

export interface SystemParts extends LoadSurroundings {
  store: Store
  ahead: WriteAhead
  clock: Clock
  logs: RunLogs
  executors: Map<string, Executor>
  capture: Capture
  containers: SharedContainers
  /** The stored workflow that a step calls. @throws Error when there is none, or it has problems */
  workflow: Hands['workflow']
  /** Params of a sub DAG run. @throws TroupeError bad_request */
  paramsOf(plan: Plan, key: RunKey, given: string, environment: Record<string, string>): Promise<SubRunParams>
  dataDir: string
  /** Effects wait for the flush to disk. */
  strict: boolean
  /** maxConcurrency of the configured queues. */
  queues?: Record<string, number>
  /** Queued runs stay where they are. */
  holdQueues?: boolean
  /** What schedules need; absent: this engine begins nothing by itself. */
  scheduling?: Scheduling
  /** Told of each committed transition. */
  publish(happening: Happening): void
  /** Told of what the engine survives but should not have met. */
  fault(error: unknown): void
}

/** A run that asks to be let go. */
export interface Candidate {
  record: RunRecord
  plan: StoredPlan
  /** dotenv and DAG `env`, when they had to be evaluated already. */
  env?: LoadedEnv
  singleton: boolean
  /** Refused when another run of the DAG name runs or waits. */
  exclusive?: boolean
  /** A run that finds its configured queue full may wait. */
  mayWait?: boolean
  /** One that finds all of its maxActiveRuns taken may wait, too. @see StartRequested.waitsWhenFull */
  waitsWhenFull?: boolean
  /** maxActiveRuns does not count, and it never waits. */
  unlimited?: boolean
  /** It waits in any case. @see EnqueueRequested.bounded */
  enqueue?: { bounded: boolean; needsWorker: boolean }
  /** It was made from an earlier run. */
  retried?: Retried
  /** Adds to the changes of the turn in which it is let go or queued. */
  note?: (changes: Changes) => void
}

export interface System {
  turns: Turns
  /** Resolves with the queue's verdict: a run that was admitted or queued is on disk. */
  start(candidate: Candidate): Promise<Verdict>
  /** Whether a run has an actor. */
  isOpen(key: RunKey): boolean
  stop(key: RunKey): Promise<void>
  /** Takes a queued run out of its queue, and resolves when that is on disk; false: it does not wait. */
  dequeue(key: RunKey): Promise<boolean>
  /** Resolves when the run has ended and that is on disk; at once when it has no actor. */
  ended(key: RunKey): Promise<void>
  /** Goes on with every run that was open when the last engine ended. */
  recover(): Promise<void>
  /** Latest tick of the scheduler, epoch ms. */
  tickedAt(): number
  /** Ends every actor; what runs on its own goes on. */
  close(): Promise<void>
}

export function openSystem(parts: SystemParts): System {
  const { store, clock, logs, executors, capture, publish, fault } = parts
  const turns = openTurns(store, parts.ahead, clock, parts.strict, fault)
  const runs = new Map<string, OpenRun>()
  const answers = new Map<string, { told(verdict: Verdict): void; note: Candidate['note'] }>()
  const dequeued = new Map<string, (removed: boolean) => void>()
  const waiting = new Map<string, (() => void)[]>()
  const tidying = new Set<Promise<void>>()
  const never = new AbortController().signal
  const makeScope: ScopeMaker = scopeMaker({
    ...parts,
    inherited: ({ record }) => inheritedFrom(hands, runs, record.caller, never)
  })
  let recovered = () => {}
  const whenRecovered = new Promise<void>((resolve) => {
    recovered = resolve
  })
  const restarts = new Map<string, StoredRestart>()
  const isNeeded = neededBy(runs, restarts)
  const retention = openRetention({ store, turns, clock, dataDir: parts.dataDir, isNeeded, fault })

  const openRun = (key: RunKey): OpenRun => {
    const run = runs.get(runId(key))
    if (run) return run
    throw new Error(`${runId(key)} is not open`)
  }
  const over = ({ record }: OpenRun) => {
    const id = runId(record)
    runs.delete(id)
    const told = waiting.get(id) ?? []
    waiting.delete(id)
    void logs.flushed(record.log).then(() => {
      for (const resolve of told) resolve()
    })
    const tidy = forgetStates(record.nodeLogs).catch(fault)
    tidying.add(tidy)
    void tidy.then(() => tidying.delete(tidy))
    if (!record.caller) retention.look(record.name)
  }
  const followers = new Map<string, (status: RunStatus) => void>()
  const tracing = openTracing(clock, ({ log }, reason) =>
    logs.write(log, 'WARN', 'spans were not sent to the collector', { reason })
  )
  const stepped = ({ scope, record }: OpenRun, node: NodeRecord) => {
    if (scope?.trace) tracing.step(scope.trace, record, node)
  }
  const ended = (run: OpenRun, status: RunStatus) => {
    run.endedAs = status
    const { scope, record } = run
    if (scope?.trace) tracing.run(scope.trace, { finishedAt: clock.now(), ...record, status })
    followers.get(runId(run.record))?.(status)
    followers.delete(runId(run.record))
  }
  const recorder = openRecorder({
    clock,
    turns,
    logs,
    runs,
    publish,
    stepped,
    ended,
    over
  })
  const hands: Hands = {
    clock,
    turns,
    logs,
    capture,
    containers: parts.containers,
    defaultShell: parts.defaultShell,
    workflow: parts.workflow,
    environment: parts.environment,
    executorFor({ executor: { type } }) {
      const executor = executors.get(type)
      if (!executor) throw new Error(`executor type "${type}" is not registered`)
      return executor
    },
    scope(key) {
      const { scope } = openRun(key)
      if (scope) return scope
      throw new Error(`${runId(key)} is not prepared`)
    },
    async openScope(key, signal) {
      const run = openRun(key)
      run.scope ??= await makeScope(run, signal)
      return run.scope
    },
    story(key) {
      const { plan, record } = openRun(key)
      const nodes = Array.from(nodesOf(store, key), ([place, { record }]) => [place as NodePlace, record] as const)
      return { plan, record, nodes: new Map(nodes) }
    },
    async environmentOf(key) {
      const inherited = await inheritedFrom(hands, runs, openRun(key).record.caller, never)
      return { ...parts.environment, ...inherited }
    }
  }

  const whenOver = (key: RunKey): Promise<void> => {
    const id = runId(key)
    if (!runs.has(id)) return Promise.resolve()
    return new Promise((resolve) => waiting.set(id, [...(waiting.get(id) ?? []), resolve]))
  }
  const subRuns = openSubRuns({
    store,
    clock,
    runs,
    recovered: whenRecovered,
    follow: (run) =>
      new Promise((resolve) => {
        if (run.endedAs) resolve(run.endedAs)
        else followers.set(runId(run.record), resolve)
      }),
    launch(run, workflow, retried) {
      const { record, plan } = run
      const { name, dagRunId } = record
      runs.set(runId(record), run)
      turns.take(() => {
        turns.changes.plans.set(record.plan, workflow)
        retried?.apply(turns.changes)
        const known = retried ? { known: retried.known } : {}
        root.send({ type: 'sub.requested', key: { name, dagRunId }, plan, at: clock.now(), ...known })
      })
    },
    send: (event) => turns.take(() => root.send(event)),
    async paramsOf({ plan }, key, given, caller) {
      const inherited = await inheritedFrom(hands, runs, caller, never)
      return parts.paramsOf(plan, key, given, { ...parts.environment, ...inherited })
    }
  })

  /** What a run that is lost has called is settled with it. Source: execution-semantics 13.5.4. */
  const stopOrphans = () => {
    const orphans = [...runs.values()].filter(({ record: { caller } }) => caller && !runs.has(runId(caller.parent)))
    for (const { record } of orphans) {
      const { name, dagRunId } = record
      turns.take(() => root.send({ type: 'run.stop', key: { name, dagRunId }, at: clock.now() }))
    }
  }

  /** A queue has thrown: those who waited in it wait in the next one. */
  const findWaiting = (name: string) =>
    turns.afterFlush(() =>
      turns.take(() => {
        for (const { key, ...item } of openRecords(store).queued)
          if (item.queue === name) root.send({ type: 'item.found', key, at: clock.now(), ...item })
      })
    )

  const root = createActor(
    engineMachine.provide({
      actors: {
        scheduler: schedulerLogic({
          ...parts,
          turns,
          restarts,
          recovered: whenRecovered,
          ended: whenOver,
          start: (candidate) => system.start(candidate)
        }),
        queue: recorded(queueMachine.provide({ actors: { alarm: alarm(hands) } }), recorder),
        run: runLogic(hands, recorder, callLogic(hands, store, subRuns, recorder))
      },
      actions: {
        answer: (_, verdict) => {
          const id = runId(verdict.key)
          const answer = answers.get(id)
          answers.delete(id)
          if (!answer) return
          if (verdict.type !== 'start.refused') {
            answer.note?.(turns.changes)
            retention.look(verdict.key.name)
          }
          if (verdict.type === 'start.admitted') turns.afterFlush(() => answer.told(verdict))
          else if (verdict.type === 'start.queued') {
            const run = runs.get(id)
            if (run) storeQueued(turns.changes, run, verdict.order, verdict.at)
            runs.delete(id)
            turns.afterFlush(() => answer.told(verdict))
          } else {
            runs.delete(id)
            turns.afterCommit(() => answer.told(verdict))
          }
        },
        reportFault: (_, { actorId, error }) => {
          fault(error)
          if (actorId === 'scheduler')
            turns.afterCommit(() => turns.take(() => root.send({ type: 'scheduler.faulted', at: clock.now() })))
          if (actorId.startsWith('queue/')) return findWaiting(actorId.slice('queue/'.length))
          const run = runs.get(actorId)
          if (!run) return
          turns.afterFlush(() => {
            void restoreRun(parts, run.record, makeScope).then(
              (restored) => {
                runs.set(actorId, restored)
                const { plan, record: key } = restored
                const at = clock.now()
                turns.take(() => root.send({ type: 'run.faulted', key, plan, at, error: String(error) }))
              },
              (cause) => {
                fault(cause)
                const at = clock.now()
                turns.take(() => root.send({ type: 'run.lost', key: run.record, at, error: String(error) }))
              }
            )
          })
        },
        loadItem: (_, { key }) => {
          // Its record may have been committed a moment ago: it is read when readers see it.
          turns.afterFlush(() => {
            const at = clock.now()
            turns.take(() => {
              try {
                const run = loadQueued(store, key, at)
                runs.set(runId(key), run)
                root.send({ type: 'item.loaded', key, plan: run.plan, at })
              } catch (error) {
                root.send({ type: 'item.unreadable', key, at, error: (error as Error).message })
              }
            })
          })
        },
        forgetItem: (_, { key }) => forgetQueued(store, turns.changes, key),
        answerDequeue: (_, { key, removed }) => {
          const answer = dequeued.get(runId(key))
          dequeued.delete(runId(key))
          turns.afterFlush(() => answer?.(removed))
        },
        parkRun: (_, { key, at, error }) => {
          const run = runs.get(runId(key)) ?? storedRun(store, key)
          if (!run) return
          parkRun(turns, run, at, error)
          turns.afterCommit(() => ended(run, 'failed'))
          turns.afterFlush(() => {
            over(run)
            stopOrphans()
          })
        }
      }
    }),
    { input: { at: clock.now(), queues: parts.queues ?? {}, held: parts.holdQueues ?? false }, clock: noTimers }
  )
  root.subscribe({ error: fault })
  root.start()

  const system: System = {
    turns,
    start({ record, plan: { plan, spec }, env, singleton, retried, enqueue, note, ...way }) {
      const { exclusive = false, mayWait = false, waitsWhenFull, unlimited } = way
      const { name, dagRunId } = record
      const key = { name, dagRunId }
      const fresh: OpenRun = { record, plan, spec, seq: 0, ended: new Map() }
      const run = { ...(retried?.run ?? fresh), ...(env ? { env } : {}) }
      runs.set(runId(key), run)
      return new Promise((resolve) => {
        answers.set(runId(key), { told: resolve, note })
        turns.take(() => {
          const { known, only, apply } = retried ?? {}
          turns.changes.plans.set(record.plan, { plan, spec })
          const asked = {
            key,
            plan,
            queue: record.queue ?? record.name,
            limit: unlimited ? -1 : exclusive ? 1 : plan.maxActiveRuns,
            at: record.startedAt ?? record.createdAt
          }
          if (enqueue) root.send({ type: 'enqueue.requested', ...asked, ...enqueue })
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
          if (runs.has(runId(key))) apply?.(turns.changes) // a start that is refused changes nothing
        })
      })
    },
    isOpen: (key) => runs.has(runId(key)),
    stop: ({ name, dagRunId }) =>
      new Promise((resolve) => {
        turns.take(() => {
          root.send({ type: 'run.stop', key: { name, dagRunId }, at: clock.now() })
          turns.afterFlush(resolve)
        })
      }),
    dequeue: ({ name, dagRunId }) =>
      new Promise((resolve) => {
        const key = { name, dagRunId }
        dequeued.set(runId(key), resolve)
        turns.take(() => root.send({ type: 'dequeue.requested', key, at: clock.now() }))
      }),
    ended: whenOver,
    async recover() {
      // Callers first: what they have called is loaded in their variables. Those who waited come last: slots are taken then.
      const { running, queued } = openRecords(store)
      for (const key of running) {
        try {
          const run = await restoreRun(parts, key, makeScope)
          runs.set(runId(run.record), run)
          const at = clock.now()
          turns.take(() => {
            const { caller, queue = key.name } = run.record
            root.send({ type: 'run.found', key, plan: run.plan, at, ...(caller ? {} : { queue }) })
            // Its preparation begins anew: it has not heard of the stop.
            if (run.stopAsked) root.send({ type: 'run.stop', key, at })
          })
        } catch (error) {
          fault(error)
          turns.take(() => parkUnreadable(store, turns, key, clock.now(), error))
        }
      }
      turns.take(() => {
        for (const { key, ...item } of queued) root.send({ type: 'item.found', key, at: clock.now(), ...item })
      })
      recovered()
      stopOrphans()
      retention.open()
      await turns.settled()
    },
    tickedAt: () => {
      const scheduler = root.getSnapshot().children.scheduler?.getSnapshot() as
        | SnapshotFrom<typeof schedulerMachine>
        | undefined
      return scheduler?.context.tickedAt ?? 0
    },
    async close() {
      root.stop()
      await retention.close()
      await turns.settled()
      await Promise.all([...tidying, tracing.close()])
    }
  }
  return system
}

/** Machines wait by alarms only; XState's own timers are never used. */
const noTimers = {
  setTimeout: () => {
    throw new Error('a chart used `after`: waits are alarms')
  },
  clearTimeout: () => {}
}
