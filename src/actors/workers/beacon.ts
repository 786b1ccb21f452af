/** The engine says each second that it is there, and hears whether another one says so in the same cluster. Source: distribution 2, 3. */
import type { Bus } from '../../bus/bus.ts'
import { BEAT_MS, beaconIn, subjectsOf, written } from '../../bus/messages.ts'
import { Unreadable } from '../../bus/readers.ts'
import type { Clock } from '../../clock.ts'
import type { EngineIdentity } from '../../store/tables/workers.ts'

export interface BeaconParts {
  bus: Bus
  clock: Clock
  engine: EngineIdentity
  version: string
  /** First word of the subjects, by which engines on one bus are told apart. */
  cluster: string
  /** Whether there is another engine has changed. */
  rivalChanged?(): void
}

export interface Beacon {
  /** Another engine that uses the same cluster, as a sentence; undefined: there is none. */
  rival(): string | undefined
  close(): void
}

/** An engine that has not been heard for so long is gone. */
const GONE_MS = 5_000

export function openBeacon({ bus, clock, engine, version, cluster, rivalChanged }: BeaconParts): Beacon {
  const { engine: subject } = subjectsOf(cluster)
  const beacon = written({ kind: 'engine', engine: engine.id, epoch: engine.epoch, version })
  let rival: { id: string; heardAt: number } | undefined
  const unhear = bus.hear(subject, ({ text }) => {
    try {
      const { engine: id } = beaconIn(text)
      if (id !== engine.id) rival = { id, heardAt: clock.elapsed() }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error // whoever says that is no engine
    }
  })
  let cancel = () => {}
  let hadRival = false
  const isRivalled = () => rival !== undefined && clock.elapsed() - rival.heardAt < GONE_MS
  const tell = () => {
    bus.tell(subject, beacon)
    if (isRivalled() !== hadRival) {
      hadRival = !hadRival
      rivalChanged?.()
    }
    cancel = clock.after(BEAT_MS, tell)
  }
  tell()
  return {
    rival: () =>
      rival && isRivalled()
        ? `two engines use the cluster ${cluster} of one bus, this one and that with the id ${rival.id}: give one of them another coordinator.cluster`
        : undefined,
    close() {
      cancel()
      unhear()
    }
  }
}
