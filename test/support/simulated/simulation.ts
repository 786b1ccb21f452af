/** The real actors on a real store, with simulated time and processes: nothing sleeps. */
import { join } from 'node:path'
import type { JournalRecord, Plan, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { openSystem, type System, type SystemParts } from '../../../src/actors/root/system.ts'
import { planHash } from '../../../src/actors/run/plan-hash.ts'
import { openRunLogs } from '../../../src/actors/run/run-log.ts'
import { localRunner } from '../../../src/actors/runner/local-runner.ts'
import type { Scheduling } from '../../../src/actors/schedule/scheduling.ts'
import type { Clock } from '../../../src/clock.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import { sharedContainers } from '../../../src/executors/docker/shared-container.ts'
import type { Execution, Executor, Running } from '../../../src/executors/executor.ts'
import type { Capture } from '../../../src/executors/launcher/capture.ts'
import { keepCheckpoints } from '../../../src/inspect/checkpoint-keeper.ts'
import { commit } from '../../../src/store/commit.ts'
import { entriesIn, openWriteAhead, type WriteAhead } from '../../../src/store/disk/write-ahead.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { type SimulatedClock, simulatedClock } from './simulated-clock.ts'

/**
 * How an execution goes: it takes `ms`, then ends with `exitCode`, which is heard of `lateMs` later. A deaf one hears no signal that it can
 * ignore; an undead one none at all.
 */
export type Script = (
  step: string,
  execution: number
) => { ms: number; exitCode: number; lateMs?: number; is?: 'deaf' | 'undead' }

export interface Simulation {
  clock: SimulatedClock
  store: Store
  system: System
  /** Executions begun, as `step#n`. */
  begun: string[]
  /** @param spec a definition, or a plan as it is */
  start(spec: string | Plan, dagRunId: string, way?: 'enqueue'): Promise<RunKey>
  /** Goes on until every run has ended, or until `done` says so. */
  play(done?: () => boolean): Promise<void>
  journal(key: RunKey): JournalRecord[]
  record(key: RunKey): RunRecord | undefined
  /** As a crash: nobody is notified. */
  crash(): Promise<void>
}

/** What an engine meets beside its own steps. */
export interface World {
  /** Executions of an engine that has died. */
  find?: Executor['find']
  /** How conditions and backticks go; they succeed. */
  capture?: Capture
  /** What is scheduled. */
  scheduling?(clock: SimulatedClock, store: Store): Scheduling
  /** There are workers; placed runs are executed here all the same. */
  fleet?: SystemParts['fleet']
  /** Nobody who waits is started. */
  holdQueues?: boolean
  /** Events between two checkpoints of a run; absent: none are kept. */
  checkpoints?: number
  /** What is asked while the runs of an engine that has died are opened again. */
  meanwhile?(simulation: Simulation): Promise<void>
  /** Where it is stored; absent: in files below its home. */
  stored?(clock: SimulatedClock): { store: Store; ahead: WriteAhead }
}

export async function simulate(
  home: string,
  script: Script,
  clock = simulatedClock(),
  {
    find = () => undefined,
    capture = async () => ({ exitCode: 0, cause: '', stdout: '', stderr: '' }),
    scheduling,
    fleet,
    holdQueues = false,
    checkpoints,
    meanwhile = async () => {},
    stored
  }: World = {}
): Promise<Simulation> {
  const { store, ahead } = stored ? stored(clock) : await storedBelow(home)
  const keeper = checkpoints === undefined ? undefined : keepCheckpoints(store, clock.soon, checkpoints)
  const begun: string[] = []
  const faults: unknown[] = []
  const executor: Executor = {
    type: 'shell',
    start: (execution) => perform(execution),
    find
  }

  function perform({ step, state }: Execution): Running {
    const number = Number(state.split('.').at(-1))
    begun.push(`${step.name}#${number}`)
    const { ms, exitCode, lateMs = 0, is } = script(step.name, number)
    let end: (code: number, signal?: string, at?: number) => void = () => {}
    const ended = new Promise<Awaited<Running['ended']>>((resolve) => {
      end = (exitCode, signal, at = clock.now()) => resolve({ exitCode, at, offset: 0, ...(signal ? { signal } : {}) })
    })
    const endsAt = clock.now() + ms
    clock.at(endsAt + lateMs, () => end(exitCode, undefined, endsAt))
    return {
      began: Promise.resolve(clock.now()),
      ended,
      stop: () => is === undefined && end(-1, 'terminated'),
      kill: () => is !== 'undead' && end(-1, 'killed')
    }
  }

  const system = openSystem({
    ...simulatedParts(home, clock, [executor], (error) => faults.push(error)),
    store,
    ahead,
    capture,
    holdQueues,
    publish: (record) => keeper?.told(record),
    ...(fleet ? { fleet } : {}),
    ...(scheduling ? { scheduling: scheduling(clock, store) } : {})
  })

  if (fleet) system.serveWorkers(({ services }) => localRunner(services, services.openScope))

  /** Lets what is on its way arrive: promises, files, commits. Time stands still meanwhile. */
  async function quiet(): Promise<void> {
    for (let idle = 0; idle < 2; idle++) {
      await system.transactions.settled()
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (process.getActiveResourcesInfo().some((resource) => /^(FSReq|CloseReq)/.test(resource))) idle = -1
    }
  }

  const simulation: Simulation = {
    clock,
    store,
    system,
    begun,
    async start(spec, dagRunId, way) {
      const { plan } = typeof spec === 'string' ? readDefinition(spec) : { plan: spec }
      if (!plan) throw new Error('the simulated definition has problems')
      const key = { name: plan.name, dagRunId }
      const logs = join(home, 'logs', plan.name, dagRunId)
      await system.start({
        record: {
          ...key,
          status: 'running',
          attempt: 1,
          createdAt: clock.now(),
          startedAt: clock.now(),
          params: [],
          log: join(logs, 'run.log'),
          nodeLogs: join(logs, '1'),
          plan: planHash({ plan, spec: typeof spec === 'string' ? spec : '' })
        },
        plan: { plan, spec: typeof spec === 'string' ? spec : '' },
        singleton: false,
        ...(way === 'enqueue' ? { enqueue: { bounded: false } } : {})
      })
      return key
    },
    async play(done = () => store.open.getKeysCount() === 0) {
      for (let steps = 0; steps < 100_000; steps++) {
        await quiet()
        if (faults.length > 0) throw faults[0]
        if (done()) return
        const next = clock.next()
        if (next !== undefined) clock.goTo(next)
      }
      throw new Error('the simulated runs do not end')
    },
    journal: ({ name, dagRunId }) =>
      Array.from(
        store.journal.getRange({ start: [name, dagRunId, 0], end: [name, dagRunId, Number.MAX_SAFE_INTEGER] }),
        ({ value }) => value
      ),
    record: ({ name, dagRunId }) => store.runs.get([name, dagRunId])?.record,
    async crash() {
      await system.transactions.settled()
      await store.root.close()
    }
  }
  const recovered = system.recover()
  await Promise.all([recovered, meanwhile(simulation)])
  return simulation
}

async function storedBelow(home: string): Promise<{ store: Store; ahead: WriteAhead }> {
  const store = openStore(join(home, 'data'))
  const left = entriesIn(join(home, 'data', 'write-ahead'))
  if (left.length > 0) await commit(store, left, { again: true })
  return { store, ahead: openWriteAhead(join(home, 'data', 'write-ahead')) }
}

/** What a system without a world is opened with, beside its store. */
export function simulatedParts(
  home: string,
  clock: Clock,
  executors: Executor[],
  fault: SystemParts['fault']
): Omit<SystemParts, 'store' | 'ahead' | 'capture'> {
  return {
    clock,
    logs: openRunLogs(clock, () => {}),
    executors: new Map(executors.map((executor) => [executor.type, executor])),
    functions: new Map(),
    containers: sharedContainers(dockerEngine(home, {}, clock), clock),
    paramsOf: async () => ({ params: [] }),
    workflow: () => {
      throw new Error('simulated definitions call local workflows only')
    },
    dataDir: join(home, 'data'),
    environment: {},
    defaultShell: 'sh',
    strict: false,
    publish: () => {},
    fault
  }
}
