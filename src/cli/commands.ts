/**
 * The commands and their flags: what the arguments are checked against and the help is written from. Data only, loaded at
 * every start of the program, so it imports nothing. Source: api-semantics 11.
 */
import type { Surroundings } from './surroundings.ts'

export interface Flag {
  name: string
  short?: string
  /** Placeholder of its value; absent: a switch. */
  value?: string
  help: string
  /** Another spelling. */
  alias?: string
  /** Documented, but refused by name. */
  later?: true
}

/** Arguments of a command, checked against its flags. */
export interface Arguments {
  /** The definition: path or name; empty for commands that take none. */
  operand: string
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
  /** Takes a definition. */
  operand?: 'FILE|NAME'
  /** Takes words after `--`. */
  words?: true
  flags: Flag[]
  /** Absent: done by the dispatcher itself. */
  load?: () => Promise<CommandRoom>
}

export const commonFlags: Flag[] = [
  { name: 'home', value: 'DIR', alias: 'engine-home', help: 'application home, instead of ENGINE_HOME' },
  { name: 'config', short: 'c', value: 'FILE', help: 'configuration file, instead of config.yaml in the home' },
  { name: 'json', help: 'print JSON' },
  { name: 'quiet', short: 'q', help: 'print nothing but errors' },
  { name: 'help', short: 'h', help: 'show this help' }
]

const runId: Flag = { name: 'run-id', short: 'r', value: 'ID', help: 'id of the run' }
const listening: Flag[] = [
  { name: 'host', short: 's', value: 'HOST', help: 'address to listen on (127.0.0.1)' },
  { name: 'port', short: 'p', value: 'PORT', help: 'port to listen on (8080); 0: any free one' },
  { name: 'dags', short: 'd', value: 'DIR', help: 'folder of the definitions' }
]

export const commands: Command[] = [
  {
    name: 'start',
    summary: 'run a definition and show how it goes',
    operand: 'FILE|NAME',
    words: true,
    flags: [
      { name: 'params', short: 'p', value: 'PARAMS', help: 'parameters, as one text: \'A=1 B="two words"\'' },
      { name: 'name', short: 'N', value: 'NAME', help: 'DAG name of the run, whatever the definition says' },
      runId,
      { name: 'from-run-id', value: 'ID', help: 'take the parameters of an earlier run', later: true },
      { name: 'no-queue', short: 'n', help: 'never wait in a queue', later: true },
      { name: 'disable-max-active-runs', help: 'run beside any number of runs', later: true }
    ],
    load: () => import('./start.ts')
  },
  {
    name: 'validate',
    summary: 'check a definition; runs nothing',
    operand: 'FILE|NAME',
    flags: [],
    load: () => import('./validate.ts')
  },
  {
    name: 'status',
    summary: 'show the newest run of a definition, or a given one',
    operand: 'FILE|NAME',
    flags: [runId],
    load: () => import('./status.ts')
  },
  {
    name: 'stop',
    summary: 'stop the running runs of a definition, or a given one',
    operand: 'FILE|NAME',
    flags: [runId],
    load: () => import('./stop.ts')
  },
  {
    name: 'start-all',
    summary: 'serve the API and run what it is told to',
    flags: listening,
    load: () => import('./start-all.ts')
  },
  {
    name: 'server',
    summary: 'the same as start-all in this release',
    flags: listening,
    load: () => import('./start-all.ts') // Choice: the engine always supervises its scheduler, so there is no server without one.
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of definitions, for editors',
    flags: [],
    load: () => import('./schema.ts')
  },
  {
    name: 'config',
    summary: 'show every setting, and where its value comes from',
    flags: listening,
    load: () => import('./config.ts')
  },
  { name: 'version', summary: 'print the version', flags: [] }
]

/** Documented commands of later releases: refused by name. */
export const laterCommands = [
  'enqueue',
  'dequeue',
  'restart',
  'retry',
  'dry',
  'scheduler',
  'coordinator',
  'worker',
  'exec',
  'cleanup',
  'migrate',
  'inspect'
]
