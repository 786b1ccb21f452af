/** Writes the lines of steps to stdout. */
import type { Output } from '../context.ts'
import type { Listener } from './listener.ts'

/** Such as `build | 12 files`. */
export const printed = (out: Output): Listener => ({
  lines: ({ label }, _stream, lines) =>
    write(
      out,
      lines.map((line) => `${label} | ${line}`.trimEnd())
    )
})

/** Lines of a single step, exactly as written. */
export const plainLines = (out: Output): Listener => ({ lines: (_of, _stream, lines) => write(out, lines) })

/** One JSON object per line, texts exactly as written. */
export const jsonLines = (out: Output): Listener => ({
  lines: ({ run: { name, dagRunId }, step, label }, stream, lines) =>
    write(
      out,
      lines.map((text) => JSON.stringify({ name, dagRunId, step, label, stream, text }))
    )
})

async function write(out: Output, lines: string[]): Promise<void> {
  out.write(lines.map((line) => `${line}\n`).join(''))
  await out.drained?.()
}
