/** The keys of a definition. Source: definition-format "DAG-level fields", execution-semantics 1.8, 1.9. */
import type { Plan } from '../../../machines/vocabulary.ts'
import { readOtel, readSsh } from '../dag/connections.ts'
import { readContainer, registryAuths } from '../dag/container.ts'
import { mailOn, readMailOn, readMailTarget, readSmtp } from '../dag/mail.ts'
import { readSchedule } from '../dag/schedule.ts'
import { secrets } from '../dag/secrets.ts'
import { HIST_RETENTION_DAYS, MAX_ACTIVE_RUNS } from './defaults.ts'
import {
  ANY,
  CATCHUP,
  CONDITIONS,
  COUNT,
  DAG_PARAMS,
  ENV,
  either,
  FILLED,
  FLAG,
  type Form,
  INTEGER,
  listsOf,
  mapOf,
  NAME,
  ON_INTERRUPT,
  ON_WORKER_LOST,
  oneOf,
  PRIORITY,
  SECONDS,
  STRING,
  TEXT,
  TEXT_MAP,
  TEXTS
} from './field-forms.ts'
import { shell, tags } from './forms.ts'
import { key, levelOf, table } from './level.ts'
import { fieldsOf } from './mapping.ts'
import { type Read, selector, wordOf } from './values.ts'

const STEP_OR_COMMAND = mapOf('stepOrCommand', 'step or command')

export const handlerOn = table({
  success: key(STEP_OR_COMMAND, 'Runs when the run has succeeded.', 'echo good'),
  failure: key(STEP_OR_COMMAND, 'Runs when the run has failed.', '{command: ./alert}'),
  cancel: key(STEP_OR_COMMAND, 'Runs when the run was stopped.', 'echo stopped'),
  exit: key(STEP_OR_COMMAND, 'Runs last, whatever happened.', 'rm -rf "${WORK}"')
})

export const runConfig = levelOf<Plan['runConfig']>()({
  disableParamEdit: key(FLAG, 'Refuses a start with params other than the defaults.', 'true', { default: false }),
  disableRunIdEdit: key(FLAG, 'Refuses a start with its own run id.', 'true', { default: false })
})

const readRunConfig: Read<Plan['runConfig']> = (problems, field) =>
  runConfig.read(problems, fieldsOf(problems, field, runConfig), {})

const MAIL_TARGET = { ...mapOf('mailTarget', 'map, see errorMail'), read: readMailTarget }

/** A choice of two words; the plan has the second one, or nothing. */
const second = <T extends string>(word: string, other: T): Form<T> => ({
  ...oneOf(word, other),
  read: (problems, field) => (wordOf(word, other)(problems, field) === other ? other : undefined)
})

// D1742: the order of a plan is part of its hash
const FIRST = `
  name group description tags type shell shellExpansion workingDir sourceDir env dotenv params paramSchema
  preconditions schedule restartWaitMs skipIfSuccessful catchup queue delayMs histRetentionDays logDir secrets
  mailOn errorMail infoMail smtp workerSelector onWorkerLost container registryAuths ssh otel runConfig
  onInterrupt maxActiveRuns maxActiveSteps timeoutMs cleanUpMs maxOutputSize handlers version onDrift result steps
  statesMaxActiveRuns locals
`

export const dag = levelOf<Omit<Plan, 'home' | 'release'>>({
  first: FIRST,
  wanted: 'a definition must be a map with fields such as name and steps',
  foreign: /^x-/i,
  takesAdvice: true
})({
  name: key(TEXT, 'Names the workflow: at most 40 letters, digits, dots, dashes and underscores.', 'nightly-etl', {
    to: false,
    otherwise: 'the file name',
    notInCode: true
  }),
  description: key(TEXT, 'Says what the workflow is for.', 'Loads the day', { default: '' }),
  group: key(TEXT, 'Groups the workflow with others in lists.', 'reports', { to: false, default: '' }),
  tags: key(TEXTS, 'Words to search by; a text is split at commas, all are lower-cased.', 'nightly, etl', {
    read: tags,
    default: []
  }),
  type: key(
    either('`chain`, `graph`', oneOf('chain', 'graph', '')),
    'Whether each step waits for the one before it (`chain`) or for its `depends` only (`graph`).',
    'graph',
    { to: false, default: 'chain', notInCode: true }
  ),
  schedule: key(
    either('cron text, list of those, or map, see schedule', TEXTS, mapOf('schedule')),
    'When runs are started; five cron fields, with the prefix `CRON_TZ=<zone> ` for another time zone.',
    'CRON_TZ=Europe/Rome 0 5 * * MON-FRI',
    { read: readSchedule, otherwise: 'never by itself', absent: () => ({ start: [], stop: [], restart: [] }) }
  ),
  restartWaitSec: key(SECONDS, 'Pause between the end of a run and its restart by a schedule.', '60', {
    to: 'restartWaitMs',
    default: 0
  }),
  skipIfSuccessful: key(FLAG, 'Skips a scheduled start if a run has succeeded since the last scheduled time.', 'true', {
    default: false
  }),
  catchup: key(
    CATCHUP,
    'What happens to missed scheduled starts: skip them, start one run for all, or start one for each.',
    'last',
    { default: 'none' }
  ),
  queue: key(NAME, 'Named queue in which the runs wait.', 'batch', { otherwise: 'its own queue' }),
  priority: key(
    PRIORITY,
    'Which of the runs that wait in a queue is next: the highest first, then the one that waits longest.',
    '10',
    { default: 0, implied: true }
  ),
  queues: key(ANY, 'Belongs to the global configuration.', '{}', {
    elsewhere: 'queues are global configuration: wanted in config.yaml of the application home, not in a definition'
  }),
  maxActiveRuns: key(INTEGER, 'Runs of this workflow at a time; a negative number sets no limit.', '3', {
    default: MAX_ACTIVE_RUNS,
    zeroIsAbsent: true
  }),
  maxActiveSteps: key(COUNT, 'Steps of one run at a time; 0 sets no limit.', '4', { default: 0 }),
  delaySec: key(SECONDS, 'Pause before the first step.', '10', { to: 'delayMs', default: 0 }),
  timeoutSec: key(SECONDS, 'Limit of one run; 0 sets none.', '3600', { to: 'timeoutMs', default: 0 }),
  maxCleanUpTimeSec: key(SECONDS, 'Time from the request to stop until a step is killed.', '30', {
    to: 'cleanUpMs',
    default: 5,
    zeroIsAbsent: true
  }),
  histRetentionDays: key(
    INTEGER,
    'Days for which finished runs are kept; 0 removes each after its end, a negative number keeps all.',
    '7',
    { default: HIST_RETENTION_DAYS }
  ),
  maxOutputSize: key(COUNT, 'Bytes that a step may capture with `output`.', '65536', {
    default: 1_048_576,
    zeroIsAbsent: true
  }),
  logDir: key(
    FILLED,
    "Folder of the logs, instead of the server's; it may contain `${DAG_NAME}`.",
    '/var/log/${DAG_NAME}',
    { otherwise: "the server's log folder" }
  ),
  workingDir: key(FILLED, 'Working directory of the steps.', '/srv/data', { otherwise: 'the folder of the file' }),
  shell: key(TEXTS, 'Program and flags that run the commands of the steps.', 'bash -euo pipefail', {
    read: shell,
    otherwise: "the server's shell"
  }),
  shellExpansion: key(
    second('variable', 'text'),
    'How a value that the author did not write (a param of a caller, an output, an item) is inserted into an unquoted command: as a shell variable, or as text.',
    'text',
    { default: 'variable', notInCode: true }
  ),
  env: key(ENV, 'Variables of the steps, evaluated from top to bottom.', '[{STAGE: test}, "PATH=${PATH}:/opt/bin"]', {
    default: []
  }),
  dotenv: key(
    TEXTS,
    'Files with variables; the first existing one is read. An empty list reads none.',
    '[.env.local, .env]',
    { default: ['.env'] }
  ),
  params: key(
    DAG_PARAMS,
    'Params and their defaults: words, `NAME=value`, maps, or a map with `schema` and `values`.',
    '[{DAY: today}, "LIMIT=10"]',
    { to: false, default: [], notInCode: true }
  ),
  preconditions: key(CONDITIONS, 'Conditions for a run to start.', '[{condition: "`uname`", expected: Linux}]', {
    to: false,
    default: []
  }),
  precondition: key(CONDITIONS, 'Further preconditions, after the others.', 'test -d /data', {
    to: false,
    default: [],
    notInCode: true
  }),
  handlerOn: key(mapOf('handlerOn'), 'Steps that run after the others.', '{failure: notify-send broken}', {
    to: false
  }),
  steps: key(
    {
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
    'The steps; a list inside the list is a group whose members run in parallel.',
    '[make build, {name: check, command: make test}]',
    { to: false, default: [], notInCode: true }
  ),
  mailOn: key(mapOf('mailOn'), 'Whether the end of a run sends mail.', '{failure: true}', {
    read: readMailOn,
    absent: () => mailOn.blank({})
  }),
  errorMail: key(MAIL_TARGET, 'Who gets mail about a failure.', '{from: troupe@example.org, to: ops@example.org}', {
    otherwise: 'none'
  }),
  infoMail: key(
    MAIL_TARGET,
    'Who gets mail about a success.',
    '{from: troupe@example.org, to: [team@example.org], prefix: "[etl]"}',
    { otherwise: 'none' }
  ),
  smtp: key(
    mapOf('smtp'),
    'The mail server.',
    '{host: mail.example.org, port: "587", username: "${USER_NAME}", password: "${PASSWORD}"}',
    { read: readSmtp, otherwise: 'none' }
  ),
  secrets: key(
    listsOf(mapOf('secret'), 'list of maps, see secrets'),
    'Variables whose values are read when a run starts and masked in everything it writes.',
    '[{name: TOKEN, provider: env, key: SERVICE_TOKEN}]',
    { read: secrets, default: [] }
  ),
  workerSelector: key(TEXT_MAP, 'Labels that a worker must have to run this workflow.', '{gpu: "true"}', {
    read: selector,
    otherwise: 'any, or the server itself'
  }),
  onWorkerLost: key(ON_WORKER_LOST, 'What happens to steps at work on a worker that is lost.', 'requeue', {
    default: 'fail',
    implied: true,
    notInCode: true
  }),
  container: key(
    mapOf('container'),
    'One container that all steps of a run share.',
    '{image: "alpine:3", volumes: [".:/work"], workingDir: /work}',
    { read: readContainer, otherwise: 'none' }
  ),
  registryAuths: key(
    either('map by host, see registryAuths, or text', STRING, {
      label: '',
      schema: { type: 'object', additionalProperties: { anyOf: [TEXT.schema, { $ref: '#/$defs/registryAuth' }] } }
    }),
    'Credentials for image registries, by host, or a whole Docker configuration as text.',
    '{ghcr.io: {username: bot, password: "${GHCR_TOKEN}"}}',
    { read: registryAuths, otherwise: 'none' }
  ),
  ssh: key(
    mapOf('ssh'),
    'The machine that all steps run on.',
    '{user: deploy, host: build.example.org, key: ~/.ssh/id_ed25519}',
    { read: readSsh, otherwise: 'none' }
  ),
  otel: key(mapOf('otel'), 'Tracing with OpenTelemetry.', '{enabled: true, endpoint: "http://localhost:4318"}', {
    read: readOtel,
    otherwise: 'none'
  }),
  runConfig: key(mapOf('runConfig'), 'What a start may not change.', '{disableParamEdit: true}', {
    read: readRunConfig,
    absent: () => runConfig.blank({})
  }),
  maskEnv: key(ANY, 'Accepted, without effect.', '{disable: true}', {
    to: false,
    otherwise: 'nothing',
    notInCode: true
  }),
  onInterrupt: key(ON_INTERRUPT, 'What happens to a step whose outcome was lost in a crash of the server.', 'rerun', {
    default: 'resume'
  }),
  version: key(NAME, 'Names the version of the workflow, for runs that outlive it: see `onDrift`.', '"7"', {
    otherwise: 'none',
    notInCode: true
  }),
  onDrift: key(
    second('continue', 'fail'),
    'Whether a run of another version goes on when an engine opens that has the workflow in code, or waits (`fail`) for an engine with its version.',
    'fail',
    { default: 'continue', notInCode: true }
  ),
  result: key(
    either('text or map of texts', TEXT, TEXT_MAP),
    'The step whose output is the result of a run, or several by the names that the result gives them.',
    '{receipt: charge}',
    { to: false, otherwise: 'no result', notInCode: true }
  )
})
