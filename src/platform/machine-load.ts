/** How busy the machine is: shares in percent, 0 to 100, with one digit after the point. */
import { statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'

export interface CpuTimes {
  busy: number
  all: number
}

/** Times of all processors together, since boot. */
export function cpuTimes(): CpuTimes {
  let idle = 0
  let all = 0
  for (const { times } of cpus()) {
    idle += times.idle
    all += times.user + times.nice + times.sys + times.idle + times.irq
  }
  return { busy: all - idle, all }
}

/** Undefined: the counters have not moved. */
export const busyShare = (from: CpuTimes, to: CpuTimes): number | undefined =>
  to.all > from.all ? percent(to.busy - from.busy, to.all - from.all) : undefined

export const memoryShare = (): number => percent(totalmem() - freemem(), totalmem())

/** The file system with a folder: its bytes, and those that are left for a user; undefined: it cannot be asked. */
export async function diskBytes(folder: string): Promise<{ all: number; free: number } | undefined> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder)
    return { all: blocks * bsize, free: bavail * bsize }
  } catch {
    return undefined
  }
}

export const freeBytes = async (folder: string): Promise<number | undefined> => (await diskBytes(folder))?.free

/** How full the file system with a folder is, percent; undefined: it cannot be asked. */
export async function diskShare(folder: string): Promise<number | undefined> {
  try {
    const { blocks, bfree, bavail } = await statfs(folder)
    const used = blocks - bfree
    return percent(used, used + bavail) // as `df` computes it: without the space reserved for root
  } catch {
    return undefined
  }
}

const percent = (part: number, whole: number): number =>
  whole > 0 ? Math.round(Math.min(100, Math.max(0, (part / whole) * 100)) * 10) / 10 : 0
