/** The commands that serve a home and look after it. Data only. Source: api-semantics 11. */
import type { Command } from '../command.ts'
import { auditFilters, coordinating, listening, working } from '../shared-flags.ts'

const SERVES = 'serves a home: run it on the machine that has the home, without --url'

export const servingCommands: Command[] = [
  {
    name: 'start-all',
    summary:
      'start the server: API, web page, scheduler and queues, and a coordinator if other machines are to reach it',
    flags: [...listening, ...coordinating],
    example: 'troupe start-all --port 8080',
    elsewhere: SERVES,
    load: () => import('../../commands/start-all.ts')
  },
  {
    name: 'server',
    summary: 'same as start-all in this release',
    flags: listening,
    example: 'troupe server --port 8080',
    elsewhere: SERVES,
    load: () => import('../../commands/start-all.ts') // Choice: the engine always supervises its scheduler, so there is no server without one.
  },
  {
    name: 'scheduler',
    summary: 'follow schedules and serve queues, without the API',
    flags: listening.filter(({ name }) => name === 'dags'),
    example: 'troupe scheduler --dags flows',
    elsewhere: SERVES,
    load: () => import('../../commands/scheduler.ts')
  },
  {
    name: 'coordinator',
    summary: 'start the message bus over which the engine of this home and its workers talk',
    flags: coordinating,
    example: 'troupe coordinator -H 10.0.0.5 --peer.cert-file bus.pem --peer.key-file bus.key',
    elsewhere: SERVES,
    load: () => import('../../commands/workers/coordinator.ts')
  },
  {
    name: 'worker',
    summary: 'take part as a worker, on this or another machine; or drain one, or give it a key',
    operand: '[drain|undrain|enroll|revoke ID]',
    flags: working,
    example: 'troupe worker -w gpu-1 -l gpu=true,zone=eu --worker.coordinators bus.example:50055',
    elsewhere: true,
    load: () => import('../../commands/workers/worker.ts')
  },
  {
    name: 'config',
    summary: 'show every setting and the source of its value',
    flags: listening,
    example: 'troupe config --json',
    elsewhere: true,
    load: () => import('../../commands/config.ts')
  },
  {
    name: 'doctor',
    summary: 'find problems of the home: store, logs, definitions, permissions, disk',
    flags: [
      { name: 'fix', help: 'fix what can be fixed without losing anything; no engine may be running' },
      { name: 'before-upgrade', help: 'also what to know before this release takes over the home from another one' },
      { name: 'backup', value: 'DIR', help: 'the backup that leads back, with --before-upgrade' }
    ],
    example: 'troupe doctor --json',
    elsewhere: true,
    load: () => import('../../commands/doctor.ts')
  },
  {
    name: 'deliveries',
    summary: 'list events that wait for a target of notify, and dead letters; or retry or remove dead letters',
    operand: '[retry|remove TARGET [ID]]',
    flags: [
      { name: 'failed', help: 'only dead letters' },
      { name: 'target', value: 'NAME', help: 'only those for this target' },
      { name: 'limit', value: 'N', help: 'at most this many, up to 1000 (100)' }
    ],
    example: 'troupe deliveries --failed',
    elsewhere: true,
    load: () => import('../../commands/deliveries/deliveries.ts')
  },
  {
    name: 'audit',
    summary:
      'show the audit log: who has changed what, and what was refused; or verify it, or a file that was exported',
    operand: '[verify [FILE]]',
    flags: auditFilters,
    example: 'troupe audit verify',
    elsewhere: true,
    load: () => import('../../commands/audit/audit.ts')
  },
  {
    name: 'backup',
    summary:
      'copy the home consistently while the engine is running, and check the copy; with --url into a tar archive',
    operand: 'DIR',
    flags: [{ name: 'no-logs', help: 'leave out the log files of runs' }],
    example: 'troupe backup /var/backups/troupe-2026-03-01',
    elsewhere: true,
    load: () => import('../../commands/backup.ts')
  },
  {
    name: 'restore',
    summary: 'check a backup and make it the home; no engine may be running there',
    operand: 'DIR',
    flags: [{ name: 'replace', help: 'set an existing home aside instead of refusing' }],
    example: 'troupe restore /var/backups/troupe-2026-03-01',
    elsewhere:
      'replaces the files of a home, which a server must not hold open: run it there when the server has ended, without --url',
    load: () => import('../../commands/restore.ts')
  },
  {
    name: 'import',
    summary: 'bring definitions, history and settings of Dagu, or the lines of a crontab, into a home',
    operand: 'dagu|crontab [FILE]',
    flags: [
      {
        name: 'home',
        value: 'DIR',
        help: 'dagu: the home that is imported; default: DAGU_HOME, else where Dagu keeps it'
      },
      { name: 'into', value: 'DIR', help: 'the home that it comes into, instead of ENGINE_HOME' },
      { name: 'dags', value: 'DIR', help: 'dagu: its folder with definitions, where that is elsewhere' },
      {
        name: 'only',
        value: 'PART,..',
        help: 'dagu: definitions, base, configuration, flags, history, logs, queues; default: all'
      },
      {
        name: 'from',
        value: 'VERSION',
        help: 'dagu: the release of definitions that do not tell theirs, such as 2.15 or 1.30'
      },
      { name: 'enqueue', help: 'dagu: put the runs that wait in its queues into the queues here' },
      { name: 'user-column', alias: 'user', help: 'crontab: a user stands before each command, as in /etc/crontab' },
      { name: 'overwrite', help: 'replace files that are here and differ' },
      { name: 'dry-run', help: 'say what would come over, and write nothing' }
    ],
    example: 'troupe import dagu --home ~/.dagu --dry-run',
    elsewhere: 'writes into a home that no server may hold open: run it there when the server has ended, without --url',
    load: () => import('../../commands/import/import.ts')
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    operand: 'SHELL',
    flags: [],
    example: 'troupe completion bash > ~/.troupe-completion.bash',
    elsewhere: true
  },
  {
    name: 'version',
    summary: 'print the version, with --url that of the server',
    flags: [],
    example: 'troupe version',
    elsewhere: true
  }
]
