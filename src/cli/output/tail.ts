/** The last lines of what is there, as `tail -n` has them; what comes later passes. */
import type { Listener, OutputStep, Stream } from './listener.ts'

interface Line {
  of: OutputStep
  stream: Stream
  text: string
  second: number | undefined
}

/** @returns `pass` is called when all that is there has been told */
export function tailOf(count: number, tell: Listener['lines']): { lines: Listener['lines']; pass(): Promise<void> } {
  let kept: Line[] | undefined = []
  return {
    async lines(of, stream, lines, seconds) {
      if (!kept) return tell(of, stream, lines, seconds)
      for (const [at, text] of lines.entries()) kept.push({ of, stream, text, second: seconds?.[at] })
      if (kept.length > 2 * count) kept = kept.slice(-count)
    },
    async pass() {
      const last = kept?.slice(-count) ?? []
      kept = undefined
      for (const { of, stream, text, second } of last) await tell(of, stream, [text], [second])
    }
  }
}
