/** Lines at the end of a terminal that are redrawn in place. The cursor is hidden meanwhile. */
import type { Output } from '../context.ts'
import { visibleLine } from './text.ts'

const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'
const CLEAR_LINE = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'

export interface LiveRegion {
  draw(lines: readonly string[]): void
  /** Removes the lines and shows the cursor. Idempotent. */
  end(): void
}

/** @param out where control sequences pass */
export function liveRegion(out: Output): LiveRegion {
  let drawn: readonly string[] | undefined
  return {
    draw(lines) {
      if (drawn && sameLines(drawn, lines)) return
      out.write(`${drawn ? '' : HIDE_CURSOR}${repaint(drawn?.length ?? 0, lines)}`)
      drawn = lines
    },
    end() {
      if (!drawn) return
      out.write(`${repaint(drawn.length, [])}${SHOW_CURSOR}`)
      drawn = undefined
    }
  }
}

/** Replaces `before` lines above the cursor by `lines`, in one write, so that nothing flickers. */
export const repaint = (before: number, lines: readonly string[]): string =>
  `${before > 0 ? `\x1b[${before}A` : ''}\r${lines.map((line) => `${visibleLine(line)}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`

const sameLines = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((line, index) => line === b[index])
