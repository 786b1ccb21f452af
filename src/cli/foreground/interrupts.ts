/** Ctrl-C and SIGTERM as promises. */
import type { CliContext } from '../context.ts'

export interface Interrupts {
  /** Resolves at the next one. */
  next(): Promise<void>
  /** Stops listening: from now on they end the process again. */
  end(): void
}

/** A package runner forwards the signal that the terminal has sent already: two within this time count as one. */
const SAME_MS = 300

// D401: SIGTERM counts as an interrupt
export function interruptsOf({ onSignal, clock }: Pick<CliContext, 'onSignal' | 'clock'>): Interrupts {
  let waiting: (() => void)[] = []
  let lastAt = Number.NEGATIVE_INFINITY
  const end = onSignal(() => {
    if (clock.elapsed() - lastAt < SAME_MS) return
    lastAt = clock.elapsed()
    const called = waiting
    waiting = []
    for (const resolve of called) resolve()
  })
  return { next: () => new Promise((resolve) => void waiting.push(resolve)), end }
}
