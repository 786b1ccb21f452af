/** Scheduled definitions in a simulated engine: added, changed, suspended; every start is a run request made of its plan. */
import type { Plan, RunRecord, ScheduleDecision } from '../../../machines/vocabulary.ts'
import type { Scheduling } from '../../../src/actors/schedule/scheduling.ts'
import type { Scheduled } from '../../../src/actors/schedule/timetable.ts'
import { uuidV7 } from '../../../src/clock.ts'
import { type Config, readConfig } from '../../../src/config.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { isBounded } from '../../../src/engine/start/admission.ts'
import { restartRequest } from '../../../src/engine/start/restart-run.ts'
import { runRequestOf } from '../../../src/engine/start/start-run.ts'
import { findRuns } from '../../../src/store/find-runs.ts'
import type { Store } from '../../../src/store/open.ts'
import { decisionsOf } from '../../../src/store/scheduling.ts'
import type { SimulatedClock } from './simulated-clock.ts'
import { type Script, type Simulation, simulate, type World } from './simulation.ts'

export const MINUTE = 60_000
export const utc = (text: string): number => Date.parse(`${text}Z`)

export interface Schedules {
  /** Files, by name; a text that is no definition has problems. */
  put(fileName: string, definition: string | Plan): void
  remove(fileName: string): void
  suspended: Set<string>
  queues: boolean
  zone: string
  /** How often a definition was read, and how often flags were. */
  looks: { suspended: number }
  /** The reading of files that is under way. */
  reading: Promise<void>
  /** Makes the next starts fail. */
  refuse?: Error
  /** Makes looks fail. */
  broken?: Error | undefined
  /** What was reported of minutes that could not be looked at; `works` of the first one after them that could. */
  failing: string[]
  of(clock: SimulatedClock, home: string, store: Store, config?: Config): Scheduling
}

export function schedules(zone = 'UTC'): Schedules {
  let all: readonly Scheduled[] = []
  const files: Schedules = {
    suspended: new Set(),
    queues: true,
    zone,
    looks: { suspended: 0 },
    failing: [],
    reading: Promise.resolve(),
    put(fileName, definition) {
      const { plan } =
        typeof definition === 'string' ? readDefinition(definition, { fallbackName: fileName }) : { plan: definition }
      all = [...all.filter((one) => one.fileName !== fileName), { fileName, definition: plan ? { plan } : {} }]
    },
    remove(fileName) {
      all = all.filter((one) => one.fileName !== fileName)
    },
    of: (clock, home, store, config = readConfig({ home }, {})) => ({
      definitions() {
        if (files.broken) throw files.broken
        return all
      },
      failing: (error) => void files.failing.push(error instanceof Error ? error.message : 'works'),
      ready: () => files.reading,
      suspended() {
        files.looks.suspended++
        return files.suspended
      },
      zone: files.zone,
      get queues() {
        return files.queues
      },
      tell() {},
      restart: (key, dagRunId) => restartRequest(store, key, { dagRunId, unlimited: true }, config, clock),
      async runRequest(fileName) {
        if (files.refuse) throw files.refuse
        const plan = all.find((one) => one.fileName === fileName)?.definition.plan
        if (!plan) throw new Error(`there is no definition named ${fileName}`)
        const key = { name: plan.name, dagRunId: uuidV7(clock) }
        const made = await runRequestOf({ plan, spec: '' }, key, { params: [] }, {}, config, clock)
        const runRequest = { ...made, mayWait: files.queues }
        return { ...runRequest, bounded: isBounded({ fileName }, runRequest) }
      }
    })
  }
  return files
}

export interface ScheduledEngine extends Simulation {
  /** Lets time pass, alarm by alarm. */
  until(at: number): Promise<void>
  /** Root runs of a DAG, oldest first, as `HH:MM` or longer texts of their start in UTC. */
  starts(name: string): string[]
  runs(name: string): RunRecord[]
  /** Decisions, oldest first. */
  decisions(): ScheduleDecision[]
  /** The same, as `<kind> <HH:MM of the slot> <fired or why not>`. */
  told(): string[]
}

/** @param script default: a step takes 10 s and succeeds */
export async function scheduled(
  home: string,
  files: Schedules,
  clock: SimulatedClock,
  script: Script = () => ({ ms: 10_000, exitCode: 0 }),
  world: World = {}
): Promise<ScheduledEngine> {
  const scheduling: World['scheduling'] = (clock, store) => files.of(clock, home, store)
  const simulation = await simulate(home, script, clock, { scheduling, ...world })
  const minute = (at: number | undefined) => new Date(at ?? 0).toISOString().slice(11, 16)
  const engine: ScheduledEngine = {
    ...simulation,
    async until(at) {
      await simulation.play(() => (clock.next() ?? Number.POSITIVE_INFINITY) > at)
      clock.goTo(at)
      await simulation.play(() => true)
    },
    runs: (name) => findRuns(simulation.store, { name }).toReversed(),
    starts: (name) => engine.runs(name).map(({ startedAt, createdAt }) => minute(startedAt ?? createdAt)),
    decisions: () => decisionsOf(simulation.store, 100_000).toReversed(),
    told: () =>
      engine.decisions().map(({ kind, slot, outcome, reason }) => `${kind} ${minute(slot)} ${reason ?? outcome}`)
  }
  return engine
}
