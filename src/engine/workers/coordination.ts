/**
 * Opens the bus where there is a coordinator, and only then: before that, nothing of bus and workers is loaded. A coordinator may be
 * started after the engine. Source: distribution 0.4, 8.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { everyNowAndThen } from '../../clock.ts'
import { useOf } from '../../config.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import type { WorkerSeen } from '../../inspect/explain/situation.ts'
import { survived } from '../../log.ts'
import type { EngineParts } from '../engine-parts.ts'
import type { OpenBus, ServedSystem } from './open-bus.ts'
import type { BusView, DrainRequest, WorkersView, WorkerView } from './worker-views.ts'

export interface Coordination {
  /** @throws TroupeError service_unavailable: no bus is configured, or it was never reached */
  workers(): Promise<WorkersView>
  /** @throws TroupeError as `workers`; not_found, already_leaving */
  drainWorker(id: string, request?: DrainRequest): Promise<WorkerView>
  /** Workers, as far as placements depend on them; undefined: there is no bus. */
  seen(): WorkerSeen[] | undefined
  /** Undefined: none is configured. */
  bus(): Promise<BusView | undefined>
  /** Another engine that uses the same cluster, as a sentence; undefined: there is none. */
  rival(): string | undefined
  close(): Promise<void>
}

/** Interval at which a coordinator is looked for. Whoever asks for workers need not wait for it. */
const LOOK_MS = 5_000

const NONE = 'no coordinator is running'

// D995: an engine looks for a coordinator every 5 s, and whenever somebody asks for workers
export function openCoordination(parts: EngineParts, system: ServedSystem): Coordination {
  const { config, log } = parts
  const { coordination } = config
  const use = parts.openBus ? 'wanted' : useOf(coordination)
  const addressFile = join(coordination.registryDir, 'coordinator.json')
  let opening: Promise<OpenBus | undefined> | undefined
  let bus: OpenBus | undefined
  let isClosed = false
  let reported = ''

  async function open(): Promise<OpenBus | undefined> {
    try {
      if (use === 'found' && !(await isAlive(coordination.registryDir))) return undefined
      const { openBus } = await import('./open-bus.ts')
      if (isClosed) return undefined
      bus = await openBus(parts, system)
      return bus
    } catch (error) {
      // Opening is tried again and again.
      if (reported !== messageOf(error)) survived(log, error)
      reported = messageOf(error)
      return undefined
    }
  }
  /** Cheap where there is none: one look at a file. */
  async function look(): Promise<OpenBus | undefined> {
    if (bus || isClosed || use === 'never') return bus
    if (use === 'found' && !existsSync(addressFile)) return undefined
    opening ??= open().finally(() => {
      opening = undefined
    })
    return opening
  }
  const unlook =
    use === 'never'
      ? () => {}
      : everyNowAndThen(LOOK_MS, () => {
          if (bus) unlook()
          else void look()
        })
  void look()

  async function reached(): Promise<OpenBus> {
    const opened = await look()
    if (!opened) throw new TroupeError('service_unavailable', NONE)
    if (opened.wasReached()) return opened
    const { trouble } = opened.view()
    throw new TroupeError('service_unavailable', trouble === '' ? NONE : `${NONE}: ${trouble}`)
  }

  return {
    async workers() {
      const opened = await reached()
      const { connected, trouble } = opened.view()
      const workers = opened.workers()
      return {
        workers,
        errors: [
          ...(connected ? [] : [`the message bus is out of reach: ${trouble}`]),
          ...workers.flatMap(({ id, trouble }) => (trouble === '' ? [] : [`${id} takes no more runs: ${trouble}`]))
        ],
        enrolled: opened.enrolled()
      }
    },
    drainWorker: async (id, request = {}) => (await reached()).drainWorker(id, request),
    seen: () => bus?.seen(),
    bus: async () => (await look())?.view(),
    rival: () => bus?.rival(),
    async close() {
      isClosed = true
      unlook()
      await opening
      await bus?.close()
    }
  }
}

/** The file of a coordinator that was killed stays behind. */
const isAlive = async (registryDir: string): Promise<boolean> =>
  (await import('../../bus/address-file.ts')).coordinatorIn(registryDir) !== undefined
