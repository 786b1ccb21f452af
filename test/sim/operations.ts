/** Random operations of clients, operators and the environment on a machine. */
import { uuidV7 } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { admissionTo } from '../../src/engine/start/admission.ts'
import { rescheduleRequest } from '../../src/engine/start/reschedule-run.ts'
import { retryRequest } from '../../src/engine/start/retry-run.ts'
import type { Random } from '../support/random.ts'
import { randomDefinition } from './definitions.ts'
import type { Life } from './life.ts'
import type { Machine } from './machine.ts'
import { hasEnded } from './rules/runs.ts'

/** What an operation may use. */
export interface Reach {
  machine: Machine
  life(): Life
  /** The engine is killed. */
  die(): void
  /** The next engine starts. */
  live(last?: number): void
  until(at: number): Promise<void>
}
export interface Operation {
  /** Delay after the previous one, ms. */
  after: number
  act(reach: Reach): Promise<void> | void
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const PAUSES = [0, 300, 4 * SECOND, 40 * SECOND, 3 * MINUTE, 8 * MINUTE]

/** @param pace factor by which pauses are longer than usual */
export function nextOperation(random: Random, machine: Machine, pace: number): Operation {
  const { below, pick } = random
  const operations: [number, (random: Random, machine: Machine) => Operation['act']][] = [
    [16, start],
    [14, burst],
    [8, stop],
    [5, dequeue],
    [5, again],
    [6, suspend],
    [6, edit],
    [7, crash],
    [3, close],
    [4, outage],
    [2, powerCut],
    [4, setClock],
    [3, sleep],
    [3, fullDisk]
  ]
  const all = operations.reduce((sum, [weight]) => sum + weight, 0)
  let left = below(all)
  const [, make] = operations.find(([weight]) => {
    left -= weight
    return left < 0
  }) ?? [0, start]
  const pause = pick(PAUSES) * pace
  return { after: pause === 0 ? 0 : pause + below(pause), act: make(random, machine) }
}

/** A run of a stored definition, started or enqueued. An answer is a promise. */
function start({ chance, pick }: Random, machine: Machine): Operation['act'] {
  const fileName = pick([...machine.definitions.keys(), 'd0'])
  const isQueued = chance(0.4)
  const singleton = !isQueued && chance(0.5)
  return ({ life }) => ask(life(), machine, fileName, isQueued, singleton)
}

function ask(
  { system, store, moments, isReady }: Life,
  machine: Machine,
  fileName: string,
  isQueued: boolean,
  singleton: boolean
) {
  if (!system || !isReady || !machine.definitions.has(fileName) || system.transactions.stalled) return
  const { clock, home, files, rules } = machine
  const { admit } = admissionTo(store, system)
  void files
    .of(clock, home, store)
    .runRequest(fileName)
    .then(({ bounded, ...wanted }) =>
      admit(
        {
          ...wanted,
          singleton,
          ...(isQueued ? { enqueue: { bounded } } : {})
        },
        true
      )
    )
    .then((key) => moments.alive && rules.runs.acknowledged(key))
    .catch(() => {}) // refused
}

/** Many at once. */
function burst({ below, pick }: Random, machine: Machine): Operation['act'] {
  const fileName = pick([...machine.definitions.keys(), 'd0'])
  const count = 2 + below(7)
  return ({ life }) => {
    for (let n = 0; n < count; n++) ask(life(), machine, fileName, true, false)
  }
}

const open = (machine: Machine, status: string) =>
  [...machine.rules.runs.runs.values()].flatMap(({ record }) =>
    record.status === status && !record.caller ? [record] : []
  )

function stop({ below }: Random, machine: Machine): Operation['act'] {
  const number = below(100)
  return ({ life }) => {
    const running = open(machine, 'running')
    const record = running[number % Math.max(1, running.length)]
    const { system, isReady, moments } = life()
    if (record && isReady) void system?.stop(record).then(() => moments.alive && machine.rules.runs.stopped(record))
  }
}

function dequeue({ below }: Random, machine: Machine): Operation['act'] {
  const number = below(100)
  return ({ life }) => {
    const waiting = open(machine, 'queued')
    const record = waiting[number % Math.max(1, waiting.length)]
    if (!record || !life().isReady) return
    machine.rules.retention.dequeuing(record)
    void life().system?.dequeue(record)
  }
}

/** A run that has ended is retried, in its place or under a new id, or rescheduled. */
function again({ below }: Random, machine: Machine): Operation['act'] {
  const [number, way] = [below(100), below(3)]
  return async ({ life }) => {
    const { system, store, isReady, moments } = life()
    const { clock, home, rules } = machine
    const ended = [...rules.runs.runs.values()].filter(({ record }) => hasEnded(record) && !record.caller)
    const record = ended[number % Math.max(1, ended.length)]?.record
    if (!record || !system || !isReady || system.isOpen(record) || system.transactions.stalled) return
    const { admit } = admissionTo(store, system)
    try {
      if (way === 0) {
        const wanted = await rescheduleRequest(store, record, {}, readConfig({ home }, {}), clock)
        void admit(wanted, false).then(
          (key) => moments.alive && rules.runs.acknowledged(key),
          () => {}
        )
      } else {
        const names = way === 1 ? {} : { dagRunId: uuidV7(clock) }
        const wanted = retryRequest(store, record, names, readConfig({ home }, {}), clock)
        void system.start(wanted)
      }
    } catch {} // it has gone, or one like it runs
  }
}

function suspend({ pick }: Random, machine: Machine): Operation['act'] {
  const fileName = pick([...machine.definitions.keys(), 'd0'])
  return () => {
    const { suspended } = machine.files
    if (!suspended.delete(fileName)) suspended.add(fileName)
  }
}

/** A definition is added, changed or removed. */
function edit(random: Random, machine: Machine): Operation['act'] {
  const { below, chance } = random
  const fileName = `d${below(6)}`
  const definition = chance(0.2) ? undefined : randomDefinition(random, fileName)
  return () => {
    if (definition) machine.put(fileName, definition)
    else machine.remove(fileName)
  }
}

/** The engine is killed, and the next one starts at once. */
const crash = (): Operation['act'] => {
  return ({ die, live }) => {
    die()
    live()
  }
}

/** The engine is asked to close; then the next one starts. */
const close = (): Operation['act'] => {
  return ({ life }) => life().close()
}

/** No engine is running for a while, maybe for days. */
function outage({ below, pick }: Random): Operation['act'] {
  const away = pick([3 * MINUTE, 50 * MINUTE, 7 * HOUR, 30 * HOUR, 12 * 24 * HOUR]) + below(50 * SECOND)
  return ({ machine: { clock }, die, live }) => {
    die()
    clock.goTo(clock.now() + away)
    live()
  }
}

/** All processes are gone, and what was not flushed is lost. */
function powerCut({ below }: Random): Operation['act'] {
  const away = below(HOUR)
  return ({ machine, die, live }) => {
    die()
    machine.losePower()
    machine.clock.goTo(machine.clock.now() + away)
    live()
  }
}

/** The clock is set. */
function setClock({ pick, below }: Random): Operation['act'] {
  const by = pick([-5 * SECOND, -2 * MINUTE, -50 * MINUTE, 90 * SECOND, 3 * HOUR]) + below(SECOND)
  return ({ machine: { clock, rules } }) => {
    clock.jump(clock.now() + by)
    rules.schedules.disturbed()
  }
}

/** The machine sleeps: all of it. */
function sleep({ pick, below }: Random): Operation['act'] {
  const away = pick([4 * MINUTE, 2 * HOUR, 26 * HOUR]) + below(MINUTE)
  return ({ machine: { clock, rules } }) => {
    clock.jump(clock.now() + away)
    rules.schedules.disturbed()
  }
}

/** Nothing can be written for a while. */
function fullDisk({ pick }: Random): Operation['act'] {
  const ms = pick([700, 6 * SECOND, 40 * SECOND, 5 * MINUTE])
  return async ({ machine: { disk, clock }, until }) => {
    disk.full = true
    await until(clock.now() + ms)
    disk.full = false
    await until(clock.now() + SECOND)
  }
}
