/** The events of a run, each once. */
import type { EngineEvent } from '../../engine/engine.ts'

export type Listen = (event: EngineEvent) => void

/** Passes each event on once: their numbers ascend. */
export interface Hearing {
  /** Number of the last event that was passed on; undefined: none, and earlier ones are not wanted. */
  readonly last: number | undefined
  hear: Listen
}

export function hearing(listen: Listen, last?: number): Hearing {
  return {
    get last() {
      return last
    },
    hear(event) {
      if (last !== undefined && event.seq <= last) return
      last = event.seq
      listen(event)
    }
  }
}
