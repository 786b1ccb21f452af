/** Plays one seed of an engine and its workers: requests, deaths, cuts, bad weather at random, until the faults stop and all must have ended. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { emptyDisk } from '../../../src/testing/memory/memory-store.ts'
import { seeded } from '../../support/random.ts'
import type { Weather } from '../../support/simulated/bus.ts'
import { simulatedNet } from '../../support/simulated/bus.ts'
import { schedules } from '../../support/simulated/schedules.ts'
import { type SimulatedClock, simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { type Finding, openFindings } from '../findings.ts'
import { HOMES } from '../quick-files.ts'
import { homesOfTasks, NO_BUG, plantGuards, type WorkerBug } from './bugs.ts'
import { fateOf, labelsOf, randomPlan } from './definitions.ts'
import { openDisks } from './disks.ts'
import { configOf, type EngineLife, type EngineMachine, openEngineLife } from './engine-life.ts'
import { nextOperation, type Reach } from './operations.ts'
import { isAlive, openProcesses } from './processes.ts'
import { openPlacementRules } from './rules.ts'
import { openWorkerMachine } from './worker-machine.ts'
import type { WorkerMachine, World } from './world.ts'

export interface PlayedWorkers {
  seed: number
  findings: readonly Finding[]
  /** Of all that was committed. */
  digest: string
  counts: Record<string, number>
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Alarms of one seed: beyond, something goes round in circles. */
const MOST_STEPS = 400_000
/** The last fault is over by then. */
const CALMED_MS = 130 * SECOND
/** After the last run has ended, at most: what is left on workers is asked for each minute. */
const CLEANED_MS = 3 * MINUTE

/** @param trace gets a line for each thing that happens, for whoever looks for the cause of a finding */
export async function playWorkers(
  seed: number,
  bug: WorkerBug = NO_BUG,
  trace: (line: string) => void = () => {}
): Promise<PlayedWorkers> {
  const random = seeded(seed)
  const { below, chance, pick } = random
  const time = simulatedClock(Date.UTC(2026, below(12), 1 + below(28)) + below(24 * HOUR), seed)
  // Real clocks have no fractions of a millisecond.
  const clock: SimulatedClock = { ...time, after: (ms, ring) => time.after(Math.ceil(ms), ring) }
  const begun = clock.now()
  const findings = openFindings(clock.now)
  const disks = openDisks()
  homesOfTasks.clear()
  const home = join(HOMES, String(seed))
  const machines: WorkerMachine[] = []
  const history: string[] = []
  const counts = { steps: 0, operations: 0, engines: 0, workers: 0 }
  let areFaultsOver = false
  let troubleAt = clock.now()
  let storms = 0
  const net = simulatedNet(clock, seed)
  const tell = (line: string) => trace(`${new Date(clock.now()).toISOString().slice(11, 23)} ${line}`)
  const rules = openPlacementRules(findings, clock.now, () => machines)
  const world: World = {
    clock,
    random,
    net,
    disks,
    home,
    rules,
    bug,
    counts,
    tell,
    isStormy: () => storms > 0,
    troubleAt: () => troubleAt,
    found: findings.add,
    fault: (error) =>
      findings.add(
        'architecture 3: everybody survives without a defect',
        error instanceof Error ? `${error.stack}` : String(error)
      )
  }
  const restore = plantGuards(bug)
  process.on('unhandledRejection', world.fault)
  const machine: EngineMachine = {
    world,
    home: join(home, 'engine'),
    disk: emptyDisk(),
    ahead: { entries: [], cleared: [] },
    processes: openProcesses('engine', clock, fateOf(seed), ({ state, step }, before) => {
      if (before && !before.isLost) findings.add('13.5.3 an execution is begun once', state)
      rules.beganHere(state, step)
    }),
    config: configOf(join(home, 'engine'), bug),
    committed(read) {
      const changes = read()
      rules.committed(changes)
      for (const record of changes.journal) {
        history.push(`${record.run?.name}/${record.run?.dagRunId} ${JSON.stringify(record)}`)
        tell(`  ${record.actor}: ${record.event} -> ${record.to}`)
      }
    }
  }
  const files = schedules()
  const names = Array.from({ length: 2 + below(3) }, (_, n) => `d${n}`)
  const callsMuch = seed % 8 === 5
  for (const name of names) files.put(name, randomPlan(random, name, callsMuch))
  const moment = () => (chance(0.25) ? 1 + below(1_200) : undefined)
  let life: EngineLife | undefined
  /** The last one that is known to be dead. */
  let buried: EngineLife | undefined
  /** Counts deaths, so that an earlier one starts nothing. */
  let deaths = 0
  const startEngine = () => {
    troubleAt = clock.now()
    tell('engine starts')
    life = openEngineLife(machine, areFaultsOver ? undefined : moment())
  }
  /** What is wrong with the bus, until something else is. */
  let weathers = 0
  const reach: Reach = {
    world,
    machines,
    files,
    names,
    engine: () => life as EngineLife, // opened before anything is done
    killEngine(awayMs) {
      troubleAt = clock.now()
      tell(`engine is killed for ${awayMs} ms`)
      buried = life
      life?.end()
      const mine = ++deaths
      clock.after(awayMs, () => mine === deaths && startEngine())
    },
    killBroker(ms) {
      troubleAt = clock.now()
      tell(`broker is away for ${ms} ms`)
      storms++
      const mine = ++weathers
      for (const name of ['engine', ...machines.map(({ name }) => name)]) net.cut(name, true)
      clock.after(ms, () => {
        storms--
        troubleAt = clock.now()
        if (mine === weathers) for (const name of ['engine', ...machines.map(({ name }) => name)]) net.cut(name, false)
      })
    },
    weather(now: Weather, ms) {
      const mine = ++weathers
      tell(`weather for ${ms} ms: ${JSON.stringify(now)}`)
      storms++
      net.weather(now)
      clock.after(ms, () => {
        storms--
        troubleAt = clock.now()
        if (mine === weathers) net.weather({})
      })
      troubleAt = clock.now()
    }
  }

  /** Lets pending work finish, while the clock stands still. */
  async function quiet(): Promise<void> {
    for (let idle = 0; idle < 2; idle++) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      if ((life?.moments.pending ?? 0) > 0 || machines.some((one) => (one.life?.moments.pending ?? 0) > 0)) idle = -1
    }
  }
  /** Whoever has died of a moment is started again. */
  function revive(): void {
    if (life && life !== buried && !life.moments.alive && life.moments.died !== undefined) reach.killEngine(1_000)
    for (const one of machines) {
      if (!one.life || one.life.moments.alive || one.revived === one.number) continue
      one.kill(areFaultsOver ? 500 : pick([100, 2_000, 40_000]))
    }
  }
  async function until(at: number): Promise<void> {
    for (;;) {
      await quiet()
      counts.steps++
      if (findings.all.length > 0 || counts.steps > MOST_STEPS) return
      revive()
      if (!life?.moments.alive) troubleAt = clock.now()
      if (life?.isReady && life.moments.alive) {
        const isOpen = life.system?.isOpen ?? (() => false)
        if (life.system?.transactions.stalled === undefined && machine.disk.writer !== life.moments)
          rules.runs.quiet(isOpen, () => true)
      }
      rules.quiet()
      const next = clock.next() ?? Number.POSITIVE_INFINITY
      if (next > at) break
      clock.goTo(next)
    }
    clock.goTo(at)
  }
  const openRuns = () =>
    [...rules.runs.runs.values()]
      .map(({ record }) => record)
      .filter(({ status }) => status === 'running' || status === 'queued')

  try {
    const count = 2 + below(2)
    for (let n = 0; n < count; n++) {
      const skewMs = pick([0, 0, -HOUR, HOUR, 17 * SECOND])
      machines.push(
        openWorkerMachine(world, fateOf(seed), {
          name: `w${'abc'[n]}`,
          labels: labelsOf(n),
          slots: callsMuch ? 1 : 1 + below(3),
          skewMs
        })
      )
    }
    startEngine()
    for (const one of machines) one.start(chance(0.3) ? 1 + below(200) : undefined)
    await until(clock.now() + below(4) * SECOND)
    const operations = 8 + below(16)
    for (; counts.operations < operations && findings.all.length === 0; counts.operations++) {
      const operation = nextOperation(random)
      await until(clock.now() + operation.after)
      if (findings.all.length > 0) break
      operation.act(reach)
      if (operation.rest) await until(clock.now() + operation.rest)
    }
    // The faults stop, and nothing new begins.
    areFaultsOver = true
    tell('no more faults')
    const calmed = clock.now() + CALMED_MS
    const isCalm = () => storms === 0 && life?.moments.alive && machines.every((one) => one.quietSince() !== undefined)
    do await until(clock.now() + 5 * SECOND)
    while (findings.all.length === 0 && clock.now() < calmed && !isCalm())
    storms = 0
    weathers++
    net.weather({})
    for (const name of ['engine', ...machines.map(({ name }) => name)]) net.cut(name, false)
    for (const one of machines) Object.assign(one, { slowMs: 0, isDiskFull: false })
    reach.killEngine(500)
    await until(clock.now() + 2_000)
    const finished = clock.now() + 2 * HOUR
    while (findings.all.length === 0 && clock.now() < finished) {
      const open = openRuns()
      if (open.length === 0) break
      await until(clock.now() + 10 * SECOND)
      endWhatWaits()
    }
    const cleaned = clock.now() + CLEANED_MS
    while (findings.all.length === 0 && clock.now() < cleaned && !machines.every(isClean))
      await until(clock.now() + 5 * SECOND)
    if (findings.all.length === 0) {
      rules.over()
      for (const one of machines)
        for (const { name, state } of one.life?.tasks?.held() ?? [])
          findings.add('W8 nothing is left on the workers', `${one.name} has ${name}, ${state}`)
    }
  } finally {
    life?.end()
    for (const one of machines) one.life?.end()
    restore()
    process.off('unhandledRejection', world.fault)
    disks.close()
  }
  const { placed, moved, executions, fenced } = rules.counts
  return {
    seed,
    findings: findings.all,
    digest: createHash('sha256').update(history.toSorted().join('\n')).digest('hex'),
    counts: {
      ...counts,
      runs: rules.runs.counts.runs,
      placed,
      moved,
      fenced,
      executions: rules.runs.counts.executions + executions,
      placedExecutions: executions,
      minutes: Math.round((clock.now() - begun) / MINUTE)
    }
  }

  /** Nothing of a run is left there. */
  function isClean({ life, processes }: WorkerMachine): boolean {
    const isHere = life?.tasks !== undefined && life.moments.alive
    return isHere && life?.tasks?.held().length === 0 && ![...processes.all()].some(isAlive)
  }

  /** Runs that wait for a worker that is gone with its disk do so until they are stopped. */
  function endWhatWaits(): void {
    const { system, isReady } = life ?? {}
    if (!system || !isReady) return
    const homes = new Set(machines.map((one) => one.homeId()))
    for (const record of openRuns()) {
      if (record.placement && !homes.has(record.placement.home) && rules.waits(record)) void system.stop(record)
    }
  }
}
