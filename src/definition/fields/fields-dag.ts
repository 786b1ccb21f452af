/** The fields of a definition. Data. Source: definition-format "DAG-level fields", execution-semantics 1.8, 1.9. */
import { HIST_RETENTION_DAYS, MAX_ACTIVE_RUNS } from '../expand.ts'
import {
  ANY,
  CATCHUP,
  CONDITIONS,
  COUNT,
  DAG_PARAMS,
  ENV,
  either,
  FLAG,
  INTEGER,
  type LevelTable,
  mapOf,
  ON_DRIFT,
  ON_INTERRUPT,
  oneOf,
  SECONDS,
  TEXT,
  TEXT_MAP,
  TEXTS
} from './field-forms.ts'
import { services } from './fields-dag-services.ts'

export const dag: LevelTable = {
  rows: [
    {
      name: 'name',
      form: TEXT,
      about: 'Names the workflow: at most 40 letters, digits, dots, dashes and underscores.',
      otherwise: 'the file name',
      example: 'nightly-etl'
    },
    { name: 'description', form: TEXT, about: 'Says what the workflow is for.', default: '', example: 'Loads the day' },
    { name: 'group', form: TEXT, about: 'Groups the workflow with others in lists.', default: '', example: 'reports' },
    {
      name: 'tags',
      form: TEXTS,
      about: 'Words to search by; a text is split at commas, all are lower-cased.',
      default: [],
      example: 'nightly, etl'
    },
    {
      name: 'type',
      form: either('`chain`, `graph`', oneOf('chain', 'graph', '')),
      about: 'Whether each step waits for the one before it (`chain`) or for its `depends` only (`graph`).',
      default: 'chain',
      example: 'graph'
    },
    {
      name: 'schedule',
      form: either('cron text, list of those, or map, see schedule', TEXTS, mapOf('schedule')),
      about: 'When runs are started; five cron fields, with the prefix `CRON_TZ=<zone> ` for another time zone.',
      otherwise: 'never by itself',
      example: 'CRON_TZ=Europe/Rome 0 5 * * MON-FRI'
    },
    {
      name: 'restartWaitSec',
      form: SECONDS,
      about: 'Pause between the end of a run and its restart by a schedule.',
      default: 0,
      example: '60'
    },
    {
      name: 'skipIfSuccessful',
      form: FLAG,
      about: 'Skips a scheduled start if a run has succeeded since the last scheduled time.',
      default: false,
      example: 'true'
    },
    {
      name: 'catchup',
      form: CATCHUP,
      about: 'What happens to missed scheduled starts: skip them, start one run for all, or start one for each.',
      default: 'none',
      example: 'last'
    },
    {
      name: 'queue',
      form: TEXT,
      about: 'Named queue in which the runs wait.',
      otherwise: 'its own queue',
      example: 'batch'
    },
    {
      name: 'queues',
      form: ANY,
      about: 'Belongs to the global configuration.',
      example: '{}',
      elsewhere: 'queues are global configuration: wanted in config.yaml of the application home, not in a definition'
    },
    {
      name: 'maxActiveRuns',
      form: INTEGER,
      about: 'Runs of this workflow at a time; a negative number sets no limit.',
      default: MAX_ACTIVE_RUNS,
      example: '3'
    },
    {
      name: 'maxActiveSteps',
      form: COUNT,
      about: 'Steps of one run at a time; 0 sets no limit.',
      default: 0,
      example: '4'
    },
    { name: 'delaySec', form: SECONDS, about: 'Pause before the first step.', default: 0, example: '10' },
    {
      name: 'timeoutSec',
      form: SECONDS,
      about: 'Limit of one run; 0 sets none.',
      default: 0,
      example: '3600'
    },
    {
      name: 'maxCleanUpTimeSec',
      form: SECONDS,
      about: 'Time from the request to stop until a step is killed.',
      default: 5,
      example: '30'
    },
    {
      name: 'histRetentionDays',
      form: INTEGER,
      about: 'Days for which finished runs are kept; 0 removes each after its end, a negative number keeps all.',
      default: HIST_RETENTION_DAYS,
      example: '7'
    },
    {
      name: 'maxOutputSize',
      form: COUNT,
      about: 'Bytes that a step may capture with `output`.',
      default: 1_048_576,
      example: '65536'
    },
    {
      name: 'logDir',
      form: TEXT,
      about: "Folder of the logs, instead of the server's; it may contain `${DAG_NAME}`.",
      otherwise: "the server's log folder",
      example: '/var/log/${DAG_NAME}'
    },
    {
      name: 'workingDir',
      form: TEXT,
      about: 'Working directory of the steps.',
      otherwise: 'the folder of the file',
      example: '/srv/data'
    },
    {
      name: 'shell',
      form: TEXTS,
      about: 'Program and flags that run the commands of the steps.',
      otherwise: "the server's shell",
      example: 'bash -euo pipefail'
    },
    {
      name: 'shellExpansion',
      form: oneOf('variable', 'text'),
      about:
        'How a value that the author did not write (a param of a caller, an output, an item) is inserted into an unquoted command: as a shell variable, or as text.',
      default: 'variable',
      example: 'text'
    },
    {
      name: 'env',
      form: ENV,
      about: 'Variables of the steps, evaluated from top to bottom.',
      default: [],
      example: '[{STAGE: test}, "PATH=${PATH}:/opt/bin"]'
    },
    {
      name: 'dotenv',
      form: TEXTS,
      about: 'Files with variables; the first existing one is read. An empty list reads none.',
      default: ['.env'],
      example: '[.env.local, .env]'
    },
    {
      name: 'params',
      form: DAG_PARAMS,
      about: 'Params and their defaults: words, `NAME=value`, maps, or a map with `schema` and `values`.',
      default: [],
      example: '[{DAY: today}, "LIMIT=10"]'
    },
    {
      name: 'preconditions',
      form: CONDITIONS,
      about: 'Conditions for a run to start.',
      default: [],
      example: '[{condition: "`uname`", expected: Linux}]'
    },
    {
      name: 'precondition',
      form: CONDITIONS,
      about: 'Further preconditions, after the others.',
      default: [],
      example: 'test -d /data'
    },
    {
      name: 'handlerOn',
      form: mapOf('handlerOn'),
      about: 'Steps that run after the others.',
      example: '{failure: notify-send broken}'
    },
    {
      name: 'steps',
      form: {
        label: 'list of steps, commands and groups, or map of steps',
        schema: {
          anyOf: [
            {
              type: 'array',
              items: {
                anyOf: [{ $ref: '#/$defs/stepOrCommand' }, { type: 'array', items: { $ref: '#/$defs/stepOrCommand' } }]
              }
            },
            { type: 'object', additionalProperties: { $ref: '#/$defs/stepOrCommand' } }
          ]
        }
      },
      about: 'The steps; a list inside the list is a group whose members run in parallel.',
      default: [],
      example: '[make build, {name: check, command: make test}]'
    },
    ...services,
    {
      name: 'runConfig',
      form: mapOf('runConfig'),
      about: 'What a start may not change.',
      example: '{disableParamEdit: true}'
    },
    {
      name: 'maskEnv',
      form: ANY,
      about: 'Accepted, without effect.',
      otherwise: 'nothing',
      example: '{disable: true}'
    },
    {
      name: 'onInterrupt',
      form: ON_INTERRUPT,
      about: 'What happens to a step whose outcome was lost in a crash of the server.',
      default: 'resume',
      example: 'rerun'
    },
    {
      name: 'version',
      form: TEXT,
      about: 'Names the version of the workflow, for runs that outlive it: see `onDrift`.',
      otherwise: 'none',
      example: '"7"'
    },
    {
      name: 'onDrift',
      form: ON_DRIFT,
      about:
        'Whether a run of another version goes on when an engine opens that has the workflow in code, or waits (`fail`) for an engine with its version.',
      default: 'continue',
      example: 'fail'
    },
    {
      name: 'result',
      form: either('text or map of texts', TEXT, TEXT_MAP),
      about: 'The step whose output is the result of a run, or several by the names that the result gives them.',
      otherwise: 'no result',
      example: '{receipt: charge}'
    }
  ]
}
