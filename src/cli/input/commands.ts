/**
 * The commands and their flags: what the arguments are checked against and the help is written from. Data only, loaded at
 * every start of the program, so it imports next to nothing. Source: api-semantics 11.
 */
import type { Command } from './command.ts'
import { admittingCommands } from './commands/admitting.ts'
import { definingCommands } from './commands/defining.ts'
import { lookingCommands } from './commands/looking.ts'
import { runningCommands } from './commands/running.ts'
import { servingCommands } from './commands/serving.ts'
import { waitCommands } from './commands/waiting.ts'

export const commands: Command[] = [
  ...runningCommands,
  ...waitCommands,
  ...lookingCommands,
  ...definingCommands,
  ...servingCommands,
  ...admittingCommands
]

export interface Task {
  name: string
  commands: readonly string[]
  /** The command whose example stands above them. */
  example: string
}

// D1688: the help begins with eight commands
/** The help lists commands by task, the first with a line each; each is in one of them. */
export const tasks: readonly Task[] = [
  {
    name: 'Most used',
    example: 'start',
    commands: ['start', 'status', 'logs', 'runs', 'list', 'watch', 'stop', 'retry']
  },
  {
    name: 'Run',
    example: 'enqueue',
    commands: ['enqueue', 'dequeue', 'restart', 'waiting', 'signal', 'approve', 'set-status']
  },
  { name: 'Look', example: 'open', commands: ['queues', 'workers', 'diff', 'open'] },
  { name: 'Debug', example: 'explain', commands: ['explain', 'inspect', 'events', 'at', 'sequence', 'decisions'] },
  {
    name: 'Definitions',
    example: 'dry',
    commands: ['suspend', 'resume', 'edit', 'versions', 'rename', 'delete', 'validate', 'dry', 'test', 'schema']
  },
  { name: 'Serve', example: 'start-all', commands: ['start-all', 'server', 'scheduler', 'coordinator', 'worker'] },
  {
    name: 'Home',
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

/** Words that people know from other programs, and what they stand for. */
export const aliases: Readonly<Partial<Record<string, readonly [command: string, ...flags: string[]]>>> = {
  ls: ['list'],
  ps: ['runs', '--status=running'],
  cancel: ['stop'],
  rerun: ['retry']
}
/** Flags, likewise. */
export const flagAliases: Readonly<Record<string, string>> = {
  '-v': '--version',
  '-o json': '--json',
  '-o wide': '--wide'
}

/** Documented commands of later releases: refused by name. */
export const laterCommands = ['exec', 'cleanup', 'migrate']
