/** Whatever the benchmark makes, it removes: at the end, on an error and on Ctrl-C. Everything here is synchronous. */
import { constants } from 'node:os'

const undos = new Set<() => void>()

/** Registers how to remove what has just been made. Returns the function that removes it now. */
export function removedAtTheEnd(undo: () => void): () => void {
  undos.add(undo)
  return () => {
    if (undos.delete(undo)) undo()
  }
}

/** Makes sure that everything registered is removed, latest first, however this process ends, short of SIGKILL. */
export function leaveNothingBehind(): void {
  process.once('exit', () => {
    for (const undo of [...undos].reverse()) {
      try {
        undo()
      } catch (cause) {
        console.error('left behind:', cause)
      }
    }
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
}
