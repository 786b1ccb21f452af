/** What is stored of workers, and who the engine is to them. Source: distribution 2, 4. */
import type { Clock } from '../../clock.ts'
import { inTransaction } from '../commit.ts'
import { readRange } from '../damage/damaged.ts'
import type { Store } from '../open.ts'
import type { StoredWorker } from '../stored.ts'
import { isWorker } from '../stored.ts'

/** Workers by home. An entry that cannot be read is left out: that worker is known again when it says hello. */
export const workersIn = (store: Store): { home: string; worker: StoredWorker }[] =>
  readRange(store.workers, {}, isWorker).map(({ key: home, value: worker }) => ({ home, worker }))

/** Undefined: it is not known, or its entry cannot be read. */
export function workerAt(store: Store, home: string): StoredWorker | undefined {
  const [found] = readRange(store.workers, { start: home, limit: 1 }, isWorker)
  return found?.key === home ? found.value : undefined
}

/** Resolves when that is stored. @param worker absent: it is forgotten */
export const keepWorker = (store: Store, home: string, worker: StoredWorker | undefined): Promise<void> =>
  inTransaction(store, () => void (worker ? store.workers.put(home, worker) : store.workers.remove(home)))

/** `epoch` counts the starts of the engine: a worker that has heard a higher one does not obey a lower one. */
export interface EngineIdentity {
  id: string
  epoch: number
}

/** Resolves when the new epoch is on disk. */
export async function beginEpoch(store: Store, clock: Pick<Clock, 'random'>): Promise<EngineIdentity> {
  const { meta, root } = store
  const known = meta.get('engine') ?? Buffer.from(clock.random(6)).readUIntBE(0, 6)
  const epoch = (meta.get('epoch') ?? 0) + 1
  await inTransaction(store, () => {
    meta.put('engine', known)
    meta.put('epoch', epoch)
  })
  await root.flushed
  return { id: known.toString(16).padStart(12, '0'), epoch }
}

/** Placements of one start of the engine: no lease of an earlier start is as great as one of a later. */
const LEASES_OF_AN_EPOCH = 1e9

/** The lease after which those of this start of the engine begin, whose epoch has not begun yet. */
export const leaseAfter = ({ meta }: Store): number => ((meta.get('epoch') ?? 0) + 1) * LEASES_OF_AN_EPOCH
