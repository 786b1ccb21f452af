/** One engine after the other on one home in memory: what a crash leaves is what the next one finds. */
import type { JournalRecord, Json, RunKey } from '../../machines/vocabulary.ts'
import type { SecretProviders } from '../actors/run/secrets/secret-providers.ts'
import type { Config } from '../config.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { Engine } from '../engine/engine.ts'
import { owningEngine } from '../engine/owning-engine.ts'
import { recordOf } from '../engine/views/run-view.ts'
import type { CustomExecutor } from '../executors/custom/custom.ts'
import type { HostFunctions } from '../executors/function/function.ts'
import { checkedEngine } from '../host/checked-engine.ts'
import { closable } from '../host/closable.ts'
import { silent } from '../log.ts'
import type { SuspendFlags } from '../store/files/suspend-flags.ts'
import type { AheadFile } from './memory/memory-ahead.ts'
import { emptyDisk, memoryStore } from './memory/memory-store.ts'
import { mockedCapture } from './mocked-commands.ts'
import { mockedFunctions } from './mocked-functions.ts'
import { type Life, openMockedSteps } from './mocked-steps.ts'
import type { Mocks } from './mocks.ts'
import { type Moments, openMoments } from './moments.ts'
import type { RealExecutors } from './real-executors.ts'
import { type LifeParts, openTestHome, type TestHome, type World } from './test-home.ts'
import type { Timeline } from './timeline.ts'

export interface LivesParts {
  config: Config
  timeline: Timeline
  mocks: Mocks
  real: RealExecutors
  definitions: Definitions
  flags: SuspendFlags
  executors: readonly CustomExecutor[]
  functions: HostFunctions
  secretProviders: SecretProviders
  schedules: boolean
}

export interface Lives {
  /** The engine that lives now. */
  readonly engine: Engine
  readonly isAlive: boolean
  /** Journal records stored so far, of all runs. */
  readonly events: number
  /** Faults of the actors, which should not have happened. */
  faults: unknown[]
  /** The engine ends, without a word to anybody. */
  die(): void
  /** The engine ends when so many journal records are stored, before anything follows from the last one. */
  dieAt(event: number): void
  /** The next engine on the same home; resolves when it is there. */
  live(): Promise<void>
  /** Resolves when nothing is on its way while the clock stands still. */
  quiet(): Promise<void>
  close(): Promise<void>
}

export function openLives(parts: LivesParts): Lives {
  const { config, timeline, mocks, real, definitions, flags, executors, schedules } = parts
  const disk = emptyDisk()
  const ahead: AheadFile = { entries: [], cleared: [] }
  const steps = openMockedSteps(timeline, mocks, async (type) => real.get(type))
  const capture = mockedCapture(timeline, mocks)
  const faults: unknown[] = []
  const atDeath = new Set<() => void>()
  let events = 0
  let last = Number.POSITIVE_INFINITY
  let now: { engine: Engine; moments: Moments; home: TestHome } | undefined
  const living = () => {
    if (now) return now
    throw new Error('there is no engine yet')
  }
  const world: World = {
    timeline,
    disk,
    ahead,
    mailed: async () => {},
    fault: (error) => void faults.push(error),
    stored(records: readonly JournalRecord[]) {
      events += records.length
      // D1129: `crash({ event })` ends the engine when that event is stored, before anything follows from it
      if (events >= last) die()
    }
  }
  /** What a dead engine has changed is never stored. */
  function settled(moments: Moments, home: TestHome | undefined): Promise<void> {
    if (!moments.alive || !home) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const over = () => {
        atDeath.delete(over)
        resolve()
      }
      atDeath.add(over)
      home.settled().then(over, reject)
    })
  }
  function die(): void {
    last = Number.POSITIVE_INFINITY
    now?.moments.end()
    steps.lost()
    for (const tell of [...atDeath]) tell()
  }

  return {
    get engine() {
      return living().engine
    },
    get isAlive() {
      return now?.moments.alive ?? false
    },
    get events() {
      return events
    },
    faults,
    die,
    dieAt(event) {
      last = event
    },
    async live() {
      const moments = openMoments(timeline.clock)
      const store = memoryStore(disk, moments)
      let home: TestHome | undefined
      const life: Life = {
        moments,
        settled: () => settled(moments, home),
        paramsOf: (run: RunKey): Json =>
          Object.fromEntries((recordOf(store, run)?.params ?? []).map(({ name, value }) => [name, value]))
      }
      const lifeParts: LifeParts = {
        config,
        clock: moments.clock,
        log: silent,
        store,
        definitions,
        flags,
        temporary: false,
        holdQueues: false,
        // Like a server, the engine is there before the runs of the one before it are, which may wait for mocks.
        schedules: true,
        followsSchedules: schedules,
        executors,
        functions: mockedFunctions(timeline, mocks, parts.functions),
        secretProviders: parts.secretProviders,
        moments,
        mocked: new Map([...real.all].map(([type, executor]) => [type, steps.executorFor(life, executor)])),
        forget: steps.forget,
        capture,
        opened: (opened) => {
          home = opened
        },
        openHome: () => openTestHome(lifeParts, world)
      }
      const engine = checkedEngine(closable(await owningEngine(lifeParts)))
      if (!home) throw new Error('the home was not opened')
      now = { engine, moments, home }
    },
    async quiet() {
      await timeline.quiet({
        busy: () => living().moments.alive && living().moments.pending > 0,
        isHeld: () => mocks.refusal() !== undefined,
        settled: () => settled(living().moments, living().home)
      })
    },
    async close() {
      if (now?.moments.alive) await now.engine.close()
      now?.moments.end()
      await real.close()
    }
  }
}
