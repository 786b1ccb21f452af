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

// D410
export const commonFlags: Flag[] = [
  { name: 'home', value: 'DIR', alias: 'engine-home', help: 'application home, instead of ENGINE_HOME' },
  { name: 'config', short: 'c', value: 'FILE', help: 'configuration file, instead of config.yaml in the home' },
  { name: 'json', help: 'print JSON' },
  { name: 'quiet', short: 'q', help: 'print nothing but errors' },
  { name: 'help', short: 'h', help: 'show this help' }
]

const newRunId: Flag = { name: 'run-id', short: 'r', value: 'ID', help: 'id of the run' }
const runId: Flag = { ...newRunId, help: 'id of the run, or latest' }
const params: Flag = {
  name: 'params',
  short: 'p',
  value: 'PARAMS',
  mayBeEmpty: true,
  once: true,
  help: 'parameters, as one text: \'A=1 B="two words"\''
}
const dagName: Flag = {
  name: 'name',
  short: 'N',
  value: 'NAME',
  help: 'DAG name of the run, whatever the definition says'
}
const output: Flag = {
  name: 'output',
  value: 'WHICH',
  help: 'whose output is shown: all (default), failed (of steps that failed), none'
}
const unlimited: Flag = { name: 'disable-max-active-runs', help: 'run beside any number of runs' }
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
      params,
      dagName,
      newRunId,
      {
        name: 'from-run-id',
        value: 'ID',
        help: 'run what an earlier run (or latest) was: its definition, its parameters'
      },
      { name: 'no-queue', short: 'n', help: 'run now or be refused; never wait in a queue' },
      unlimited,
      output
    ],
    example: 'troupe start etl -- DAY=2026-03-01 NOTE="two words"',
    load: () => import('./start.ts')
  },
  {
    name: 'enqueue',
    summary: 'put a run into its queue and print its id',
    operand: 'FILE|NAME',
    words: true,
    flags: [
      params,
      dagName,
      newRunId,
      { name: 'queue', short: 'u', value: 'QUEUE', help: 'another queue than its own' }
    ],
    example: 'troupe enqueue etl --queue nightly -- DAY=2026-03-01',
    load: () => import('./enqueue.ts')
  },
  {
    name: 'dequeue',
    summary: 'take a run out of its queue: the next one of a queue, or a given one',
    operand: '[QUEUE]',
    flags: [
      { name: 'dag-run', short: 'd', value: 'NAME:ID', help: 'the run, by DAG name and id; NAME:latest is the newest' }
    ],
    example: 'troupe dequeue --dag-run etl:r1',
    load: () => import('./dequeue.ts')
  },
  {
    name: 'queues',
    summary: 'show the queues, what runs in them and what waits',
    flags: [],
    example: 'troupe queues',
    load: () => import('./queues.ts')
  },
  {
    name: 'stop',
    summary: 'stop the running runs of a definition, or a given one',
    operand: 'FILE|NAME',
    flags: [runId, { name: 'force', help: 'kill what is running, handlers included; no further handler begins' }],
    example: 'troupe stop etl',
    load: () => import('./stop.ts')
  },
  {
    name: 'restart',
    summary: 'stop a running run, then run the same again under a new id',
    operand: 'FILE|NAME',
    flags: [runId, output],
    example: 'troupe restart etl',
    load: () => import('./restart.ts')
  },
  {
    name: 'retry',
    summary: 'run again what did not go well in a run that has ended',
    operand: 'FILE|NAME',
    flags: [
      { ...runId, help: 'id of the run, or latest; required' },
      { name: 'step', value: 'STEP', help: 'run this step again, and nothing else' },
      { name: 'no-queue', short: 'n', help: 'never wait in a queue; a retry does not, with or without it' },
      unlimited,
      output
    ],
    example: 'troupe retry etl --run-id r1',
    load: () => import('./retry.ts')
  },
  {
    name: 'status',
    summary: 'show the newest run of a definition, or a given one',
    operand: 'FILE|NAME',
    flags: [runId],
    example: 'troupe status etl',
    load: () => import('./status.ts')
  },
  {
    name: 'logs',
    summary: 'print what the steps of a run have written, or one of them',
    operand: 'NAME|RUN [STEP]',
    flags: [
      { ...runId, help: 'id of the run; without it the newest' },
      { name: 'follow', short: 'f', help: 'go on until the run has ended' },
      { name: 'stream', value: 'STREAM', help: 'stdout or stderr alone' },
      { name: 'attempt', value: 'N', help: 'an earlier attempt of a run that was retried' }
    ],
    example: 'troupe logs etl load --follow',
    load: () => import('./logs.ts')
  },
  {
    name: 'dry',
    summary: 'show what a run would do, in which order; runs nothing',
    operand: 'FILE|NAME',
    words: true,
    flags: [params, dagName],
    example: 'troupe dry etl -- DAY=2026-03-01',
    load: () => import('./dry.ts')
  },
  {
    name: 'validate',
    summary: 'check a definition; runs nothing',
    operand: 'FILE|NAME',
    flags: [],
    example: 'troupe validate etl.yaml',
    load: () => import('./validate.ts')
  },
  {
    name: 'explain',
    summary: 'say why a run and its steps wait, or why they ended as they did',
    operand: 'FILE|NAME',
    flags: [
      { ...runId, help: 'id of the run; without it the newest' },
      { name: 'step', value: 'STEP', help: 'this step or handler, and nothing else' },
      { name: 'definition', help: 'why the definition has no run, or not the one its schedule should have begun' }
    ],
    example: 'troupe explain etl --step load',
    load: () => import('./explain.ts')
  },
  {
    name: 'inspect',
    summary: 'show what every actor of a run is doing; or the charts, or one of them',
    operand: '[FILE|NAME]',
    flags: [
      { ...runId, help: 'id of the run; without it the newest' },
      {
        name: 'machine',
        value: 'ID',
        help: 'this chart, and no run: engine, scheduler, restart, queue, run, node or call'
      },
      {
        name: 'format',
        value: 'FORMAT',
        help: 'text or json; of a run or a chart also mermaid, of a chart also stately'
      }
    ],
    example: 'troupe inspect --machine node --format mermaid',
    load: () => import('./inspect.ts')
  },
  {
    name: 'events',
    summary: 'list the transitions of a run and what led to each',
    operand: 'FILE|NAME',
    flags: [
      { ...runId, help: 'id of the run; without it the newest' },
      { name: 'after', value: 'N', help: 'begin after the event with this number' },
      { name: 'follow', short: 'f', help: 'go on until the run has ended' }
    ],
    example: 'troupe events etl --follow',
    load: () => import('./events.ts')
  },
  {
    name: 'at',
    summary: 'show what every actor of a run was doing at an event that has passed',
    operand: 'FILE|NAME',
    flags: [
      { ...runId, help: 'id of the run; without it the newest' },
      { name: 'event', value: 'N', help: 'number of the event; required' }
    ],
    example: 'troupe at etl --event 12',
    load: () => import('./at.ts')
  },
  {
    name: 'sequence',
    summary: 'print the messages between the actors of a run as a Mermaid diagram',
    operand: 'FILE|NAME',
    flags: [{ ...runId, help: 'id of the run; without it the newest' }],
    example: 'troupe sequence etl > etl.mmd',
    load: () => import('./sequence.ts')
  },
  {
    name: 'decisions',
    summary: 'list what the scheduler made of scheduled minutes: fired, or skipped and why',
    operand: '[FILE|NAME]',
    flags: [
      { name: 'limit', value: 'N', help: 'so many at most, the newest first (20)' },
      { name: 'before', value: 'N', help: 'those before the decision with this number' }
    ],
    example: 'troupe decisions etl --limit 5',
    load: () => import('./decisions.ts')
  },
  {
    name: 'start-all',
    summary: 'serve the API and run what it is told to',
    flags: listening,
    example: 'troupe start-all --port 8080',
    load: () => import('./start-all.ts')
  },
  {
    name: 'server',
    summary: 'the same as start-all in this release',
    flags: listening,
    example: 'troupe server --port 8080',
    load: () => import('./start-all.ts') // Choice: the engine always supervises its scheduler, so there is no server without one.
  },
  {
    name: 'scheduler',
    summary: 'follow schedules and serve queues, without the API',
    flags: listening.filter(({ name }) => name === 'dags'),
    example: 'troupe scheduler --dags flows',
    load: () => import('./scheduler.ts')
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of definitions, for editors',
    flags: [],
    example: 'troupe schema > definition.schema.json',
    load: () => import('./schema.ts')
  },
  {
    name: 'config',
    summary: 'show every setting, and where its value comes from',
    flags: listening,
    example: 'troupe config --json',
    load: () => import('./config.ts')
  },
  {
    name: 'doctor',
    summary: 'look for what is wrong with the home: store, logs, definitions, permissions, disk',
    flags: [{ name: 'fix', help: 'mend what can be mended without losing anything; no engine may be at work' }],
    example: 'troupe doctor --json',
    load: () => import('./doctor.ts')
  },
  {
    name: 'backup',
    summary: 'copy the home as it is at one moment, while the engine goes on, and check the copy',
    operand: 'DIR',
    flags: [{ name: 'no-logs', help: 'without the log files of runs' }],
    example: 'troupe backup /var/backups/troupe-2026-03-01',
    load: () => import('./backup.ts')
  },
  {
    name: 'restore',
    summary: 'check a backup and make it the home; no engine may be at work there',
    operand: 'DIR',
    flags: [{ name: 'replace', help: 'set aside what is there, in place of refusing' }],
    example: 'troupe restore /var/backups/troupe-2026-03-01',
    load: () => import('./restore.ts')
  },
  { name: 'version', summary: 'print the version', flags: [], example: 'troupe version' }
]

/** Documented commands of later releases: refused by name. */
export const laterCommands = ['coordinator', 'worker', 'exec', 'cleanup', 'migrate']
