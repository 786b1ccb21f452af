/** A thread that takes the lock of a folder when all are told to, again and again. */
import { parentPort, workerData } from 'node:worker_threads'
import { TroupeError } from '../../../src/errors.ts'
import { takeLockFile } from '../../../src/store/disk/lock-file.ts'

export interface Race {
  /** Paths of the locks, one for each round. */
  paths: readonly string[]
  /** Of an `Int32Array`: how many racers have come to each round. */
  come: SharedArrayBuffer
  racers: number
}

const { paths, come, racers }: Race = workerData
const here = new Int32Array(come)
const said = paths.map((path, round) => {
  // All begin in the same moment.
  if (Atomics.add(here, round, 1) === racers - 1) Atomics.notify(here, round)
  for (let come = Atomics.load(here, round); come < racers; come = Atomics.load(here, round))
    Atomics.wait(here, round, come, 1)
  try {
    takeLockFile(path, () => new TroupeError('service_unavailable', 'held'))
    return 'taken'
  } catch (error) {
    return error instanceof TroupeError ? 'refused' : String(error)
  }
})
parentPort?.postMessage(said)
