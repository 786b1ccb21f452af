/** A home in memory: what `ownHome` opens on disk, with executors that are mocked. Nothing listens, nothing is started. */
import type { JournalRecord, RunKey } from '../../machines/vocabulary.ts'
import { openSystem, type SystemParts } from '../actors/root/system.ts'
import { ownFolder } from '../actors/run/run-environment.ts'
import type { SecretProviders } from '../actors/run/secrets/secret-providers.ts'
import type { EngineParts } from '../engine/engine-parts.ts'
import type { OwnedHome } from '../engine/owned-home.ts'
import { isBounded } from '../engine/start/admission.ts'
import { calledWorkflow } from '../engine/start/called-workflow.ts'
import { codeOf, loadCodeParams } from '../engine/start/code-params.ts'
import { loadParams, overrideOf } from '../engine/start/params.ts'
import { schedulesOf } from '../engine/start/schedules.ts'
import type { Executor } from '../executors/executor.ts'
import type { Capture } from '../executors/launcher/capture.ts'
import type { Changes } from '../store/changes.ts'
import { commit } from '../store/commit.ts'
import type { WriteAhead } from '../store/disk/write-ahead.ts'
import { type AheadFile, emptyAhead, leftIn, memoryAhead } from './memory/memory-ahead.ts'
import type { Disk } from './memory/memory-store.ts'
import type { Moments } from './moments.ts'
import type { Timeline } from './timeline.ts'

/** What outlives the engines of a test. */
export interface World {
  timeline: Timeline
  disk: Disk
  ahead: AheadFile
  /** Called with the journal records of each transaction that is stored; the engine may die of it. */
  stored(records: readonly JournalRecord[]): void
  fault(error: unknown): void
  mailed: NonNullable<SystemParts['sendMail']>
}

export interface LifeParts extends EngineParts {
  moments: Moments
  executors: EngineParts['executors']
  mocked: Map<string, Executor>
  /** The executions of a run that is over are not looked for again. */
  forget(logFolder: string): void
  capture: Capture
  secretProviders: SecretProviders
  /** Schedules start runs. */
  followsSchedules: boolean
  opened(home: TestHome): void
}
export interface TestHome extends OwnedHome {
  /** Resolves when what was changed is stored. */
  settled(): Promise<void>
}

/** Always the same list: another one would be looked at again. */
const NONE: readonly [] = []

export async function openTestHome(parts: LifeParts, world: World): Promise<TestHome> {
  const { config, store, definitions, moments } = parts
  const { clock } = moments
  const { timeline, disk } = world
  const left = leftIn(world.ahead)
  if (left.length > 0) await commit(store, left, { again: true })
  emptyAhead(world.ahead, clock.now())
  const listeners = new Set<{ listen(event: JournalRecord): void; run?: RunKey }>()
  const publish = (event: JournalRecord) => {
    for (const { listen, run } of listeners)
      if (!run || (run.name === event.run?.name && run.dagRunId === event.run?.dagRunId)) listen(event)
  }
  // D1127: a test engine makes no working folder, no copy of a log, no container, no mail and no trace
  function ahead(): WriteAhead {
    let journal: readonly JournalRecord[] = []
    const stored = () => world.stored(journal)
    const seen = (changes: Changes) => {
      journal = changes.journal
    }
    // Nobody changes what was appended: it waits to be written to the store.
    return memoryAhead(world.ahead, disk, moments, stored, seen, (changes) => () => changes)
  }
  const logs = { write() {}, flushed: async () => {} }
  const containers = { open: async () => {}, release: async () => {}, sweep: async () => {} }
  const { track } = timeline
  const followed = schedulesOf(parts, isBounded)
  // Without definitions nothing is ever due, and the clock passes over the minutes.
  const schedules = parts.followsSchedules ? followed : { ...followed, definitions: () => NONE }
  const system = openSystem({
    store,
    ahead: ahead(),
    clock,
    logs,
    executors: parts.mocked,
    functions: parts.functions,
    secretProviders: parts.secretProviders,
    capture: parts.capture,
    containers,
    backticks: config.backticks,
    makeFolder: async () => {},
    // D1346: a mocked step has log files only where it has printed something, or where its output is read
    logFolders: { isThere: () => true, make: () => {}, forget: parts.forget },
    sendMail: world.mailed,
    paramsOf(plan, key, { params, written = [] }, options) {
      const code = codeOf(definitions, plan)
      const { defaultShell, backticks, dataDir } = config
      const context = { defaultShell, own: ownFolder(dataDir, key), ...options }
      return track(
        code
          ? loadCodeParams(code, plan, params, context)
          : loadParams(plan, overrideOf(plan, params), written, { backticks, clock, ...context })
      )
    },
    workflow: (target, workingDir, besides) => {
      const stored = definitions.has(target) ? definitions.get(target) : undefined
      if (stored?.definition.plan) return Promise.resolve({ plan: stored.definition.plan, spec: stored.spec })
      return track(calledWorkflow(definitions, target, { workingDir, dagsDir: config.dagsDir, besides }))
    },
    dataDir: config.dataDir,
    environment: config.environment,
    defaultShell: config.defaultShell,
    strict: config.durability === 'strict',
    queues: Object.fromEntries(config.queues.config.map((queue) => [queue.name, queue.maxConcurrency])),
    scheduling: Object.assign<typeof schedules, Partial<typeof schedules>>(Object.create(schedules), {
      runRequest: (fileName) => track(schedules.runRequest(fileName)),
      restart: (key, dagRunId) => track(schedules.restart(key, dagRunId)),
      wait: (dueAt, next, ring) => clock.lazily(() => Math.max(dueAt, next()), ring)
    }),
    publish,
    fault: world.fault
  })
  const home: TestHome = {
    system,
    logs,
    containers,
    publish,
    lost: () => undefined,
    settled: () => system.transactions.settled(),
    subscribe(listen, run) {
      const listener = { listen, ...(run ? { run } : {}) }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => system.close()
  }
  parts.opened(home)
  return home
}
