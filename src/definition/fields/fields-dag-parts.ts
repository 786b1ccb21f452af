/** The fields of the maps inside a definition. Data. Source: definition-format "DAG-level fields", execution-semantics 1.8, 1.9, 10.2. */
import {
  ENV,
  either,
  FLAG,
  type LevelTable,
  mapOf,
  oneOf,
  PARAMS,
  PORT,
  TEXT,
  TEXT_LIST,
  TEXT_MAP,
  TEXTS,
  VARIABLE
} from './field-forms.ts'

export const paramsSchema: LevelTable = {
  rows: [
    {
      name: 'schema',
      form: TEXT,
      about: 'Path or URL of a JSON Schema for the params.',
      required: true,
      example: './params.schema.json'
    },
    { name: 'values', form: PARAMS, about: 'Params and their defaults.', default: [], example: '{LIMIT: 10}' }
  ]
}

export const schedule: LevelTable = {
  rows: [
    { name: 'start', form: TEXTS, about: 'When a run is started.', otherwise: 'never', example: '0 8 * * *' },
    { name: 'stop', form: TEXTS, about: 'When running runs are stopped.', otherwise: 'never', example: '0 18 * * *' },
    {
      name: 'restart',
      form: TEXTS,
      about: 'When a running run is stopped and started again.',
      otherwise: 'never',
      example: '["0 12 * * *"]'
    }
  ]
}

const STEP_OR_COMMAND = mapOf('stepOrCommand', 'step or command')

export const handlerOn: LevelTable = {
  rows: [
    { name: 'success', form: STEP_OR_COMMAND, about: 'Runs when the run has succeeded.', example: 'echo good' },
    { name: 'failure', form: STEP_OR_COMMAND, about: 'Runs when the run has failed.', example: '{command: ./alert}' },
    { name: 'cancel', form: STEP_OR_COMMAND, about: 'Runs when the run was stopped.', example: 'echo stopped' },
    { name: 'exit', form: STEP_OR_COMMAND, about: 'Runs last, whatever happened.', example: 'rm -rf "${WORK}"' }
  ]
}

export const condition: LevelTable = {
  together: {
    anyOf: [
      { required: ['condition'], properties: { condition: TEXT.schema } },
      { required: ['command'], properties: { command: TEXT.schema } }
    ],
    not: { required: ['condition', 'command'], properties: { condition: TEXT.schema, command: TEXT.schema } }
  },
  rows: [
    {
      name: 'condition',
      form: TEXT,
      about: 'A value or a backtick command to compare, or, without `expected`, a command that must exit 0.',
      example: '"`date +%u`"'
    },
    {
      name: 'command',
      form: TEXT,
      about: 'Another name of `condition`.',
      aliasOf: 'condition',
      example: 'test -f input'
    },
    { name: 'expected', form: TEXT, about: 'The text it must equal; with `re:` a pattern.', example: '"re:[1-5]"' },
    { name: 'error', form: TEXT, about: 'The message if it is not met.', example: 'not on a weekend' },
    { name: 'negate', form: FLAG, about: 'Whether it must not be met.', default: false, example: 'true' }
  ]
}

export const mailOn: LevelTable = {
  rows: [
    { name: 'failure', form: FLAG, about: 'Sends `errorMail` when a run has failed.', default: false, example: 'true' },
    {
      name: 'success',
      form: FLAG,
      about: 'Sends `infoMail` when a run has succeeded.',
      default: false,
      example: 'true'
    }
  ]
}

export const mailTarget: LevelTable = {
  rows: [
    { name: 'from', form: TEXT, about: 'Address of the sender.', default: '', example: 'troupe@example.org' },
    { name: 'to', form: TEXTS, about: 'Addresses of the recipients.', default: [], example: '[ops@example.org]' },
    { name: 'prefix', form: TEXT, about: 'Text before the subject.', default: '', example: '"[nightly]"' },
    { name: 'attachLogs', form: FLAG, about: 'Attaches the logs of the steps.', default: false, example: 'true' }
  ]
}

export const smtp: LevelTable = {
  rows: [
    { name: 'host', form: TEXT, about: 'Name of the server.', required: true, example: 'mail.example.org' },
    { name: 'port', form: PORT, about: 'Its port; 465 speaks TLS from the start.', default: '587', example: '"465"' },
    { name: 'username', form: TEXT, about: 'User to sign in as.', default: '', example: 'mailer' },
    { name: 'password', form: TEXT, about: 'Password to sign in with.', default: '', example: '${SMTP_PASSWORD}' }
  ]
}

export const secret: LevelTable = {
  rows: [
    { name: 'name', form: VARIABLE, about: 'Variable that holds the value.', required: true, example: 'TOKEN' },
    {
      name: 'provider',
      form: oneOf('env', 'file', 'command', 'host'),
      about:
        "Where the value is: in a variable (of the DAG's dotenv file or `env`, else of the server), in a file, printed by a command, or known to the host application. See [secrets](secrets.md).",
      required: true,
      example: 'file'
    },
    {
      name: 'key',
      form: TEXT,
      about: 'Name of the variable, path of the file, the command, or what the host application calls it.',
      required: true,
      example: '/run/secrets/token'
    },
    {
      name: 'options',
      form: TEXT_MAP,
      about:
        'Of `command`: `cacheSec`, `timeoutSec`. Of `host`: `timeoutSec`, and others for the application. The other two have none.',
      example: '{timeoutSec: "5"}'
    }
  ]
}

const PULL = either(
  '`always`, `missing`, `never`, or boolean',
  oneOf('always', 'missing', 'never', 'true', 'false'),
  FLAG
)

export const container: LevelTable = {
  rows: [
    { name: 'image', form: TEXT, about: 'Image of the container.', required: true, example: 'python:3.12-slim' },
    { name: 'name', form: TEXT, about: 'Name of the container.', otherwise: 'one of the engine', example: 'etl-box' },
    { name: 'pullPolicy', form: PULL, about: 'When the image is fetched.', default: 'missing', example: 'always' },
    { name: 'pull', form: PULL, about: 'Another name of `pullPolicy`.', aliasOf: 'pullPolicy', example: 'never' },
    { name: 'env', form: ENV, about: 'Variables in the container.', default: [], example: '[STAGE=test]' },
    {
      name: 'volumes',
      form: TEXT_LIST,
      about: '`source:target`, with `:ro` or `:rw`; a path is bound, any other word is a volume.',
      default: [],
      example: '["./data:/data:ro", "cache:/root/.cache"]'
    },
    { name: 'ports', form: TEXT_LIST, about: 'Ports to open.', default: [], example: '["8080:80", "53/udp"]' },
    { name: 'user', form: TEXT, about: 'User in the container.', otherwise: "the image's", example: '"1000:1000"' },
    { name: 'workingDir', form: TEXT, about: 'Folder of the steps.', otherwise: "the image's", example: '/work' },
    { name: 'workDir', form: TEXT, about: 'Another name of `workingDir`.', aliasOf: 'workingDir', example: '/work' },
    {
      name: 'platform',
      form: TEXT,
      about: 'Platform of the image.',
      otherwise: "the daemon's",
      example: 'linux/arm64'
    },
    { name: 'network', form: TEXT, about: 'Network, or `container:<id>`.', otherwise: 'bridge', example: 'host' },
    { name: 'keepContainer', form: FLAG, about: 'Keeps it after the run.', default: false, example: 'true' },
    {
      name: 'startup',
      form: oneOf('keepalive', 'entrypoint', 'command'),
      about: 'What the container runs: an idle process, what its image says, or the field `command`.',
      default: 'keepalive',
      example: 'entrypoint'
    },
    { name: 'command', form: TEXTS, about: 'Words to start it with.', default: [], example: '[serve, --port, "80"]' },
    {
      name: 'waitFor',
      form: oneOf('running', 'healthy'),
      about: 'State that it must reach before the first step.',
      default: 'running',
      example: 'healthy'
    },
    { name: 'logPattern', form: TEXT, about: 'Pattern that its log must match first.', example: '"ready on .*"' },
    {
      name: 'restartPolicy',
      form: oneOf('no', 'always', 'unless-stopped'),
      about: 'Whether the daemon restarts it.',
      otherwise: '`no`',
      example: 'unless-stopped'
    }
  ]
}

export const registryAuth: LevelTable = {
  rows: [
    { name: 'username', form: TEXT, about: 'User of the registry.', example: 'bot' },
    { name: 'password', form: TEXT, about: 'Password or token.', example: '${TOKEN}' },
    { name: 'auth', form: TEXT, about: 'Both as base64, instead of the two fields.', example: 'Ym90OnRva2Vu' }
  ]
}

export const ssh: LevelTable = {
  rows: [
    { name: 'user', form: TEXT, about: 'User on the machine.', default: '', example: 'deploy' },
    { name: 'host', form: TEXT, about: 'Name or address of the machine.', example: 'build.example.org' },
    {
      name: 'ip',
      form: TEXT,
      about: 'Another name of `host`; it wins if both are set.',
      aliasOf: 'host',
      example: '10.0.0.7'
    },
    { name: 'port', form: PORT, about: 'Port.', default: '22', example: '2222' },
    { name: 'key', form: TEXT, about: 'Private key file.', otherwise: 'the usual ones', example: '~/.ssh/id_ed25519' },
    {
      name: 'password',
      form: TEXT,
      about: 'Used if there is no key.',
      otherwise: 'none',
      example: '${SSH_PASSWORD}'
    },
    {
      name: 'strictHostKey',
      form: FLAG,
      about: 'Refuses a machine whose key is not known.',
      default: true,
      example: 'false'
    },
    {
      name: 'knownHostFile',
      form: TEXT,
      about: 'File with the known keys.',
      otherwise: '`~/.ssh/known_hosts`',
      example: '/etc/ssh/known'
    }
  ]
}

export const otel: LevelTable = {
  open: true,
  rows: [
    { name: 'enabled', form: FLAG, about: 'Whether spans are sent.', default: false, example: 'true' },
    {
      name: 'endpoint',
      form: TEXT,
      about: 'A URL for OTLP over HTTP, `host:port` for gRPC.',
      default: '',
      example: 'localhost:4317'
    },
    { name: 'headers', form: TEXT_MAP, about: 'Sent with each request.', default: {}, example: '{x-team: data}' },
    { name: 'insecure', form: FLAG, about: 'No TLS, or no verification.', default: false, example: 'true' },
    {
      name: 'timeout',
      form: { label: 'duration', schema: { type: ['string', 'integer'] } },
      about: 'Limit of one request, such as `500ms` or `1m30s`; a bare number counts seconds.',
      default: '10s',
      example: '5s'
    },
    {
      name: 'resource',
      form: TEXT_MAP,
      about: 'Attributes of every span.',
      default: {},
      example: '{service.name: "${DAG_NAME}"}'
    }
  ]
}

export const runConfig: LevelTable = {
  rows: [
    {
      name: 'disableParamEdit',
      form: FLAG,
      about: 'Refuses a start with params other than the defaults.',
      default: false,
      example: 'true'
    },
    {
      name: 'disableRunIdEdit',
      form: FLAG,
      about: 'Refuses a start with its own run id.',
      default: false,
      example: 'true'
    }
  ]
}
