/** Types of commands, their flags and their arguments. */
import type { CliContext } from '../context.ts'

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
  /** The definition (path or name), the queue or the folder; empty: none. */
  operand: string
  /** All operands, of a command that takes several. */
  operands: readonly string[]
  /** A step of the requested run, the run that it is compared with, or the worker that something is asked of; empty: none. */
  step: string
  /** What is sent to that step, as JSON; empty: nothing. */
  payload: string
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
  operand?:
    | 'FILE|NAME'
    | '[FILE|NAME]'
    | 'NAME|RUN [STEP...]'
    | 'NAME'
    | '[NAME]'
    | '[RUN]'
    | 'SHELL'
    | 'RUN [RUN]'
    | 'NAME|RUN STEP'
    | 'NAME|RUN STEP [JSON]'
    | '[QUEUE]'
    | 'DIR'
    | '[drain|undrain|enroll|revoke ID]'
    | '[retry|remove TARGET [ID]]'
    | '[FILES]'
    | 'dagu|crontab [FILE]'
    | 'create|revoke NAME'
    | '[verify [FILE]]'
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
