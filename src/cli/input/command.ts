/** Types of commands, their flags and their arguments. */
import type { Surroundings } from '../surroundings.ts'

export interface Flag {
  name: string
  short?: string
  /** Placeholder of its value; absent: a switch. */
  value?: string
  /** An empty value is one. */
  mayBeEmpty?: true
  /** Of two, one would be lost that the user meant; of others the last one counts, so that a script can be given another. */
  once?: true
  help: string
  /** Another spelling. */
  alias?: string
}

/** Arguments of a command, checked against its flags. */
export interface Arguments {
  /** The definition: path or name; or the queue, or the folder. Empty: none was given. */
  operand: string
  /** A step of the run that is meant; empty: none was given. */
  step: string
  /** What stands after `--`. */
  words: string[]
  /** Values by flag. */
  text: Readonly<Partial<Record<string, string>>>
  /** Switches that are on. */
  on: ReadonlySet<string>
}

export interface CommandRoom {
  /** Does the work and resolves with the exit code. */
  run(args: Arguments, surroundings: Surroundings): Promise<number>
}

export interface Command {
  name: string
  summary: string
  /** Takes a definition or a folder, or may be given a definition or a queue. */
  operand?: 'FILE|NAME' | '[FILE|NAME]' | 'NAME|RUN [STEP]' | '[QUEUE]' | 'DIR'
  /** Takes words after `--`. */
  words?: true
  flags: Flag[]
  /** A call that makes sense as it stands. */
  example: string
  /** Absent: done by the dispatcher itself. */
  load?: () => Promise<CommandRoom>
}
