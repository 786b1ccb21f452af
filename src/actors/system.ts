/** Wires the machines to the world: the root actor, its companions, the store. Messages go in; records and answers come out. */
import { createActor, type SnapshotFrom } from 'xstate'
import { engineMachine, runId } from '../../machines/engine.ts'
import { queueMachine, type Verdict } from '../../machines/queue.ts'
import { schedulerMachine } from '../../machines/scheduler.ts'
import type { RunKey, RunRecord } from '../../machines/vocabulary.ts'
import type { Clock } from '../clock.ts'
import type { Capture } from '../executors/capture.ts'
import type { Executor } from '../executors/executor.ts'
import { forgetStates } from '../executors/state-file.ts'
import type { Store, StoredPlan } from '../store/open.ts'
import type { WriteAhead } from '../store/write-ahead.ts'
import { alarm } from './alarm.ts'
import type { Hands } from './hands.ts'
import type { LoadSurroundings } from './load-time.ts'
import type { OpenRun } from './open-run.ts'
import { recorded } from './recorded.ts'
import { type Happening, openRecorder } from './recorder.ts'
import { parkRun, parkUnreadable, restoreRun } from './recovery.ts'
import { runLogic } from './run.ts'
import type { RunLogs } from './run-log.ts'
import { type ScopeMaker, scopeMaker } from './scope-maker.ts'
import { openTurns, type Turns } from './turns.ts'

export interface SystemParts extends LoadSurroundings {
  store: Store
  ahead: WriteAhead
  clock: Clock
  logs: RunLogs
  executors: Map<string, Executor>
  capture: Capture
  dataDir: string
  /** Effects wait for the flush to disk. */
  strict: boolean
  /** Told of each committed transition. */
  publish(happening: Happening): void
  /** Told of what the engine survives but should not have met. */
  fault(error: unknown): void
}

/** A run that asks to be let go. */
export interface Candidate {
  record: RunRecord
  plan: StoredPlan
  /** DAG `env`, when it had to be evaluated already. */
  env?: Record<string, string>
  singleton: boolean
}

export interface System {
  turns: Turns
  /** Resolves with the queue's verdict: an admitted run is on disk. */
  start(candidate: Candidate): Promise<Verdict>
  /** Whether a run has an actor. */
  isOpen(key: RunKey): boolean
  stop(key: RunKey): Promise<void>
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
  const answers = new Map<string, (verdict: Verdict) => void>()
  const waiting = new Map<string, (() => void)[]>()
  const tidying = new Set<Promise<void>>()
  const makeScope: ScopeMaker = scopeMaker(parts)

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
  }
  const recorder = openRecorder({ clock, turns, logs, runs, publish, over })
  const hands: Hands = {
    clock,
    turns,
    logs,
    capture,
    defaultShell: parts.defaultShell,
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
    }
  }

  const root = createActor(
    engineMachine.provide({
      actors: {
        scheduler: schedulerMachine.provide({ actors: { alarm: alarm(hands) } }),
        queue: recorded(queueMachine, recorder),
        run: runLogic(hands, recorder)
      },
      actions: {
        answer: (_, verdict) => {
          const id = runId(verdict.key)
          const answer = answers.get(id)
          answers.delete(id)
          if (!answer) return
          if (verdict.type === 'start.admitted') turns.afterFlush(() => answer(verdict))
          else {
            runs.delete(id)
            turns.afterCommit(() => answer(verdict))
          }
        },
        reportFault: (_, { actorId, error }) => {
          fault(error)
          if (actorId === 'scheduler')
            turns.afterCommit(() => turns.take(() => root.send({ type: 'scheduler.faulted', at: clock.now() })))
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
        parkRun: (_, { key, at, error }) => {
          const run = runs.get(runId(key))
          if (!run) return
          parkRun(turns, run, at, error)
          turns.afterFlush(() => over(run))
        }
      }
    }),
    { input: { at: clock.now() }, clock: noTimers }
  )
  root.subscribe({ error: fault })
  root.start()

  return {
    turns,
    start({ record, plan: { plan, spec }, env, singleton }) {
      const { name, dagRunId } = record
      const key = { name, dagRunId }
      const run: OpenRun = { record, plan, seq: 0, ended: new Map(), ...(env ? { env } : {}) }
      runs.set(runId(key), run)
      return new Promise((resolve) => {
        answers.set(runId(key), resolve)
        turns.take(() => {
          turns.changes.plans.set(record.plan, { plan, spec })
          root.send({ type: 'start.requested', key, plan, limit: plan.maxActiveRuns, singleton, at: record.createdAt })
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
    ended(key) {
      const id = runId(key)
      if (!runs.has(id)) return Promise.resolve()
      return new Promise((resolve) => waiting.set(id, [...(waiting.get(id) ?? []), resolve]))
    },
    async recover() {
      for (const key of store.open.getKeys()) {
        const [name, dagRunId] = key
        try {
          const run = await restoreRun(parts, { name, dagRunId }, makeScope)
          runs.set(runId(run.record), run)
          const at = clock.now()
          turns.take(() => {
            root.send({ type: 'run.found', key: { name, dagRunId }, plan: run.plan, at })
            // Its preparation begins anew: it has not heard of the stop.
            if (run.stopAsked) root.send({ type: 'run.stop', key: { name, dagRunId }, at })
          })
        } catch (error) {
          fault(error)
          turns.take(() => parkUnreadable(store, turns, { name, dagRunId }, clock.now(), error))
        }
      }
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
      await turns.settled()
      await Promise.all(tidying)
    }
  }
}

/** Machines wait by alarms only; XState's own timers are never used. */
const noTimers = {
  setTimeout: () => {
    throw new Error('a chart used `after`: waits are alarms')
  },
  clearTimeout: () => {}
}
