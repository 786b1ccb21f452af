/**
 * The commands and their flags: what the arguments are checked against and the help is written from. Data only, loaded at
 * every start of the program, so it imports next to nothing. Source: api-semantics 11.
 */
import type { Command } from './command.ts'
import { admittingCommands } from './commands/admitting.ts'
import { lookingCommands } from './commands/looking.ts'
import { runningCommands } from './commands/running.ts'
import { servingCommands } from './commands/serving.ts'
import { waitCommands } from './commands/waiting.ts'

export const commands: Command[] = [
  ...runningCommands,
  ...waitCommands,
  ...lookingCommands,
  ...servingCommands,
  ...admittingCommands
]

export interface Task {
  name: string
  commands: readonly string[]
  /** The command whose example stands above them. */
  example: string
}

/** The help lists them by task; each is in one of these. */
export const tasks: readonly Task[] = [
  {
    name: 'Run',
    example: 'start',
    commands: ['start', 'enqueue', 'dequeue', 'stop', 'restart', 'retry', 'waiting', 'signal', 'approve']
  },
  {
    name: 'Look',
    example: 'runs',
    commands: ['list', 'runs', 'status', 'logs', 'watch', 'queues', 'workers', 'diff', 'open']
  },
  { name: 'Debug', example: 'explain', commands: ['explain', 'inspect', 'events', 'at', 'sequence', 'decisions'] },
  { name: 'Write definitions', example: 'dry', commands: ['edit', 'versions', 'validate', 'dry', 'test', 'schema'] },
  { name: 'Serve', example: 'start-all', commands: ['start-all', 'server', 'scheduler', 'coordinator', 'worker'] },
  {
    name: 'Look after a home',
    example: 'backup',
    commands: [
      'config',
      'doctor',
      'audit',
      'deliveries',
      'backup',
      'restore',
      'import',
      'keys',
      'key',
      'completion',
      'version',
      'help'
    ]
  }
]

/** Documented commands of later releases: refused by name. */
export const laterCommands = ['exec', 'cleanup', 'migrate']
