/** Reads the numbers of an engine about itself when somebody asks; nothing is kept for them. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { diskBytes } from '../platform/machine-load.ts'
import { runRecord } from '../store/history.ts'
import type { EngineParts } from './engine-parts.ts'
import type { Metering } from './metering.ts'
import type { OwnedHome } from './owned-home.ts'

/** As `stat` counts them, whatever the blocks of the file system are. */
const BLOCK_BYTES = 512

export function meteringOf(
  { config: { dataDir }, clock, store }: Pick<EngineParts, 'config' | 'clock' | 'store'>,
  { system, measured: { meters, launcher } }: Pick<OwnedHome, 'system'> & Required<Pick<OwnedHome, 'measured'>>
): Metering {
  const sizeOf = (name: string): Promise<number | undefined> =>
    stat(join(dataDir, name)).then(
      ({ blocks }) => blocks * BLOCK_BYTES,
      () => undefined
    )
  return {
    listen: meters.listen,
    tell: meters.tell,
    async read() {
      const [whole, ahead, disk] = await Promise.all([sizeOf('troupe.mdb'), sizeOf('write-ahead'), diskBytes(dataDir)])
      const now = clock.now()
      const queues = system.queueLengths().map(({ first, ...queue }) => {
        const { queuedAt: since, notBefore = 0 } = (first && runRecord(store, first)) ?? {}
        return { ...queue, waitedMs: since === undefined ? 0 : Math.max(0, now - Math.max(since, notBefore)) }
      })
      return {
        files: {
          ...(whole === undefined ? {} : { store: whole }),
          ...(ahead === undefined ? {} : { write_ahead: ahead })
        },
        ...(disk ? { disk } : {}),
        launcher: launcher.load,
        queues
      }
    }
  }
}
