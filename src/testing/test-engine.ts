/** An engine for tests: its own clock, a store in memory, and no step that is executed by accident. */
import { accessSync, constants, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JournalRecord, Json, RunKey } from '../../machines/vocabulary.ts'
import { openSecretProviders } from '../actors/run/secrets/secret-providers.ts'
import { readConfig, type Settings } from '../config.ts'
import { withCode } from '../definitions/code-definitions.ts'
import type { Engine, RunView } from '../engine/engine.ts'
import { TroupeError } from '../errors.ts'
import { type CustomExecutor, customTypes } from '../executors/custom/custom.ts'
import type { HostSecrets } from '../executors/custom/host-secrets.ts'
import { functionsByName } from '../executors/function/function.ts'
import { FUNCTION } from '../executors/function/missing-code.ts'
import { functionType } from '../executors/function/params.ts'
import type { Fn } from '../executors/function/types.ts'
import { codeDags, ofDefineDag, withCodeOf } from '../host/code-dags.ts'
import { anything, flag, mustBe, numeric, only, text } from '../host/host-values.ts'
import { type HostEngine, typedRuns } from '../host/typed-runs.ts'
import type { Schema } from '../schema/schema.ts'
import type { Ends, Like, MockCall } from './ends.ts'
import { instantOf } from './instant.ts'
import { openLives } from './lives.ts'
import { mockedBackticks } from './mocked-commands.ts'
import { keyOf, type MockedKind, openMocks, stepKey } from './mocks.ts'
import { openPlaying } from './playing.ts'
import { openRealExecutors } from './real-executors.ts'
import { type DagSource, openTestDefinitions, testFlags } from './test-definitions.ts'
import { openTimeline } from './timeline.ts'

export interface TestEngineOptions {
  /** Texts of definitions, paths of files, or DAGs of code. */
  dags: readonly DagSource[]
  /** Where the clock stands: an ISO instant; without an offset it is local to `timeZone`. Default: 2026-01-01T00:00Z */
  now?: string
  /** IANA zone of schedules. Default: UTC */
  timeZone?: string
  /** The ids of runs follow from it. Default: 1 */
  seed?: number
  /** The environment that definitions see. Default: empty */
  env?: Readonly<Record<string, string>>
  /** Whether schedules start runs. Default: true */
  schedules?: boolean
  /** Executors of the host application that definitions name; they are mocked like all others. */
  executors?: readonly CustomExecutor[]
  /** Functions of the host application: their schemas check params. They are mocked unless they pass through. */
  // biome-ignore lint/suspicious/noExplicitAny: functions of every type are taken.
  functions?: readonly Fn<any, any>[]
  /** Values of secrets of the provider `host`. Commands that print secrets are mocked like those in backticks. */
  secrets?: HostSecrets
  /** Other settings, such as `config` for the path of a configuration file with queues. */
  settings?: Omit<Settings, 'home' | 'tz'>
}

/** A name of a step: `DAG/STEP`. */
export type StepName = `${string}/${string}`

export interface TestEngine extends HostEngine, AsyncDisposable {
  /** How a step ends, or every step of a type, or a command of conditions and backticks. */
  mock(what: StepName | MockedKind, ends: Ends<Json>): void
  /** Ends of a function, wherever it is called: the compiler refuses what it does not return. */
  // biome-ignore lint/suspicious/noExplicitAny: functions with any params, and what a schema has made of them has no type here.
  mock<R>(what: Fn<any, R>, ends: Ends<Like<NoInfer<R>>, any>): void
  /** The step is executed for real, in real time, while the clock stands still; so is a function, wherever it is called. */
  passThrough(what: StepName | { readonly name: string }): void
  /** Goes on by a duration such as `5m` or `30d`, or ms, or until an instant, and rings every alarm on the way. */
  advance(by: string | number | Date): Promise<void>
  /** Goes on until a run has ended, and resolves with it. @param atMost default: 400d */
  untilEnded(run: RunKey, atMost?: string | number): Promise<RunView>
  /** Resolves when nothing is left to be done without time: no turn, no mock, no commit. */
  idle(): Promise<void>
  /**
   * The engine dies without a word, and the next one opens on the same home: now, or when so many events of its journal are stored,
   * before anything follows from the last of them.
   */
  crash(at?: { event: number }): Promise<void>
  /** Journal events stored so far, of all runs. */
  events(): number
  /** The states that a run, or a step of it, has been in. */
  path(run: RunKey, step?: string): string[]
  /** The executions of a step so far, mocked or passed through, oldest first; 100,000 at most. */
  calls(step: StepName): readonly MockCall[]
  /** The journal of a run as text, a line for each event. */
  journal(run: RunKey): string
  /** Records of the journal of a run after the one with that `seq`, oldest first, as of every engine. */
  journal(run: RunKey, after: number, limit: number): JournalRecord[]
  /** How often each mock was used, by what was mocked. */
  mockUses(): ReadonlyMap<string, number>
}

const START = '2026-01-01T00:00:00Z'
const MOST_EVENTS = 1_000_000

/** @throws TroupeError bad_request naming all problems of the definitions, not_found (a file) */
export async function testEngine(options: TestEngineOptions): Promise<TestEngine> {
  mustBeOptions(options)
  const home = mkdtempSync(join(folderInMemory() ?? tmpdir(), 'troupe-test-'))
  try {
    return await opened(options, home)
  } catch (error) {
    await rm(home, { recursive: true, force: true })
    throw error
  }
}

// D1132: a test engine has its folder in memory, below `/dev/shm`, where there is that
/** Where a folder costs a twentieth of one on disk; undefined: this machine has none. */
function folderInMemory(): string | undefined {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return undefined
  }
}

async function opened(options: TestEngineOptions, home: string): Promise<TestEngine> {
  const {
    dags,
    timeZone = 'UTC',
    seed = 1,
    env = {},
    schedules = true,
    executors = [],
    functions: given = [],
    secrets: host,
    settings = {}
  } = options
  const config = readConfig(
    { defaultShell: 'sh', ...settings, home, tz: timeZone, coordinator: { enabled: false } },
    { ...env }
  )
  const timeline = openTimeline(instantOf(options.now ?? START, config.tz, 'now'), seed)
  const { clock } = timeline
  const mocks = openMocks(timeline.track)
  const backticks = mockedBackticks(timeline, mocks)
  config.backticks = backticks
  const types = customTypes(executors)
  const ofCode = ofDefineDag(dags)
  const code = codeDags(ofCode)
  const functions = withCodeOf(functionsByName(given), ofCode)
  if (functions.size > 0) types.set(FUNCTION, functionType(functions))
  const read = openTestDefinitions(dags, config.dagsDir, config.baseConfig, types)
  const definitions = withCode(read, code)
  const real = openRealExecutors(config, executors)
  const lives = openLives({
    config,
    timeline,
    mocks,
    real,
    definitions,
    flags: testFlags(),
    executors,
    functions,
    secretProviders: openSecretProviders({ host, clock, run: ({ command }) => backticks(command) }),
    schedules
  })
  await lives.live()
  const { quiet, answered, ...playing } = openPlaying(clock, lives, mocks)
  const keyOfStep = (step: string) => stepKey(step, read.known())

  function journal(run: RunKey): string
  function journal(run: RunKey, after: number, limit: number): JournalRecord[]
  function journal(run: RunKey, after?: number, limit?: number): string | JournalRecord[] {
    if (after !== undefined && limit !== undefined) return lives.engine.journal(run, after, limit)
    const lines = lives.engine.journal(run, 0, MOST_EVENTS).map((record) => `${JSON.stringify(record)}\n`)
    return lines.join('').replaceAll(home, '') // it is another one each time
  }
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= lives.close().finally(async () => {
      definitions.close()
      await rm(home, { recursive: true, force: true })
    })
    return closing
  }
  const own: Omit<TestEngine, Exclude<keyof HostEngine, 'journal' | 'now' | 'result' | 'subscribe' | 'close'>> = {
    ...playing,
    mock: (what: StepName | MockedKind | { readonly name: string }, ends: unknown) =>
      mocks.set(keyOfMocked(what, keyOfStep), ends as Ends<Json>), // results of functions are JSON
    passThrough: (what) => mocks.passThrough(keyOfMocked(what, keyOfStep)),
    now: clock.now,
    events: () => lives.events,
    path: (run, step) => pathOf(lives.engine, run, step),
    calls: (step) => mocks.calls(keyOfStep(step)),
    mockUses: mocks.uses,
    journal,
    close,
    [Symbol.asyncDispose]: close
  }
  await quiet()
  const living = () => lives.engine
  const typed = typedRuns(asEngine(own, living, answered), code, clock)
  return asEngine({ ...own, ...typed }, living, answered)
}

const keyOfMocked = (what: StepName | MockedKind | { name: string }, keyOfStep: (step: string) => string): string =>
  typeof what === 'string' ? keyOfStep(what) : keyOf('name' in what ? { function: what.name } : what)

/** The states of a run or a step; one that it stays in, as events change something else, is named once. */
function pathOf(engine: Engine, run: RunKey, step: string | undefined): string[] {
  const { name, dagRunId } = engine.record(run) ?? run
  const actor = `run/${name}/${dagRunId}`
  const states = engine
    .journal({ name, dagRunId }, 0, MOST_EVENTS)
    .filter((record) => (step === undefined ? record.actor === actor : record.step === step))
    .map(({ to }) => to)
  return states.filter((state, index) => state !== states[index - 1])
}

/** Everything else is done by the engine that lives at the moment. */
const asEngine = <Own extends object>(
  own: Own,
  living: () => Engine,
  answered: <T>(asked: Promise<T>) => Promise<T>
): Own & Engine =>
  new Proxy(own, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name)
      const value: unknown = Reflect.get(living(), name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const answer: unknown = value(...args)
        return answer instanceof Promise ? answered(answer) : answer
      }
    },
    has: (target, name) => name in target || name in living()
  }) as Own & Engine // the members that it has not are those of the engine

const OPTIONS: Record<keyof TestEngineOptions, Schema> = {
  dags: anything,
  now: text,
  timeZone: text,
  seed: numeric,
  env: { type: 'object', additionalProperties: text },
  schedules: flag,
  executors: anything,
  functions: anything,
  secrets: anything,
  settings: anything
}
function mustBeOptions(options: TestEngineOptions): void {
  mustBe(only('option', OPTIONS, ['dags']), options, 'testEngine')
  if (!Array.isArray(options.dags))
    throw new TroupeError('bad_request', 'testEngine: dags: wanted a list of definitions')
}
