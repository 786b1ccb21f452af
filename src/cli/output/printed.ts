/** Writes the lines of steps to stdout. */
import type { Output } from '../context.ts'
import { plain, type Style } from '../view/paint.ts'
import type { Listener, OutputStep, Stream } from './listener.ts'

export interface PrintOptions {
  paint?: (style: Style | undefined, text: string) => string
  /** Puts the time of each line in front: text of an instant, epoch ms. */
  time?: ((at: number) => string) | undefined
  /** Lines have no name in front. */
  isBare?: boolean
  /** Epoch ms, of lines that have just been written. */
  now?(): number
}

/** Colours of names, one after the other; red is for stderr. */
const COLOURS: readonly Style[] = ['cyan', 'green', 'magenta', 'yellow', 'blue']

/** Such as `build | 12 files`. On a terminal each step has a colour, and what is on stderr a red bar. */
export function printed(out: Output, { paint = plain, time, isBare = false, now }: PrintOptions = {}): Listener {
  const colours = new Map<string, Style | undefined>()
  const colourOf = (label: string) => {
    if (!colours.has(label)) colours.set(label, COLOURS[colours.size % COLOURS.length])
    return colours.get(label)
  }
  const nameOf = ({ label }: OutputStep, stream: Stream) =>
    isBare ? '' : `${paint(colourOf(label), label)} ${paint(stream === 'stderr' ? 'red' : undefined, '|')} `
  return {
    lines(of, stream, lines, seconds) {
      const name = nameOf(of, stream)
      if (isBare && !time) return write(out, lines)
      const timeOf = (index: number) => {
        if (!time) return ''
        const at = seconds ? msOf(seconds[index]) : now?.()
        const text = at === undefined ? '' : time(at)
        return paint('faint', `${text.padEnd(UNKNOWN.length)} `)
      }
      return write(
        out,
        lines.map((line, index) => `${timeOf(index)}${name}${line}`.trimEnd())
      )
    }
  }
}

/** As wide as a time. */
const UNKNOWN = '00:00:00'

/** One JSON object per line, texts exactly as written; `at` is the second, empty if that is unknown. */
export const jsonLines = (out: Output, now: () => number): Listener => ({
  lines: ({ run: { name, dagRunId }, step, label }, stream, lines, seconds) =>
    write(
      out,
      lines.map((text, index) => {
        const at = seconds ? msOf(seconds[index]) : now()
        return JSON.stringify({ name, dagRunId, step, label, stream, at: at === undefined ? '' : textOf(at), text })
      })
    )
})

const msOf = (second: number | undefined) => (second === undefined ? undefined : second * 1000)
const textOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

async function write(out: Output, lines: string[]): Promise<void> {
  out.write(lines.map((line) => `${line}\n`).join(''))
  await out.drained?.()
}
