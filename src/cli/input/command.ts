/** Types of commands, their flags and their arguments. */
import type { CliContext } from '../context.ts'
import type { OperandForm } from './operands.ts'

export interface Flag {
  name: string
  short?: string
  /** Placeholder of its value; absent: a switch. */
  value?: string
  /** An empty value is allowed. */
  mayBeEmpty?: true
  /** Two of it are an error, as one would be lost; of other flags the last one counts, so that a script can be overridden. */
  once?: true
  /** Each of several counts: they are the lines of its value. */
  several?: true
  help: string
  /** Another spelling. */
  alias?: string
}

/** Arguments of a command, checked against its flags. */
export interface Arguments {
  /** The first operand; empty: none. */
  operand: string
  /** All operands: the command says what each of them is. */
  operands: readonly string[]
  /** The words after `--`. */
  words: string[]
  /** Values by flag. */
  text: Readonly<Partial<Record<string, string>>>
  /** Switches that are on. */
  on: ReadonlySet<string>
}

export interface CommandModule {
  /** Does the work and resolves with the exit code. */
  run(args: Arguments, context: CliContext): Promise<number>
}

export interface Command {
  name: string
  summary: string
  /** The operand that the command takes; in brackets: optional. */
  operand?: OperandForm
  /** Takes words after `--`. */
  words?: true
  /** Whether it works with `--url`, too: on a server elsewhere. A sentence: it does not, and this helps. */
  elsewhere: true | string
  flags: Flag[]
  /** A call that works as written. */
  example: string
  /** Absent: done by the dispatcher itself. */
  load?: () => Promise<CommandModule>
}
