/** The receiver of what steps print. */
import type { RunKey } from '../../../machines/vocabulary.ts'

/** A step of a run or of one of its sub DAG runs. */
export interface OutputStep {
  run: RunKey
  step: string
  /** Label of the run below the root run, such as `build/compile`, or `deploy#2/copy` in the second run of a `parallel`. */
  label: string
  /** The step of the root run that it belongs to. */
  top: string
}
export type Stream = 'stdout' | 'stderr'

export interface Listener {
  /**
   * Lines of one stream, harmless for a terminal. Resolves when it can take more.
   * @param seconds since the epoch in which they were begun, undefined where that is unknown; absent: they have just been written
   */
  lines(of: OutputStep, stream: Stream, lines: string[], seconds?: readonly (number | undefined)[]): Promise<void>
  /** The unfinished line of a step, when it changes; empty: none. */
  open?(of: OutputStep, stream: Stream, line: string): void
}
