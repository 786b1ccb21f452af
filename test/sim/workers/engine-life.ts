/** The lifetime of an engine with workers: the real system of actors, and the real room of the workers on a simulated bus. */
import { openSystem, type System } from '../../../src/actors/root/system.ts'
import type { Bus } from '../../../src/bus/bus.ts'
import { subjectsOf } from '../../../src/bus/messages.ts'
import { type Config, readConfig } from '../../../src/config.ts'
import type { EngineParts } from '../../../src/engine/engine-parts.ts'
import { type OpenBus, openBus } from '../../../src/engine/workers/open-bus.ts'
import type { Log } from '../../../src/log.ts'
import { oneAtATime } from '../../../src/platform/one-at-a-time.ts'
import { commit } from '../../../src/store/commit.ts'
import type { Store } from '../../../src/store/open.ts'
import { leaseAfter } from '../../../src/store/tables/workers.ts'
import { type AheadFile, emptyAhead, leftIn, memoryAhead } from '../../../src/testing/memory/memory-ahead.ts'
import { type Disk, memoryStore } from '../../../src/testing/memory/memory-store.ts'
import { type Moments, openMoments } from '../../../src/testing/moments.ts'
import { simulatedParts } from '../../support/simulated/simulation.ts'
import type { WorkerBug } from './bugs.ts'
import { CLUSTER } from './cluster.ts'
import type { Processes } from './processes.ts'
import type { World } from './world.ts'

/** What outlives an engine. */
export interface EngineMachine {
  world: World
  home: string
  disk: Disk
  ahead: AheadFile
  processes: Processes
  config: Config
  committed: Parameters<typeof memoryAhead>[3]
}

export interface EngineLife {
  moments: Moments
  store: Store
  /** Once it has opened its store. */
  system?: System
  bus?: OpenBus
  /** It has finished what the previous one has left. */
  isReady: boolean
  /** Nobody told it. */
  end(): void
}

export function configOf(home: string, { fenceAfterMs }: Pick<WorkerBug, 'fenceAfterMs'>): Config {
  const config = readConfig({ home }, {})
  if (fenceAfterMs !== undefined) config.coordination.worker.fenceAfterMs = fenceAfterMs
  return config
}
const subjects = subjectsOf(CLUSTER)

/** @param last number of the moment at which it dies; absent: it does not */
export function openEngineLife(machine: EngineMachine, last: number | undefined): EngineLife {
  const { world, disk, ahead, home } = machine
  const moments = openMoments(world.clock, last)
  const { clock } = moments
  const store = memoryStore(disk, moments)
  let end: Bus | undefined
  const life: EngineLife = {
    moments,
    store,
    isReady: false,
    end() {
      moments.end()
      void end?.close()
    }
  }
  const fault = (error: unknown) => void (moments.alive && world.fault(error))
  world.counts.engines++
  open().catch(fault)
  return life

  async function open(): Promise<void> {
    await Promise.resolve() // the caller has it by then
    const left = leftIn(ahead)
    if (left.length > 0) await commit(store, left, { again: true })
    emptyAhead(ahead, clock.now())
    world.rules.runs.reopened(store, false)
    const onlooker = {
      ...moments,
      get alive() {
        return moments.alive
      },
      tell: (news: () => void) => news(),
      now: clock.now
    }
    const system = openSystem({
      ...simulatedParts(home, clock, [machine.processes.executorFor(onlooker)], fault),
      logs: { write: () => {}, flushed: async () => {} },
      store,
      ahead: memoryAhead(ahead, disk, moments, machine.committed),
      capture: machine.processes.captureFor(onlooker),
      fleet: { lease: leaseAfter(store) }
    })
    life.system = system
    const recovered = system.recover()
    const note = (message: string, fields?: object) => fault(`${message} ${JSON.stringify(fields ?? {})}`)
    const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: note }
    const parts = { config: machine.config, clock, log, store, openBus: busOf } as unknown as EngineParts // all that the bus needs
    const oneByOne = oneAtATime()
    life.bus = await openBus(parts, {
      ...system,
      // As the engine does: of a run that has ended, one thing changes after the other.
      noteLateEnd: (late) => oneByOne.take(late.key.name, () => system.noteLateEnd(late))
    })
    await recovered
    life.isReady = true
  }
  function busOf(): Bus {
    end = world.net.open('engine', {
      after: clock.after,
      receive: (deliver) => moments.alive && deliver()
    })
    const { hear, ask } = end
    const said = (text: string) => world.bug.said?.(text) ?? text
    return Object.assign(Object.create(end), {
      ask: (subject: string, text: string, withinMs: number) => ask(subject, said(text), withinMs),
      hear: (pattern: string, listen: Parameters<Bus['hear']>[1]) =>
        hear(pattern, (heard) => {
          const subject = world.bug.subject?.(heard) ?? heard.subject
          const from = subjects.read(subject)
          if (from?.kind === 'beat' || from?.kind === 'hello') world.rules.heard(from.home)
          listen({ ...heard, subject, answer: (text) => heard.answer(said(text)) })
        })
    })
  }
}
