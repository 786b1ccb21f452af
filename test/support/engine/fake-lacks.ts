/** What a made-up engine has none of: facts of runs, API keys, targets of `notify`, workers. */
import type { Engine } from '../../../src/engine/engine.ts'
import { TroupeError } from '../../../src/errors.ts'

const unknown = (): never => {
  throw new TroupeError('not_found', 'a made-up engine knows no facts')
}
export const noFacts: Engine['facts'] = {
  charts: () => [],
  chart: unknown,
  run: unknown,
  preview: unknown,
  events: unknown,
  explain: unknown,
  explainDefinition: unknown,
  sequence: unknown,
  decisions: () => ({ decisions: [] })
}

/** A home without API keys, in which none can be made. */
export const noKeys: Engine['keys'] = {
  all: () => [],
  make: async () => {
    throw new TroupeError('service_unavailable', 'no key can be made')
  },
  revoke: async (name) => {
    throw new TroupeError('not_found', `there is no key named ${name}`)
  },
  keyOf: () => undefined,
  whileGood: () => () => {}
}

const noTarget = async (target: string): Promise<never> => {
  throw new TroupeError('not_found', `notify has no target named ${target}`)
}
export const noDeliveries: Pick<Engine, 'deliveries' | 'targets' | 'retryDeliveries' | 'removeDeliveries'> = {
  deliveries: () => ({ deliveries: [] }),
  targets: () => [],
  retryDeliveries: noTarget,
  removeDeliveries: noTarget
}

const noCoordinator = async (): Promise<never> => {
  throw new TroupeError('service_unavailable', 'no coordinator is running')
}
export const noWorkers: Pick<Engine, 'workers' | 'drainWorker' | 'bus'> = {
  workers: noCoordinator,
  drainWorker: noCoordinator,
  bus: async () => undefined
}
