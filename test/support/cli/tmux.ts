/** A terminal of a given size, by tmux: what is on its screen, and keys for what runs in it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'

const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0

/** A suite that wants tmux: skipped, to be seen, where there is none. */
export const describeTmux = (title: string, tests: (this: Mocha.Suite) => void) =>
  (HAS_TMUX ? describe : describe.skip)(title, tests)

export interface Tmux {
  /** Lines of the screen, without blanks at their ends. */
  screen(): string[]
  /** The screen with the escape sequences of its colours. */
  styled(): string
  /** Resolves with the screen as soon as it has what is looked for. @throws Error with the last screen */
  shows(what: string | RegExp): Promise<string>
  /** Names of keys as tmux has them, such as `Enter`, `C-c`, `q`. */
  keys(...keys: string[]): void
  resize(columns: number, rows: number): void
  /** A value of tmux about it, such as `#{alternate_on}`. */
  value(format: string): string
  end(): void
}

/** A shell with a prompt of `$ ` in a server of its own. @param environment of the shell */
export function openTmux(
  { columns, rows }: { columns: number; rows: number },
  environment: Record<string, string> = {}
): Tmux {
  const folder = temporaryFolder()
  const socket = join(folder, 's')
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    PS1: '$ ',
    ...environment
  }
  const tmux = (...argv: string[]) =>
    execFileSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...argv], { env, encoding: 'utf8' })
  tmux('new-session', '-d', '-s', 't', '-x', String(columns), '-y', String(rows), 'exec sh')
  tmux('set-option', '-g', 'status', 'off')
  tmux('resize-window', '-t', 't', '-x', String(columns), '-y', String(rows))
  const screen = () => tmux('capture-pane', '-p', '-t', 't').split('\n').slice(0, -1)
  return {
    screen,
    styled: () => tmux('capture-pane', '-p', '-e', '-t', 't'),
    async shows(what) {
      try {
        return await eventually(`the screen shows ${what}`, () => {
          const text = screen().join('\n')
          return (typeof what === 'string' ? text.includes(what) : what.test(text)) ? text : undefined
        })
      } catch (error) {
        throw new Error(`${(error as Error).message}; it shows\n${screen().join('\n')}`, { cause: error })
      }
    },
    keys: (...keys) => void tmux('send-keys', '-t', 't', ...keys),
    value: (format) => tmux('display-message', '-p', '-t', 't', format).trimEnd(),
    resize: (columns, rows) => void tmux('resize-window', '-t', 't', '-x', String(columns), '-y', String(rows)),
    end: () => void spawnSync('tmux', ['-S', socket, 'kill-server'], { env })
  }
}
