/**
 * The commands and their flags: what the arguments are checked against and the help is written from. Data only, loaded at
 * every start of the program, so it imports next to nothing. Source: api-semantics 11.
 */
import type { Command } from './command.ts'
import {
  coordinating,
  dagName,
  listening,
  newRunId,
  output,
  params,
  runFilters,
  runId,
  unlimited,
  working
} from './shared-flags.ts'
import { waitCommands } from './wait-commands.ts'

export const commands: Command[] = [
  {
    name: 'start',
    summary: 'run a definition and show its progress',
    operand: 'FILE|NAME',
    words: true,
    flags: [
      params,
      dagName,
      newRunId,
      {
        name: 'from-run-id',
        value: 'ID',
        help: 'repeat an earlier run (or latest) with its definition and params'
      },
      { name: 'no-queue', short: 'n', help: 'fail instead of waiting in a queue' },
      unlimited,
      output
    ],
    example: 'troupe start etl -- DAY=2026-03-01 NOTE="two words"',
    load: () => import('../commands/start.ts')
  },
  {
    name: 'enqueue',
    summary: 'add a run to its queue and print its id',
    operand: 'FILE|NAME',
    words: true,
    flags: [
      params,
      dagName,
      newRunId,
      { name: 'queue', short: 'u', value: 'QUEUE', help: 'a queue other than its own' }
    ],
    example: 'troupe enqueue etl --queue nightly -- DAY=2026-03-01',
    load: () => import('../commands/enqueue.ts')
  },
  {
    name: 'dequeue',
    summary: 'remove a run from its queue: the next one, or the given one',
    operand: '[QUEUE]',
    flags: [
      { name: 'dag-run', short: 'd', value: 'NAME:ID', help: 'DAG name and id of the run; NAME:latest is the newest' }
    ],
    example: 'troupe dequeue --dag-run etl:r1',
    load: () => import('../commands/dequeue.ts')
  },
  {
    name: 'queues',
    summary: 'show queues with their running and waiting runs',
    flags: [],
    example: 'troupe queues',
    load: () => import('../commands/queues.ts')
  },
  {
    name: 'workers',
    summary: 'list the workers of the running engine: labels, health, slots',
    flags: [],
    example: 'troupe workers',
    load: () => import('../commands/workers.ts')
  },
  {
    name: 'stop',
    summary: 'stop all running runs of a definition, or one of them',
    operand: 'FILE|NAME',
    flags: [
      runId,
      { name: 'force', help: 'kill everything that is running, handlers included, and start no further handler' }
    ],
    example: 'troupe stop etl',
    load: () => import('../commands/stop.ts')
  },
  {
    name: 'restart',
    summary: 'stop a running run, then run it again with a new id',
    operand: 'FILE|NAME',
    flags: [runId, output],
    example: 'troupe restart etl',
    load: () => import('../commands/restart.ts')
  },
  {
    name: 'retry',
    summary: 'run the failed and canceled steps of an ended run again',
    operand: 'FILE|NAME',
    flags: [
      { ...runId, help: 'id of the run, or latest; required' },
      { name: 'step', value: 'STEP', help: 'run only this step again' },
      { name: 'no-queue', short: 'n', help: 'accepted for compatibility: a retry never waits in a queue' },
      unlimited,
      output
    ],
    example: 'troupe retry etl --run-id r1',
    load: () => import('../commands/retry.ts')
  },
  {
    name: 'list',
    summary: 'list the definitions with their last run and their next start',
    flags: [],
    example: 'troupe list',
    load: () => import('../commands/overview/list.ts')
  },
  {
    name: 'runs',
    summary: 'list runs, newest first, by status, time, params, tags or what triggered them',
    operand: '[NAME]',
    flags: runFilters,
    example: 'troupe runs etl --status failed --since 24h',
    load: () => import('../commands/overview/runs.ts')
  },
  {
    name: 'diff',
    summary: 'compare a run with the last successful one before it, or with a second run',
    operand: 'RUN [RUN]',
    flags: [],
    example: 'troupe diff etl:r1 etl:r2',
    load: () => import('../commands/overview/diff.ts')
  },
  {
    name: 'open',
    summary: 'print the address of the web page, or of a run there; a terminal opens it',
    operand: '[RUN]',
    flags: [...listening.slice(0, 2), { name: 'print', help: 'only print it' }],
    example: 'troupe open etl',
    load: () => import('../commands/overview/open.ts')
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    operand: 'SHELL',
    flags: [],
    example: 'troupe completion bash > ~/.local/share/bash-completion/completions/troupe'
  },
  {
    name: 'status',
    summary: 'show the newest run of a definition, or the given one',
    operand: 'FILE|NAME',
    flags: [runId],
    example: 'troupe status etl',
    load: () => import('../commands/status.ts')
  },
  {
    name: 'logs',
    summary: 'print the output of the steps of a run, or of one step',
    operand: 'NAME|RUN [STEP]',
    flags: [
      { ...runId, help: 'id of the run; default: the newest' },
      { name: 'follow', short: 'f', help: 'continue until the run has ended' },
      { name: 'stream', value: 'STREAM', help: 'only stdout or only stderr' },
      { name: 'attempt', value: 'N', help: 'an earlier attempt of a run that was retried' }
    ],
    example: 'troupe logs etl load --follow',
    load: () => import('../commands/logs.ts')
  },
  {
    name: 'dry',
    summary: 'show what a run would do, and in which order, without running anything',
    operand: 'FILE|NAME',
    words: true,
    flags: [params, dagName],
    example: 'troupe dry etl -- DAY=2026-03-01',
    load: () => import('../commands/dry.ts')
  },
  {
    name: 'validate',
    summary: 'check a definition without running anything',
    operand: 'FILE|NAME',
    flags: [],
    example: 'troupe validate etl.yaml',
    load: () => import('../commands/validate.ts')
  },
  ...waitCommands,
  {
    name: 'test',
    summary: 'run tests of workflows: the given files NAME.test.yaml, or all below the working folder',
    operand: '[FILES]',
    flags: [
      { name: 'format', value: 'FORMAT', help: 'text (default), tap or junit' },
      { name: 'coverage', help: 'show which steps, handlers and branches no test has reached' },
      { name: 'watch', short: 'w', help: 'run them again whenever one of the files changes, until Ctrl-C' }
    ],
    example: 'troupe test etl.test.yaml --coverage',
    load: () => import('../commands/tests/test.ts')
  },
  {
    name: 'explain',
    summary: 'explain why a run and its steps wait, or how they ended',
    operand: 'FILE|NAME',
    flags: [
      { ...runId, help: 'id of the run; default: the newest' },
      { name: 'step', value: 'STEP', help: 'only this step or handler' },
      { name: 'definition', help: 'explain why the definition, or its schedule, started no run' }
    ],
    example: 'troupe explain etl --step load',
    load: () => import('../commands/inspect/explain.ts')
  },
  {
    name: 'inspect',
    summary: 'show what every actor of a run is doing, or the charts',
    operand: '[FILE|NAME]',
    flags: [
      { ...runId, help: 'id of the run; default: the newest' },
      {
        name: 'machine',
        value: 'ID',
        help: 'show this chart: engine, scheduler, restart, queue, run, node, call or worker'
      },
      {
        name: 'format',
        value: 'FORMAT',
        help: 'text or json; mermaid for a run or a chart, stately for a chart'
      }
    ],
    example: 'troupe inspect --machine node --format mermaid',
    load: () => import('../commands/inspect/inspect.ts')
  },
  {
    name: 'events',
    summary: 'list the transitions of a run and their causes',
    operand: 'FILE|NAME',
    flags: [
      { ...runId, help: 'id of the run; default: the newest' },
      { name: 'after', value: 'N', help: 'start after the event with this number' },
      { name: 'follow', short: 'f', help: 'continue until the run has ended' }
    ],
    example: 'troupe events etl --follow',
    load: () => import('../commands/inspect/events.ts')
  },
  {
    name: 'at',
    summary: 'show what every actor of a run was doing at a past event',
    operand: 'FILE|NAME',
    flags: [
      { ...runId, help: 'id of the run; default: the newest' },
      { name: 'event', value: 'N', help: 'number of the event; required' }
    ],
    example: 'troupe at etl --event 12',
    load: () => import('../commands/inspect/at.ts')
  },
  {
    name: 'sequence',
    summary: 'print the messages between the actors of a run as a Mermaid diagram',
    operand: 'FILE|NAME',
    flags: [{ ...runId, help: 'id of the run; default: the newest' }],
    example: 'troupe sequence etl > etl.mmd',
    load: () => import('../commands/inspect/sequence.ts')
  },
  {
    name: 'decisions',
    summary: 'list the decisions of the scheduler: started, or skipped and why',
    operand: '[FILE|NAME]',
    flags: [
      { name: 'limit', value: 'N', help: 'at most this many, newest first (20)' },
      { name: 'before', value: 'N', help: 'only decisions before the one with this number' }
    ],
    example: 'troupe decisions etl --limit 5',
    load: () => import('../commands/inspect/decisions.ts')
  },
  {
    name: 'start-all',
    summary:
      'start the server: API, web page, scheduler and queues, and a coordinator if other machines are to reach it',
    flags: [...listening, ...coordinating],
    example: 'troupe start-all --port 8080',
    load: () => import('../commands/start-all.ts')
  },
  {
    name: 'server',
    summary: 'same as start-all in this release',
    flags: listening,
    example: 'troupe server --port 8080',
    load: () => import('../commands/start-all.ts') // Choice: the engine always supervises its scheduler, so there is no server without one.
  },
  {
    name: 'scheduler',
    summary: 'follow schedules and serve queues, without the API',
    flags: listening.filter(({ name }) => name === 'dags'),
    example: 'troupe scheduler --dags flows',
    load: () => import('../commands/scheduler.ts')
  },
  {
    name: 'coordinator',
    summary: 'start the message bus over which the engine of this home and its workers talk',
    flags: coordinating,
    example: 'troupe coordinator -H 10.0.0.5 --peer.cert-file bus.pem --peer.key-file bus.key',
    load: () => import('../commands/workers/coordinator.ts')
  },
  {
    name: 'worker',
    summary: 'take part as a worker, on this or another machine; or drain one, or give it a key',
    operand: '[drain|undrain|enroll|revoke ID]',
    flags: working,
    example: 'troupe worker -w gpu-1 -l gpu=true,zone=eu --worker.coordinators bus.example:50055',
    load: () => import('../commands/workers/worker.ts')
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of definitions, for editors',
    flags: [{ name: 'tests', help: 'that of test files instead' }],
    example: 'troupe schema > definition.schema.json',
    load: () => import('../commands/schema.ts')
  },
  {
    name: 'config',
    summary: 'show every setting and the source of its value',
    flags: listening,
    example: 'troupe config --json',
    load: () => import('../commands/config.ts')
  },
  {
    name: 'doctor',
    summary: 'find problems of the home: store, logs, definitions, permissions, disk',
    flags: [{ name: 'fix', help: 'fix what can be fixed without losing anything; no engine may be running' }],
    example: 'troupe doctor --json',
    load: () => import('../commands/doctor.ts')
  },
  {
    name: 'backup',
    summary: 'copy the home consistently while the engine is running, and check the copy',
    operand: 'DIR',
    flags: [{ name: 'no-logs', help: 'leave out the log files of runs' }],
    example: 'troupe backup /var/backups/troupe-2026-03-01',
    load: () => import('../commands/backup.ts')
  },
  {
    name: 'restore',
    summary: 'check a backup and make it the home; no engine may be running there',
    operand: 'DIR',
    flags: [{ name: 'replace', help: 'set an existing home aside instead of refusing' }],
    example: 'troupe restore /var/backups/troupe-2026-03-01',
    load: () => import('../commands/restore.ts')
  },
  { name: 'version', summary: 'print the version', flags: [], example: 'troupe version' }
]

/** Documented commands of later releases: refused by name. */
export const laterCommands = ['exec', 'cleanup', 'migrate']
