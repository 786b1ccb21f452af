/** Random operations of clients, operators and the environment on an engine and its workers. */
import { admissionTo } from '../../../src/engine/start/admission.ts'
import type { Random } from '../../support/random.ts'
import type { Weather } from '../../support/simulated/bus.ts'
import type { Schedules } from '../../support/simulated/schedules.ts'
import type { EngineLife } from './engine-life.ts'
import { impostor } from './impostor.ts'
import { isAlive } from './processes.ts'
import type { WorkerMachine, World } from './world.ts'

/** What an operation may use. */
export interface Reach {
  world: World
  engine(): EngineLife
  machines: readonly WorkerMachine[]
  files: Schedules
  names: readonly string[]
  /** `kill -9` of the engine; the next one starts later. */
  killEngine(awayMs: number): void
  /** The broker is away: nobody reaches anybody. */
  killBroker(ms: number): void
  weather(now: Weather, ms: number): void
}
export interface Operation {
  /** Delay after the previous one, ms. */
  after: number
  act(reach: Reach): void
  /** What has begun gets so long before the next one, ms. */
  rest?: number
}

const SECOND = 1_000
const HOUR = 3_600_000
const PAUSES = [0, 0, 200, 1_500, 6_000, 15_000, 40_000, 75_000]
/** How long something is away: from a moment to longer than anybody waits. */
const AWAY = [50, 800, 3_000, 9_000, 20_000, 34_000, 50_000, 62_000, 75_000, 100_000, 140_000]
/** Of an engine, whose absence makes nobody lost. */
const ENGINE_AWAY = [50, 800, 9_000, 34_000, 75_000]

export function nextOperation(random: Random): Operation {
  const { below, pick } = random
  const operations: [number, (random: Random) => Operation['act']][] = [
    [26, start],
    [8, burst],
    [9, stop],
    [9, vanish],
    [5, killEngine],
    [10, killWorker],
    [8, freeze],
    [9, cut],
    [5, powerCut],
    [2, killBroker],
    [6, weather],
    [3, killAll],
    [3, setClock],
    [3, disk],
    [3, drain],
    [3, leave],
    [4, lie]
  ]
  const all = operations.reduce((sum, [weight]) => sum + weight, 0)
  let left = below(all)
  const [, make] = operations.find(([weight]) => {
    left -= weight
    return left < 0
  }) ?? [0, start]
  const pause = pick(PAUSES)
  const act = make(random)
  const rest = make === vanish ? 30_000 + below(90_000) : 0
  return { after: pause === 0 ? 0 : pause + below(pause), act, rest }
}

function ask({ world, engine, files }: Reach, fileName: string, isQueued: boolean): void {
  const { system, store, moments, isReady } = engine()
  if (!system || !isReady || system.transactions.stalled) return
  const { admit } = admissionTo(store, system)
  void files
    .of(world.clock, `${world.home}/engine`, store)
    .runRequest(fileName)
    .then(({ bounded, ...wanted }) =>
      admit({ ...wanted, singleton: false, ...(isQueued ? { enqueue: { bounded } } : {}) }, true)
    )
    .then((key) => moments.alive && world.rules.runs.acknowledged(key))
    .catch(() => {}) // refused
}

function start({ chance, below }: Random): Operation['act'] {
  const [number, isQueued] = [below(100), chance(0.5)]
  return (reach) => ask(reach, reach.names[number % reach.names.length] as string, isQueued)
}

/** Many at once. */
function burst({ below }: Random): Operation['act'] {
  const [number, count] = [below(100), 2 + below(4)]
  return (reach) => {
    for (let n = 0; n < count; n++) ask(reach, reach.names[(number + (n >> 1)) % reach.names.length] as string, true)
  }
}

function stop({ below }: Random): Operation['act'] {
  const number = below(100)
  return ({ world, engine }) => {
    const { system, isReady, moments } = engine()
    const open = [...world.rules.runs.runs.values()].filter(
      ({ record }) => record.status === 'running' && !record.caller
    )
    const record = open[number % Math.max(1, open.length)]?.record
    if (record && system && isReady)
      void system.stop(record).then(
        () => moments.alive && world.rules.stopped(record),
        () => {}
      )
  }
}

function killEngine({ pick, below }: Random): Operation['act'] {
  const ms = pick(ENGINE_AWAY) + below(500)
  return ({ killEngine }) => killEngine(ms)
}
const one = (machines: readonly WorkerMachine[], number: number) => machines[number % machines.length] as WorkerMachine

function killWorker({ pick, below, chance }: Random): Operation['act'] {
  const [number, ms] = [below(100), pick(AWAY) + below(500)]
  const last = chance(0.4) ? 1 + below(120) : undefined
  return ({ machines }) => one(machines, number).kill(ms, last)
}
/** The worker that has most at work is out of reach for longer than anybody waits: killed, stopped, cut off, or its machine is down. */
function vanish({ below, pick, chance }: Random): Operation['act'] {
  const [how, ms, isErased] = [below(6), 56_000 + below(90_000), chance(0.3)]
  const direction = pick([true, 'silent', 'deaf'] as const)
  return (reach) => {
    for (const name of reach.names) ask(reach, name, true)
    const atWork = ({ processes }: WorkerMachine) => [...processes.all()].filter(isAlive).length
    reach.world.clock.after(2 * SECOND, () => {
      const machine = reach.machines.reduce((most, one) => (atWork(one) > atWork(most) ? one : most))
      if (how < 2) machine.kill(ms)
      else if (how < 3) machine.freeze(ms)
      else if (how < 5) machine.cut(direction, ms)
      else machine.powerCut(ms, isErased)
    })
  }
}
function freeze({ pick, below }: Random): Operation['act'] {
  const [number, ms] = [below(100), pick(AWAY)]
  return ({ machines }) => one(machines, number).freeze(ms)
}
function cut({ pick, below }: Random): Operation['act'] {
  const [number, how, ms] = [below(100), pick([true, true, 'silent', 'deaf'] as const), pick(AWAY)]
  return ({ machines }) => one(machines, number).cut(how, ms)
}
function powerCut({ pick, below, chance }: Random): Operation['act'] {
  const [number, ms, isErased] = [below(100), pick(AWAY) + 3 * SECOND, chance(0.3)]
  return ({ machines }) => one(machines, number).powerCut(ms, isErased)
}
function killBroker({ pick }: Random): Operation['act'] {
  const ms = pick(AWAY)
  return ({ killBroker }) => killBroker(ms)
}
function weather({ pick, below }: Random): Operation['act'] {
  const ms = pick([10, 40, 120]) * SECOND
  const now = { lost: below(21) / 100, doubled: below(21) / 100, lateMs: pick([50, 900, 4_000, 30_000, 90_000]) }
  return ({ weather }) => weather({ ...now, lateShare: pick([0.02, 0.1, 0.3]) }, ms)
}
/** Engine, workers and broker at once. */
function killAll(random: Random): Operation['act'] {
  const all = [killEngine(random), killBroker(random)]
  const ms = random.pick(AWAY)
  return (reach) => {
    for (const act of all) act(reach)
    for (const machine of reach.machines) machine.kill(ms)
  }
}
/** The wall clock of a machine is set. */
function setClock({ pick, below }: Random): Operation['act'] {
  const [number, skew] = [below(100), pick([-HOUR, -40 * SECOND, 0, 3 * SECOND, HOUR])]
  return ({ machines }) => {
    one(machines, number).skewMs = skew
  }
}
/** The disk of a machine is slow, or full. */
function disk({ pick, below, chance }: Random): Operation['act'] {
  const [number, ms, slowMs, isFull] = [below(100), pick(AWAY), pick([40, 700, 4_000]), chance(0.3)]
  return ({ machines, world }) => {
    const machine = one(machines, number)
    machine.slowMs = slowMs
    machine.isDiskFull = isFull
    world.clock.after(ms, () => {
      machine.slowMs = 0
      machine.isDiskFull = false
      machine.disturbed()
    })
  }
}
/** A worker is asked to drain, and takes runs again later. */
function drain({ pick, below, chance }: Random): Operation['act'] {
  const [number, ms, timeoutSec] = [below(100), pick(AWAY), chance(0.3) ? 20 : undefined]
  return ({ machines, engine, world }) => {
    const { name } = one(machines, number)
    const ask = (drain: boolean) =>
      void engine()
        .bus?.drainWorker(name, { drain, ...(timeoutSec === undefined ? {} : { timeoutSec }) })
        .catch(() => {}) // it is not connected
    ask(true)
    world.clock.after(ms, () => ask(false))
  }
}
/** A worker is told to leave: its steps go on. */
function leave({ pick, below }: Random): Operation['act'] {
  const [number, ms] = [below(100), pick(AWAY)]
  return ({ machines }) => {
    const machine = one(machines, number)
    const { life } = machine
    machine.disturbed()
    void life?.worker?.close().then(() => life === machine.life && machine.kill(ms))
  }
}
/** Somebody who may speak as one worker speaks of tasks of another. */
function lie({ below }: Random): Operation['act'] {
  const times = 5 + below(20)
  return ({ world, machines }) => {
    for (let n = 0; n < times; n++) world.clock.after(n * SECOND, () => impostor(world, machines, n))
  }
}
