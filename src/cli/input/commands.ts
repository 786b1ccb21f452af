/**
 * The commands and their flags: what the arguments are checked against and the help is written from. Data only, loaded at
 * every start of the program, so it imports next to nothing. Source: api-semantics 11.
 */
import type { Command } from './command.ts'
import { lookingCommands } from './commands/looking.ts'
import { runningCommands } from './commands/running.ts'
import { servingCommands } from './commands/serving.ts'
import { waitCommands } from './commands/waiting.ts'

export const commands: Command[] = [...runningCommands, ...waitCommands, ...lookingCommands, ...servingCommands]

/** The help lists them by task; each is in one of these. */
export const tasks: readonly (readonly [task: string, names: readonly string[]])[] = [
  ['Run', ['start', 'enqueue', 'dequeue', 'stop', 'restart', 'retry', 'waiting', 'signal', 'approve']],
  ['Look', ['list', 'runs', 'status', 'logs', 'watch', 'queues', 'workers', 'diff', 'open']],
  ['Debug', ['explain', 'inspect', 'events', 'at', 'sequence', 'decisions']],
  ['Write definitions', ['edit', 'validate', 'dry', 'test', 'schema']],
  ['Serve', ['start-all', 'server', 'scheduler', 'coordinator', 'worker']],
  ['Look after a home', ['config', 'doctor', 'backup', 'restore', 'completion', 'version', 'help']]
]

/** Documented commands of later releases: refused by name. */
export const laterCommands = ['exec', 'cleanup', 'migrate']
