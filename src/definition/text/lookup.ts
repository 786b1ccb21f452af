/** The context of expansion. Source: execution-semantics 3.1-3.4. */
import type { ShellReader } from '../shell/shell.ts'

/** Where a reference finds its value. */
export interface Lookup {
  /** Value of a variable, or undefined. */
  variable(name: string): string | undefined
  /** Value of a variable that is otherwise left to the shell: for a path into its JSON, which no shell can follow. */
  whole?(name: string): string | undefined
  /** A step that is referenced by id, once it has started; undefined otherwise. Paths of its logs; exitCode as decimal text. */
  step?(id: string): StepValues | undefined
  /**
   * Runs a backtick command; resolves with its trimmed stdout.
   * @throws Error `failed to execute command "<cmd>": exit status <n>` + stderr
   */
  substitute?(command: string): Promise<string>
  /** The reader of a backtick command, with the variables in its environment; default: `shell`. */
  substitutesBy?: ShellReader
  /**
   * Whether the value of a variable is data: it was not written by the author of the definition, or depends on something
   * that was not. The output of a backtick command is data, too. Absent: unknown.
   */
  isData?(name: string): boolean
  /** Data is put into commands like the author's text (`shellExpansion: text`). It still counts as data for what receives it. */
  asText?: boolean
  /** Whether a shell with the environment finds this value in the variable. */
  isExported?(name: string, value: string): boolean
  /**
   * Whether a value holds a secret. It is never put into a command line or script, which others could read: a sh-like
   * shell finds the variable in its environment.
   */
  isSecret?(value: string): boolean
  /** One sentence for the run log. It never holds a value. */
  warn?(message: string): void
}

export interface StepValues {
  stdout?: string
  stderr?: string
  exitCode?: string
}

/** A secret would be in a text that others can read. @param written the reference, never its value */
export const secretInText = (written: string): Error =>
  new Error(
    `${written} holds a secret, which cannot be put into a command line or script: set an \`env\` entry of the step to it, and read that variable`
  )
