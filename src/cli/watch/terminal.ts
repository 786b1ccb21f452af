/** The terminal of the overview: its alternate screen, its keys and its size; it is left as it was found. */
import type { CliContext } from '../context.ts'
import { visibleLine } from '../view/text.ts'

export interface Terminal {
  readonly columns: number
  readonly rows: number
  /** Shows these lines, as many as there are rows. */
  draw(lines: readonly string[]): void
  /** Leaves it as it was. */
  close(): void
}

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[2J'
const LEAVE = '\x1b[?25h\x1b[?1049l'
/** What terminals send for keys, by name. */
const KEYS: Readonly<Record<string, string>> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b[H': 'home',
  '\x1b[F': 'end',
  '\x1b[1~': 'home',
  '\x1b[4~': 'end',
  '\r': 'enter',
  '\n': 'enter',
  '\x1b': 'escape',
  '\x03': 'ctrl-c',
  '\x1a': 'ctrl-z'
}
/** A sequence of a terminal, or one character. */
const KEY = /\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])|[\s\S]/gu

/** @param heard told the name of each key, or its character @param resized told when the size is another one */
export function openTerminal(
  { verbatim: out, onExit }: Pick<CliContext, 'verbatim' | 'onExit'>,
  heard: (key: string) => void,
  resized: () => void
): Terminal {
  const { stdin, stdout } = process
  let shown: readonly string[] = []
  let isOpen = false
  const enter = () => {
    isOpen = true
    shown = []
    out.write(ENTER)
    stdin.setRawMode?.(true)
  }
  const leave = () => {
    if (!isOpen) return
    isOpen = false
    stdin.setRawMode?.(false)
    // At once: the process may be ending.
    stdout.write(LEAVE)
  }
  const suspend = () => {
    leave()
    process.once('SIGCONT', () => {
      enter()
      resized()
    })
    process.kill(process.pid, 'SIGTSTP')
  }
  const read = (data: string) => {
    for (const [key] of data.matchAll(KEY)) {
      const name = KEYS[key] ?? key
      if (name === 'ctrl-z') suspend()
      else heard(name)
    }
  }
  const grown = () => {
    shown = []
    out.write('\x1b[2J')
    resized()
  }
  enter()
  const forget = onExit(leave)
  stdin.setEncoding('utf8').on('data', read).resume()
  stdout.on('resize', grown)
  return {
    get columns() {
      return out.columns || 80 // some pseudo-terminals say 0
    },
    get rows() {
      return out.rows || 24
    },
    draw(lines) {
      if (!isOpen) return
      const changed = lines.flatMap((line, at) =>
        line === shown[at] ? [] : [`\x1b[${at + 1};1H${visibleLine(line)}\x1b[K`]
      )
      shown = [...lines]
      if (changed.length > 0) out.write(changed.join(''))
    },
    close() {
      stdin.off('data', read).pause()
      stdout.off('resize', grown)
      leave()
      forget()
    }
  }
}
