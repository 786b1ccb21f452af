/** The program that `sending.ts` starts: takes one backup, writes its archive to stdout and removes it. */
import { lstatSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../clock.ts'
import { messageOf, TroupeError } from '../errors.ts'
import { archiveOf } from './archive.ts'
import { holderOf, partsOf, takeBackup } from './backup.ts'
import { filesBelow, removeBegun } from './files.ts'
import type { SendAnswer, SendOrder } from './sending.ts'

const MIB = 1024 ** 2
/** With less than this, the engine is about to stall. */
const LEFT_BYTES = 64 * MIB

process.once('message', async (order: SendOrder) => {
  const { folder } = order
  const remove = () => {
    removeBegun(`${folder}.unfinished`)
    removeBegun(folder)
  }
  // The server is gone.
  process.once('disconnect', () => {
    remove()
    process.exit(1)
  })
  try {
    remove() // of a machine that lost its power meanwhile
    refuseInside(order)
    refuseFullDisk(order)
    const { places, version, withLogs } = order
    await takeBackup(places, systemClock, folder, { version, withLogs })
  } catch (error) {
    remove()
    if (!(error instanceof TroupeError)) throw error
    tell({ refusal: { code: error.code, message: error.message } })
    return
  }
  process.send?.({ taken: true } satisfies SendAnswer)
  try {
    await pipeline(Readable.from(archiveOf(folder), { objectMode: false }), process.stdout)
  } catch (error) {
    process.stderr.write(messageOf(error))
    process.exitCode = 1
  }
  process.removeAllListeners('disconnect')
  remove()
  process.disconnect?.()
})

function tell(answer: SendAnswer): void {
  process.removeAllListeners('disconnect')
  process.send?.(answer, () => process.disconnect())
}

/** @throws TroupeError bad_request: the copy would contain itself */
function refuseInside({ places, folder }: SendOrder): void {
  const holder = holderOf(places, folder)
  if (holder === undefined) return
  throw new TroupeError(
    'bad_request',
    `the store of that server is in ${holder}, which is copied, so a copy beside it would contain itself: run troupe backup there, to a folder outside of it`
  )
}

/** The copy is beside the store: it must not take what the engine needs. @throws TroupeError service_unavailable */
function refuseFullDisk({ places, withLogs }: SendOrder): void {
  const { bavail, bsize } = statfsSync(places.dataDir)
  const free = bavail * bsize
  const needed = LEFT_BYTES + partsOf(places, withLogs).reduce((sum, part) => sum + bytesIn(part), 0)
  if (needed <= free) return
  const mib = (bytes: number) => Math.ceil(bytes / MIB)
  throw new TroupeError(
    'service_unavailable',
    `a copy of the home needs ${mib(needed)} MiB on the disk of its store, and ${mib(free)} MiB are free: free some, leave the logs out, or run troupe backup there, to another disk`
  )
}

function bytesIn(part: string): number {
  const stat = lstatSync(part, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat?.size ?? 0
  const sizeOf = (path: string) => lstatSync(join(part, path), { throwIfNoEntry: false })?.size ?? 0
  return filesBelow(part).reduce((sum, path) => sum + sizeOf(path), 0)
}
