/** What breaks between an engine and its workers, one thing or several at once, and is mended within seconds. Source: distribution 7. */
import type { Random } from '../../support/random.ts'
import { BEHIND_PROXY, type Cluster, WORKERS } from './cluster.ts'
import { LINK_FAULTS } from './link.ts'

/** Everybody is away for less than `worker.lostAfter` (30 s), with what it takes to come back. */
const LONGEST_AWAY_MS = 3_000
const LONGEST_SILENCE_MS = 8_000

export interface Fault {
  name: string
  /** Breaks it now; resolves when it is mended. */
  happens(): Promise<void>
}

/** What happens in a cycle: each kind comes once before one comes again. Those of one cycle begin together. */
export interface Faults {
  next(): Fault[]
}

/** @param between done to the home of what was killed @param kills only this */
export function openFaults(
  cluster: Cluster,
  random: Random,
  { between = () => {}, kills }: { between?: (home: string) => void; kills?: 'workers' | 'engine' }
): Faults {
  const one = () => random.pick(WORKERS)
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const awayMs = () => 50 + random.below(LONGEST_AWAY_MS - 50)
  const silentMs = () => 1_000 + random.below(LONGEST_SILENCE_MS - 1_000)

  const kill = {
    worker(id: string): Fault {
      const ms = awayMs()
      return {
        name: `${id} is killed, for ${ms} ms`,
        async happens() {
          await cluster.killWorker(id)
          between(cluster.homeOf(id))
          await wait(ms)
          cluster.startWorker(id)
        }
      }
    },
    engine(): Fault {
      const ms = awayMs()
      return {
        name: `the engine is killed, for ${ms} ms`,
        async happens() {
          await cluster.killEngine()
          between(cluster.home)
          await wait(ms)
          await cluster.startEngine()
        }
      }
    },
    broker: (): Fault => ({ name: 'the broker is killed', happens: async () => cluster.killBroker() }),
    coordinator(withBroker: boolean): Fault {
      const ms = awayMs()
      return {
        name: `the coordinator${withBroker ? ' and its broker are' : ' is'} killed, for ${ms} ms`,
        async happens() {
          if (withBroker) cluster.killBroker()
          await cluster.killCoordinator()
          await wait(ms)
          await cluster.startCoordinator()
        }
      }
    }
  }
  const frozen = (id: string): Fault => {
    const ms = silentMs()
    return { name: `${id} is frozen for ${ms} ms`, happens: () => cluster.freezeWorker(id, ms) }
  }
  const link = (): Fault => {
    const state = random.pick(LINK_FAULTS)
    const ms = silentMs()
    return {
      name: `the link of ${BEHIND_PROXY} is ${state} for ${ms} ms`,
      async happens() {
        cluster.link.set(state)
        await wait(ms)
        cluster.link.set('open')
      }
    }
  }

  /** The second time while it comes back from the first. */
  const twice = (first: Fault, second: Fault): Fault => ({
    name: `${first.name}, and then ${second.name}`,
    async happens() {
      await first.happens()
      await second.happens()
    }
  })
  const both = (id: string) => twice(kill.worker(id), kill.worker(id))

  if (kills === 'workers') return { next: () => WORKERS.map(kill.worker) }
  if (kills === 'engine') return { next: () => [kill.engine()] }
  const kinds: (() => Fault[])[] = [
    () => [kill.worker(one())],
    () => [kill.engine()],
    () => [kill.broker()],
    () => [kill.coordinator(random.chance(0.5))],
    () => [frozen(one())],
    () => [link()],
    () => [link(), kill.engine()],
    () => [link(), kill.worker(one())],
    () => [frozen(one()), kill.broker()],
    () => [twice(kill.engine(), kill.engine())],
    () => [both(one())],
    () => [...random.shuffled(WORKERS).slice(1).map(kill.worker), kill.engine()],
    () => [...WORKERS.map(kill.worker), kill.engine(), kill.coordinator(true)]
  ]
  let left: typeof kinds = []
  return {
    next() {
      if (left.length === 0) left = random.shuffled(kinds)
      return left.pop()?.() ?? []
    }
  }
}
