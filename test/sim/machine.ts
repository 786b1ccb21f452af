/** A simulated machine: its clock, disk, processes and definitions, and the rules that are checked on it. It outlives its engines. */
import type { RunKey, ScheduleDecision } from '../../machines/vocabulary.ts'
import type { Scheduling } from '../../src/actors/schedule/scheduling.ts'
import type { Changes } from '../../src/store/changes.ts'
import type { Store } from '../../src/store/open.ts'
import type { StoredRun } from '../../src/store/stored.ts'
import { type AheadFile, cutOff } from '../../src/testing/memory/memory-ahead.ts'
import { type Disk, emptyDisk, unpack } from '../../src/testing/memory/memory-store.ts'
import type { Moments } from '../../src/testing/moments.ts'
import type { Random } from '../support/random.ts'
import { type Schedules, schedules } from '../support/simulated/schedules.ts'
import { type SimulatedClock, simulatedClock } from '../support/simulated/simulated-clock.ts'
import type { Bug } from './bugs.ts'
import type { Definition } from './definitions.ts'
import { type Findings, openFindings } from './findings.ts'
import { openProcesses, type Processes } from './processes.ts'
import { ZONES } from './rules/calendar.ts'
import { openQueueRules, type QueueRules } from './rules/queues.ts'
import { openRetentionRules, type RetentionRules } from './rules/retention.ts'
import { openRunRules, type RunRules } from './rules/runs.ts'
import { openScheduleRules, type ScheduleRules } from './rules/schedules.ts'

export interface Machine {
  clock: SimulatedClock
  home: string
  disk: Disk
  ahead: AheadFile
  processes: Processes
  bug: Bug
  definitions: Map<string, Definition>
  files: Schedules
  findings: Findings
  rules: { queues: QueueRules; runs: RunRules; retention: RetentionRules; schedules: ScheduleRules }
  /** Nothing that runs lives on, and what was not on the disk yet is lost. */
  losePower(): void
  /** All that was committed, as text; for comparing two plays. */
  history: string[]
  put(fileName: string, definition: Definition): void
  remove(fileName: string): void
  scheduling(moments: Moments, store: Store): Scheduling
  committed(changes: Changes): void
  reopened(store: Store): void
  /** The engine is gone. */
  ended(): void
  fault(error: unknown): void
}

export function openMachine(home: string, random: Random, seed: number, start: number, bug: Bug): Machine {
  const clock = simulatedClock(start, seed)
  const findings = openFindings(clock.now)
  const definitions = new Map<string, Definition>()
  const files = schedules(random.pick(ZONES))
  const daysOf = new Map<string, number>()
  const runs = openRunRules(findings)
  const rules = {
    runs,
    queues: openQueueRules(findings),
    retention: openRetentionRules(findings, () => runs.runs, daysOf, clock.now),
    schedules: openScheduleRules(findings, {
      now: clock.now,
      zone: files.zone,
      definitions: () => definitions,
      suspended: () => files.suspended,
      runs: () => runs.runs
    })
  }
  const processes = openProcesses(clock, fateOf(seed), {
    began: runs.began,
    again: (state) => findings.add('13.5.3 an execution is begun once', state)
  })
  /** Transactions that may be lost after a power loss. One that was being written to the store may be there. */
  let lost: Changes[] | undefined
  const machine: Machine = {
    clock,
    home,
    disk: emptyDisk(),
    ahead: { entries: [], cleared: [] },
    processes,
    bug,
    definitions,
    files,
    findings,
    rules,
    history: [],
    put(fileName, definition) {
      definitions.set(fileName, definition)
      files.put(fileName, bug.plan?.(definition.plan) ?? definition.plan)
    },
    remove(fileName) {
      definitions.delete(fileName)
      files.remove(fileName)
    },
    scheduling(moments, store) {
      const real = files.of(moments.clock, home, store)
      return {
        ...real,
        zone: bug.zone ?? real.zone,
        definitions() {
          if (moments.alive) rules.schedules.ticked()
          return real.definitions()
        },
        suspended() {
          if (moments.alive) rules.schedules.looked()
          return bug.suspended ?? real.suspended()
        },
        async runRequest(fileName) {
          const runRequest = await real.runRequest(fileName)
          if (moments.alive) rules.schedules.asked(fileName, runRequest.record.dagRunId)
          return runRequest
        },
        tell: (decision: ScheduleDecision) => void (moments.alive && rules.schedules.decided(decision))
      }
    },
    losePower() {
      processes.lose()
      runs.flushed(Array.from(machine.disk.tables.runs.range(), ({ value }) => (unpack(value) as StoredRun).record))
      lost = [...(lost ?? []), ...cutOff(machine.ahead, clock.now())]
    },
    committed(changes) {
      for (const [hash, { plan }] of changes.plans) daysOf.set(hash, plan.histRetentionDays)
      rules.schedules.committed(changes)
      rules.retention.committed(changes)
      runs.committed(changes)
      for (const record of changes.journal) machine.history.push(textOf(record.run, record))
      for (const decision of changes.scheduling.decisions.values()) machine.history.push(JSON.stringify(decision))
    },
    reopened(store) {
      rules.schedules.disturbed()
      if (lost) {
        rules.schedules.lost(store, lost)
        rules.retention.lost(store)
      }
      runs.reopened(store, lost !== undefined)
      lost = undefined
    },
    ended() {
      rules.queues.forget()
      rules.schedules.forget()
    },
    fault: (error) =>
      findings.add(
        'architecture 3: the engine survives without a defect',
        error instanceof Error ? `${error.stack}` : String(error)
      )
  }
  return machine
}

const textOf = (run: RunKey | undefined, record: object) => `${run?.name}/${run?.dagRunId} ${JSON.stringify(record)}`

/** The outcome of an execution follows from its place and the seed, whichever engine starts it. */
function fateOf(seed: number) {
  const DURATIONS = [1, 137, 1_231, 1_709, 9_411, 20_173, 61_843, 185_917, 722_411, 4_211_389]
  return (state: string) => {
    let hash = seed ^ 0x9e3779b1
    const name = state.slice(state.indexOf('/logs/') + 1)
    for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
    const part = (shift: number, count: number) => ((hash >>> shift) & 0xff) % count
    const ms = DURATIONS[part(3, DURATIONS.length)] ?? 1_000
    return {
      ms: ms + part(11, Math.min(10 * ms, 200)), // some are over before what began them is in the store
      exitCode: part(17, 5) === 0 ? 1 : 0,
      stubborn: part(9, 6) === 0
    }
  }
}
