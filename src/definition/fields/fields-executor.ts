/** The executors and the keys of their `config`. Data. Source: definition-format "Executors", execution-semantics 1.9, 10. */
import {
  ANY,
  either,
  type Form,
  type LevelTable,
  MAP,
  PAIRS,
  PORT,
  TEXT,
  TEXT_MAP,
  TEXTS,
  WEAK_COUNT,
  WEAK_FLAG,
  WEAK_NUMBER,
  WEAK_SECONDS,
  weakOneOf
} from './field-forms.ts'
import { ssh } from './fields-dag-parts.ts'

/** Executor types, and other names a definition may give them. The empty name is the shell's. */
export const EXECUTORS = {
  shell: ['', 'command'],
  docker: ['container'],
  ssh: [],
  http: [],
  archive: [],
  mail: [],
  jq: [],
  dag: ['subworkflow'],
  function: [],
  gha: ['github_action', 'github-action']
} as const satisfies Record<string, readonly string[]>

export type ExecutorType = keyof typeof EXECUTORS

export const executor: LevelTable = {
  rows: [
    {
      name: 'type',
      form: {
        label: '`shell`, `docker`, `ssh`, `http`, `archive`, `mail`, `jq`, `dag`, `function`, `gha`',
        schema: { $ref: '#/$defs/executorType' }
      },
      about: "The executor's type.",
      default: 'shell',
      example: 'http'
    },
    { name: 'config', form: MAP, about: 'Its settings; texts are expanded.', default: {}, example: '{timeout: 10}' }
  ]
}

const STRINGS = (label: string): Form => ({ label, schema: TEXTS.schema })

const docker: LevelTable = {
  open: true,
  rows: [
    { name: 'image', form: TEXT, about: 'Image of a new container.', example: 'alpine:3' },
    { name: 'containerName', form: TEXT, about: 'Running container to use, or name of the new one.', example: 'db' },
    {
      name: 'pull',
      form: either('`always`, `missing`, `never`, or boolean', weakOneOf('always', 'missing', 'never', ''), WEAK_FLAG),
      about: 'When the image is fetched.',
      default: 'missing',
      example: 'always'
    },
    {
      name: 'platform',
      form: TEXT,
      about: 'Platform of the image.',
      otherwise: "the daemon's",
      example: 'linux/amd64'
    },
    {
      name: 'autoRemove',
      form: WEAK_FLAG,
      about: 'Removes the container after its end.',
      default: false,
      example: 'true'
    },
    { name: 'container', form: MAP, about: 'Container options of the Docker API.', example: '{env: [A=b]}' },
    { name: 'host', form: MAP, about: 'Host options of the Docker API.', example: '{binds: ["./data:/data:ro"]}' },
    {
      name: 'network',
      form: MAP,
      about: 'Network options of the Docker API.',
      example: '{EndpointsConfig: {lan: {}}}'
    },
    { name: 'exec', form: MAP, about: 'Options of a command in a running container.', example: '{user: root}' }
  ]
}

const http: LevelTable = {
  open: true,
  rows: [
    { name: 'headers', form: TEXT_MAP, about: 'Headers of the request.', default: {}, example: '{Accept: text/plain}' },
    {
      name: 'query',
      form: PAIRS,
      about: 'Added to the query of the URL.',
      default: {},
      example: '{page: 2, tag: [a, b]}'
    },
    { name: 'body', form: TEXT, about: 'Body of the request.', default: '', example: '\'{"a": 1}\'' },
    { name: 'timeout', form: WEAK_SECONDS, about: 'Limit of the request; 0 sets none.', default: 0, example: '30' },
    { name: 'silent', form: WEAK_FLAG, about: 'Prints the body only.', default: false, example: 'true' },
    { name: 'json', form: WEAK_FLAG, about: 'Prints the answer as one JSON object.', default: false, example: 'true' },
    { name: 'debug', form: WEAK_FLAG, about: 'Prints the request too.', default: false, example: 'true' },
    { name: 'skipTLSVerify', form: WEAK_FLAG, about: 'Accepts any certificate.', default: false, example: 'true' }
  ]
}

const archive: LevelTable = {
  open: true,
  rows: [
    { name: 'source', form: TEXT, about: 'What to pack, unpack or list.', required: true, example: 'data' },
    {
      name: 'destination',
      form: TEXT,
      about: 'The archive to make, or the folder to unpack into.',
      otherwise: '`.` when unpacking',
      example: 'data.tar.gz'
    },
    { name: 'format', form: TEXT, about: 'Format of the archive.', otherwise: 'by its name', example: 'tar.gz' },
    {
      name: 'include',
      form: STRINGS('list of globs'),
      about: 'Only these entries.',
      default: [],
      example: '["**/*.csv"]'
    },
    {
      name: 'exclude',
      form: STRINGS('list of globs'),
      about: 'Leaves out these entries.',
      default: [],
      example: '["*.tmp"]'
    },
    { name: 'verifyIntegrity', form: WEAK_FLAG, about: 'Reads every entry once.', default: false, example: 'true' },
    { name: 'overwrite', form: WEAK_FLAG, about: 'Replaces files that exist.', default: false, example: 'true' },
    { name: 'preservePaths', form: WEAK_FLAG, about: 'Keeps folders when unpacking.', default: true, example: 'false' },
    { name: 'stripComponents', form: WEAK_COUNT, about: 'Leading folders to drop.', default: 0, example: '1' },
    {
      name: 'compressionLevel',
      form: WEAK_NUMBER,
      about: 'Effort of the compression.',
      otherwise: 'by format',
      example: '9'
    },
    { name: 'followSymlinks', form: WEAK_FLAG, about: 'Packs the targets of links.', default: false, example: 'true' },
    {
      name: 'continueOnError',
      form: WEAK_FLAG,
      about: 'Continues after a bad entry.',
      default: false,
      example: 'true'
    },
    { name: 'dryRun', form: WEAK_FLAG, about: 'Changes nothing.', default: false, example: 'true' },
    { name: 'verbose', form: WEAK_FLAG, about: 'Prints each entry.', default: false, example: 'true' }
  ]
}

const mail: LevelTable = {
  open: true,
  rows: [
    { name: 'to', form: TEXTS, about: 'Recipients.', required: true, example: '[ops@example.org]' },
    { name: 'from', form: TEXT, about: 'Sender.', default: '', example: 'troupe@example.org' },
    { name: 'subject', form: TEXT, about: 'Subject.', default: '', example: 'The report' },
    { name: 'message', form: TEXT, about: 'Text of the mail.', default: '', example: 'It is done.' },
    { name: 'attachments', form: TEXTS, about: 'Files to attach.', default: [], example: '[report.pdf]' },
    { name: 'contentType', form: TEXT, about: 'Type of the text.', otherwise: '`text/html`', example: 'text/plain' }
  ]
}

const jq: LevelTable = {
  open: true,
  rows: [{ name: 'raw', form: WEAK_FLAG, about: 'Prints texts without quotes.', default: false, example: 'true' }]
}

const fn: LevelTable = {
  open: true,
  rows: [
    {
      name: 'name',
      form: TEXT,
      about: 'The function of the host application.',
      required: true,
      example: 'order/charge'
    },
    { name: 'params', form: ANY, about: 'What it gets, as its schema wants it.', default: {}, example: '{amount: 12}' }
  ]
}

const ARTIFACTS: Form = {
  label: 'map of `path` and `port`',
  schema: {
    anyOf: [
      {
        type: 'object',
        required: ['path'],
        properties: { path: TEXT.schema, port: PORT.schema },
        additionalProperties: false
      },
      { type: 'null' } // counts as absent
    ]
  }
}

const gha: LevelTable = {
  open: true,
  rows: [
    { name: 'runner', form: TEXT, about: 'Image for the action.', default: 'node:24-bookworm', example: 'node:22' },
    { name: 'autoRemove', form: WEAK_FLAG, about: 'Removes its containers.', default: true, example: 'false' },
    {
      name: 'reuseContainers',
      form: WEAK_FLAG,
      about: 'Keeps containers for the next run.',
      default: false,
      example: 'true'
    },
    { name: 'forceRebuild', form: WEAK_FLAG, about: 'Rebuilds images.', default: false, example: 'true' },
    { name: 'privileged', form: WEAK_FLAG, about: 'Runs privileged.', default: false, example: 'true' },
    { name: 'network', form: TEXT, about: 'Network of its containers.', example: 'host' },
    {
      name: 'githubInstance',
      form: TEXT,
      about: 'Where actions come from.',
      default: 'github.com',
      example: 'git.example.org'
    },
    { name: 'dockerSocket', form: TEXT, about: 'Docker socket for the action.', example: '/var/run/docker.sock' },
    { name: 'containerOptions', form: TEXT, about: 'Further options of its containers.', example: '"--cpus 2"' },
    { name: 'capabilities', form: MAP, about: 'Capabilities to add or drop.', example: '{add: [NET_ADMIN]}' },
    { name: 'artifacts', form: ARTIFACTS, about: 'Stores what the action uploads.', example: '{path: artifacts}' }
  ]
}

/** Keys of `config` by executor type; those of shell and dag have none. Unknown keys are left alone. */
export const CONFIGS: Readonly<Partial<Record<ExecutorType, LevelTable>>> = {
  docker,
  ssh: { ...ssh, open: true },
  http,
  archive,
  mail,
  jq,
  function: fn,
  gha
}
