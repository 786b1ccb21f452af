/** How busy the machine of a worker is, for its heartbeats. */
import { busyShare, cpuTimes, diskShare, memoryShare } from '../platform/machine-load.ts'

/** Shares in percent; absent: not known. */
export interface Load {
  cpu?: number
  mem?: number
  disk?: number
}

/** Each call has the processors' share since the call before. @param folder on the disk that is looked at */
export function loadMeter(folder: string): () => Load {
  let before = cpuTimes()
  let disk: number | undefined
  let isLooking = false
  /** A file system that hangs must hold up no heartbeat: what it said last counts. */
  async function lookAtDisk(): Promise<void> {
    if (isLooking) return
    isLooking = true
    disk = await diskShare(folder)
    isLooking = false
  }
  void lookAtDisk()
  return () => {
    const now = cpuTimes()
    const cpu = busyShare(before, now)
    before = now
    void lookAtDisk()
    return { mem: memoryShare(), ...(cpu === undefined ? {} : { cpu }), ...(disk === undefined ? {} : { disk }) }
  }
}
