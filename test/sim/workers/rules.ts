/**
 * What is promised of placed runs. The judge is what the simulated processes themselves have on record, beside what the engine has
 * committed; nobody's own account is believed. Source: distribution 1.
 */
import type { NodeRecord, Plan, RunRecord } from '../../../machines/vocabulary.ts'
import { runOnBus } from '../../../src/actors/workers/tasks/task-ids.ts'
import type { Changes } from '../../../src/store/changes.ts'
import type { Findings } from '../findings.ts'
import { idOf } from '../rules/queues.ts'
import { hasEnded, openRunRules, type RunRules } from '../rules/runs.ts'
import { isAlive, type Process } from './processes.ts'
import { openReplaced } from './replaced.ts'

/** A machine of a worker, as far as rules look at it. */
export interface Judged {
  name: string
  labels: Readonly<Record<string, string>>
  slots: number
  /** Id of its home now. */
  homeId(): string | undefined
  processes: { all(): Iterable<Process> }
  /** Since when nothing has disturbed it: it is up and reached, and the bus carries everything at once. */
  quietSince(): number | undefined
}

export interface PlacementRules {
  readonly runs: RunRules
  readonly counts: { placed: number; moved: number; executions: number; fenced: number; longestWait: number }
  /** An execution is about to begin. @param before one with the same records */
  began(process: Process, before: Process | undefined): void
  /** One begins in the engine. */
  beganHere(state: string, step: string): void
  committed(changes: Changes): void
  /** The engine has heard a heartbeat or hello. */
  heard(home: string): void
  /** Its stop is on disk. */
  stopped(run: RunRecord): void
  /** Whether a run waits for its worker, however long that is away. */
  waits(run: RunRecord): boolean
  /** Nothing is pending. */
  quiet(): void
  /** The faults have stopped, and there was time. */
  over(): void
}

/** Its age at which a worker gets nothing any more. */
const HEALTHY_MS = 5_000
/** A machine that was disturbed is trusted again after so long: heartbeats, questions and reports have had their turn. */
const SETTLED_MS = 40_000
/** `maxCleanUpTimeSec` of all definitions, 1 s, and what a stop takes to get there. */
const STOPPED_MS = 5_000 + 1_000 + 2_000

const PLACE = /\/runs\/([0-9a-f]{32})-(\d+)\/logs\/(.+)\.(\d+)$/

/** Whose process it is; undefined: none of a placed run. */
export function placeOf({ state }: Process) {
  const [, run = '', lease, step = '', execution] = PLACE.exec(state) ?? []
  return run === '' ? undefined : { run, lease: Number(lease), step, execution: Number(execution) }
}

export function openPlacementRules(
  findings: Findings,
  now: () => number,
  machines: () => readonly Judged[]
): PlacementRules {
  const runs = openRunRules(findings)
  /** By the hash of each attempt. */
  const records = new Map<string, RunRecord>()
  const plans = new Map<string, Plan>()
  const heardAt = new Map<string, number>()
  const leases = new Map<number, string>()
  const stops = new Map<string, { record: RunRecord; at: number }>()
  const nodes = new Map<string, NodeRecord>()
  const counts = { placed: 0, moved: 0, executions: 0, fenced: 0, longestWait: 0 }
  const hashOf = (record: RunRecord) => runOnBus(record, record.attempt)

  const processes = function* (): Iterable<Process> {
    for (const { processes } of machines()) yield* processes.all()
  }
  const aliveOf = (hash: string) => [...processes()].filter((one) => isAlive(one) && placeOf(one)?.run === hash)
  const selectorOf = ({ plan }: RunRecord) => plans.get(plan)?.workerSelector
  const latestOf = (id: string) => runs.runs.get(id)?.record
  const callerOf = ({ caller }: RunRecord) => caller && latestOf(idOf(caller.parent))

  /** Whose slot a run on a machine uses: its own, or that of the run on the same worker that it is called from. */
  function holderOf(record: RunRecord): string {
    for (let above = callerOf(record); above; above = callerOf(above))
      if (above.placement && above.placement.home === record.placement?.home) return holderOf(above)
    return ownOf(record)
  }
  const ownOf = (record: RunRecord) => `${hashOf(record)}-${record.placement?.lease}`
  const planOf = ({ plan }: RunRecord) => plans.get(plan)
  const replaced = openReplaced(now, () => runs.runs, planOf, { holderOf, ownOf })

  return {
    runs,
    counts,
    began(process, before) {
      counts.executions++
      const { state } = process
      const place = placeOf(process)
      const machine = machines().find(({ name }) => name === process.machine)
      const record = place && records.get(place.run)
      if (!place || !machine || !record?.placement) return findings.add('D1 nothing begins that was not placed', state)
      const { placement } = record
      if (before && !before.isLost) findings.add('D3 an execution is begun at most once', state)
      for (const other of processes()) {
        const its = placeOf(other)
        if (isAlive(other) && its?.run === place.run && its.step === place.step)
          findings.add(
            'D4 a second execution begins only when the first is over',
            `${state} beside ${other.state} on ${other.machine}`
          )
      }
      if (place.lease !== placement.lease || machine.homeId() !== placement.home)
        findings.add('D1 a step begins on the worker of its run', `${state}, placed as ${JSON.stringify(placement)}`)
      for (const [name, value] of Object.entries(selectorOf(record) ?? {}))
        if (machine.labels[name] !== value)
          findings.add('D1 the worker of a run has every label', `${state}: ${name}=${value}`)
      const holders = new Set([holderOf(record)])
      for (const other of machine.processes.all()) {
        const its = isAlive(other) && placeOf(other)
        const run = its && records.get(its.run)
        if (run) holders.add(holderOf(run))
      }
      if (holders.size <= machine.slots) return
      const beside = replaced.goOn(placement.home, machine.slots)
      const count = [...holders].filter((one) => !beside.has(one)).length
      if (count > machine.slots)
        findings.add('D14 slots are never exceeded', `${machine.name} has ${count} runs, and ${machine.slots} slots`)
    },
    beganHere(state, step) {
      runs.began(state, step)
    },
    heard: (home) => void heardAt.set(home, now()),
    stopped(record) {
      runs.stopped(record)
      stops.set(hashOf(record), { record, at: now() })
    },
    committed(changes) {
      for (const [hash, { plan }] of changes.plans) plans.set(hash, plan)
      for (const { value } of changes.runs.values()) placed(value.record)
      runs.committed(changes)
      replaced.committed(changes)
      for (const { value } of changes.runs.values()) ended(value.record)
      for (const { key, value } of changes.nodes.values()) node(key, value.record)
    },
    waits: ({ plan }) => plans.get(plan)?.onWorkerLost === 'wait',
    quiet() {
      for (const [hash, { record, at }] of stops) {
        const latest = latestOf(idOf(record))
        if (!latest || latest.attempt !== record.attempt) stops.delete(hash)
        else if (now() - at > STOPPED_MS) {
          stops.delete(hash)
          const late = aliveOf(hash).filter(
            ({ machine, step }) => !step.startsWith('on') && isQuiet(machine, SETTLED_MS)
          )
          for (const { state } of late)
            findings.add('D13 a stop reaches a step', `${state} is alive ${now() - at} ms after it`)
        }
      }
    },
    over() {
      runs.over()
      for (const process of processes())
        if (isAlive(process)) findings.add('D13 nothing outlives its run', process.state)
    }
  }

  function isQuiet(name: string, ms: number): boolean {
    const since = machines()
      .find((one) => one.name === name)
      ?.quietSince()
    return since !== undefined && now() - since >= ms
  }
  function placed(record: RunRecord): void {
    const hash = hashOf(record)
    const before = records.get(hash)
    records.set(hash, record)
    const { placement, caller } = record
    if (!placement || before?.placement?.lease === placement.lease) return
    counts.placed++
    if (before?.placement && before.placement.home !== placement.home) counts.moved++
    // A sub run may be where its caller is, as a part of that placement.
    if (caller && latestOf(idOf(caller.parent))?.placement?.lease === placement.lease) return
    const known = leases.get(placement.lease)
    if (known !== undefined && known !== hash)
      findings.add('D14 each placement has a number of its own', `${placement.lease}`)
    leases.set(placement.lease, hash)
    const age = now() - (heardAt.get(placement.home) ?? Number.NEGATIVE_INFINITY)
    if (age > HEALTHY_MS)
      findings.add('D15 none but healthy workers are given a run', `${placement.id} was heard ${age} ms ago`)
  }
  function ended(record: RunRecord): void {
    if (!hasEnded(record)) return
    for (const { state, machine } of aliveOf(hashOf(record)))
      if (isQuiet(machine, SETTLED_MS)) findings.add('D13 a run is shown as ended when nothing of it is alive', state)
  }
  function node([name, dagRunId, place]: readonly unknown[], record: NodeRecord): void {
    const run = latestOf(`${name}/${dagRunId}`)
    if (!run?.placement) return
    const hash = hashOf(run)
    const id = `${hash}/${place}`
    const before = nodes.get(id)
    nodes.set(id, record)
    if (before?.status === 'succeeded' && record.status !== 'succeeded')
      findings.add(
        'D6 a status that a client saw never goes back',
        `${run.name} ${record.step}: ${before.status}, then ${record.status}`
      )
    if (record.status !== 'succeeded' || record.exitCode !== 0 || before?.status === 'succeeded') return
    if (typeof place === 'number' && plans.get(run.plan)?.steps[place]?.call !== undefined) return
    const isTrue = [...processes()].some((one) => {
      const its = placeOf(one)
      return its?.run === hash && its.step === record.step && one.end?.exitCode === 0
    })
    if (!isTrue)
      findings.add('D8 a step has succeeded if its process did', `${run.name}/${run.dagRunId} ${record.step}`)
  }
}
