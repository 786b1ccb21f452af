/** The commands that run definitions, and act on runs. Data only. Source: api-semantics 11. */
import type { Command } from '../command.ts'
import { dagName, newRunId, output, params, placing, runId, subRunId, unlimited } from '../shared-flags.ts'

export const runningCommands: Command[] = [
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
      ...placing,
      { name: 'no-queue', short: 'n', help: 'fail instead of waiting in a queue' },
      unlimited,
      output
    ],
    example: 'troupe start etl -- DAY=2026-03-01 NOTE="two words"',
    elsewhere: true,
    load: () => import('../../commands/start.ts')
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
      { name: 'queue', short: 'u', value: 'QUEUE', help: 'a queue other than its own' },
      ...placing
    ],
    example: 'troupe enqueue etl --queue nightly -- DAY=2026-03-01',
    elsewhere: true,
    load: () => import('../../commands/enqueue.ts')
  },
  {
    name: 'dequeue',
    summary: 'remove a run from its queue: the next one, or the given one',
    operand: '[QUEUE]',
    flags: [{ name: 'dag-run', short: 'd', value: 'RUN', help: 'the run, such as NAME:ID' }],
    example: 'troupe dequeue --dag-run etl:r1',
    elsewhere: true,
    load: () => import('../../commands/dequeue.ts')
  },
  {
    name: 'stop',
    summary: 'stop a run; with a name, all of its runs that are running',
    operand: 'RUN',
    flags: [
      runId,
      { name: 'force', help: 'kill everything that is running, handlers included, and start no further handler' }
    ],
    example: 'troupe stop etl',
    elsewhere: true,
    load: () => import('../../commands/stop.ts')
  },
  {
    name: 'restart',
    summary: 'stop a running run, then run it again with a new id',
    operand: 'RUN',
    flags: [runId, output],
    example: 'troupe restart etl',
    elsewhere: true,
    load: () => import('../../commands/restart.ts')
  },
  {
    name: 'retry',
    summary: 'run the failed and canceled steps of an ended run again',
    operand: 'RUN',
    flags: [
      runId,
      { name: 'step', value: 'STEP', help: 'run only this step again' },
      { name: 'downstream', help: 'with --step: run everything that depends on it again, too, whatever its status' },
      { name: 'no-queue', short: 'n', help: 'accepted for compatibility: a retry never waits in a queue' },
      unlimited,
      output
    ],
    example: 'troupe retry etl',
    elsewhere: true,
    load: () => import('../../commands/retry.ts')
  },
  {
    name: 'set-status',
    summary: 'set the status of a step of an ended run by hand; a retry follows it',
    operand: 'RUN STEP STATUS',
    flags: [
      runId,
      subRunId,
      { name: 'output', value: 'TEXT', mayBeEmpty: true, help: 'with succeeded: what the step captures' }
    ],
    example: 'troupe set-status etl load succeeded',
    elsewhere: true,
    load: () => import('../../commands/changes/set-status.ts')
  }
]
