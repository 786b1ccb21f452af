/** The commands that show what runs do and have done. Data only. Source: api-semantics 11. */
import type { Command } from '../command.ts'
import { runFilters, runId } from '../shared-flags.ts'

export const lookingCommands: Command[] = [
  {
    name: 'list',
    summary: 'list the definitions with their last run and their next start',
    flags: [],
    example: 'troupe list',
    elsewhere: true,
    load: () => import('../../commands/overview/list.ts')
  },
  {
    name: 'runs',
    summary: 'list runs, newest first, by status, time, params, tags or what triggered them',
    operand: '[NAME]',
    flags: [...runFilters, { name: 'wide', help: 'whole ids and all columns on a terminal, too' }],
    example: 'troupe runs etl --status failed --since 24h',
    elsewhere: true,
    load: () => import('../../commands/overview/runs.ts')
  },
  {
    name: 'status',
    summary: 'show a run and its steps',
    operand: 'RUN',
    flags: [runId, { name: 'watch', short: 'w', help: 'show it until it has ended' }],
    example: 'troupe status etl',
    elsewhere: true,
    load: () => import('../../commands/status.ts')
  },
  {
    name: 'logs',
    summary: 'print the output of the steps of a run by time, or of some of them',
    operand: 'RUN [STEP...]',
    flags: [
      runId,
      { name: 'follow', short: 'f', help: 'continue until the run has ended' },
      { name: 'tail', short: 'n', value: 'N', help: 'only the last N lines, and with --follow those that come' },
      { name: 'stream', value: 'STREAM', help: 'only stdout or only stderr' },
      { name: 'stderr', help: 'only stderr: --stream stderr' },
      { name: 'since', value: 'TIME', help: 'written since: 10m, 24h, or 2026-03-01T18:00' },
      { name: 'times', short: 't', help: 'show when each line was written' },
      { name: 'attempt', value: 'N', help: 'an earlier attempt of a run that was retried' }
    ],
    example: 'troupe logs etl extract load --since 10m --follow',
    elsewhere: true,
    load: () => import('../../commands/logs.ts')
  },
  {
    name: 'watch',
    summary: 'watch runs, queues and failures; keys stop, retry and open a log',
    flags: [],
    example: 'troupe watch',
    elsewhere: true,
    load: () => import('../../watch/watch.ts')
  },
  {
    name: 'queues',
    summary: 'show queues with their running and waiting runs',
    flags: [],
    example: 'troupe queues',
    elsewhere: true,
    load: () => import('../../commands/queues.ts')
  },
  {
    name: 'workers',
    summary: 'list the workers of the running engine: labels, health, slots',
    flags: [],
    example: 'troupe workers',
    elsewhere: true,
    load: () => import('../../commands/workers.ts')
  },
  {
    name: 'diff',
    summary: 'compare a run with the last successful one before it, or with a second run',
    operand: 'RUN [RUN]',
    flags: [],
    example: 'troupe diff etl:r1 etl:r2',
    elsewhere: true,
    load: () => import('../../commands/overview/diff.ts')
  },
  {
    name: 'open',
    summary: 'print the address of the web page, or of a run there; on a terminal open it',
    operand: '[RUN]',
    flags: [
      { name: 'host', short: 's', value: 'HOST', help: 'address of another server than that of the home (127.0.0.1)' },
      { name: 'port', short: 'p', value: 'PORT', help: 'its port (8080)' },
      { name: 'print', help: 'only print it' }
    ],
    example: 'troupe open etl',
    elsewhere: true,
    load: () => import('../../commands/overview/open.ts')
  },
  {
    name: 'explain',
    summary: 'explain why a run and its steps wait, or how they ended',
    operand: 'RUN',
    flags: [
      runId,
      { name: 'step', value: 'STEP', help: 'only this step or handler' },
      { name: 'values', help: 'also the values that the step had, those first that differ from its last success' },
      { name: 'definition', help: 'explain why the definition, or its schedule, started no run' }
    ],
    example: 'troupe explain etl --step load',
    elsewhere: true,
    load: () => import('../../commands/inspect/explain.ts')
  },
  {
    name: 'inspect',
    summary: 'show what every actor of a run is doing, or the charts',
    operand: '[RUN]',
    flags: [
      runId,
      {
        name: 'machine',
        value: 'ID',
        help: 'show this chart: engine, scheduler, restart, queue, run, node, call, worker or delivery'
      },
      {
        name: 'format',
        value: 'FORMAT',
        help: 'text or json; mermaid for a run or a chart, stately for a chart'
      }
    ],
    example: 'troupe inspect --machine node --format mermaid',
    elsewhere: true,
    load: () => import('../../commands/inspect/inspect.ts')
  },
  {
    name: 'events',
    summary: 'list the transitions of a run and their causes',
    operand: 'RUN',
    flags: [
      runId,
      { name: 'after', value: 'N', help: 'start after the event with this number' },
      { name: 'follow', short: 'f', help: 'continue until the run has ended' }
    ],
    example: 'troupe events etl --follow',
    elsewhere: true,
    load: () => import('../../commands/inspect/events.ts')
  },
  {
    name: 'at',
    summary: 'show what every actor of a run was doing at a past event',
    operand: 'RUN',
    flags: [runId, { name: 'event', value: 'N', help: 'number of the event; required' }],
    example: 'troupe at etl --event 12',
    elsewhere: true,
    load: () => import('../../commands/inspect/at.ts')
  },
  {
    name: 'sequence',
    summary: 'print the messages between the actors of a run as a Mermaid diagram',
    operand: 'RUN',
    flags: [runId],
    example: 'troupe sequence etl > etl.mmd',
    elsewhere: true,
    load: () => import('../../commands/inspect/sequence.ts')
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
    elsewhere: true,
    load: () => import('../../commands/inspect/decisions.ts')
  }
]
