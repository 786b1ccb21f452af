/** Who is told what steps print. */
import type { RunKey } from '../../../machines/vocabulary.ts'

/** A step of a run or of one below it. */
export interface OutputStep {
  run: RunKey
  step: string
  /** How it is called from the run on top, such as `build/compile`, or `deploy#2/copy` in the second run of a `parallel`. */
  label: string
  /** The step of the run on top that it belongs to. */
  top: string
}
export type Stream = 'stdout' | 'stderr'

export interface Listener {
  /** Lines of one stream, harmless for a terminal. Resolves when there is room for more. */
  lines(of: OutputStep, stream: Stream, lines: string[]): Promise<void>
  /** The line that a step has begun and not ended, when it changes; empty: none. */
  open?(of: OutputStep, stream: Stream, line: string): void
}
