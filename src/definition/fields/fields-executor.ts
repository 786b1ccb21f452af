/** The executors and the keys of their `config`. Data. Source: definition-format "Executors", execution-semantics 1.9, 10. */
import { ssh } from '../dag/connections.ts'
import type { ExecutorType } from './executor-types.ts'
import {
  ANY,
  either,
  type Form,
  MAP,
  oneOf,
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
import { key, type LevelTable, openTable, table } from './level.ts'

export const executor = table({
  type: key(
    {
      label:
        '`shell`, `docker`, `ssh`, `http`, `archive`, `mail`, `jq`, `dag`, `function`, `gha`, `signal`, `approval`, `sleep`',
      schema: { $ref: '#/$defs/executorType' }
    },
    "The executor's type.",
    'http',
    { default: 'shell' }
  ),
  config: key(MAP, 'Its settings; texts are expanded.', '{timeout: 10}', { default: {} })
})

const STRINGS = (label: string): Form => ({ label, schema: TEXTS.schema })

const docker = openTable({
  image: key(TEXT, 'Image of a new container.', 'alpine:3'),
  containerName: key(TEXT, 'Running container to use, or name of the new one.', 'db'),
  pull: key(
    either('`always`, `missing`, `never`, or boolean', weakOneOf('always', 'missing', 'never', ''), WEAK_FLAG),
    'When the image is fetched.',
    'always',
    { default: 'missing' }
  ),
  platform: key(TEXT, 'Platform of the image.', 'linux/amd64', { otherwise: "the daemon's" }),
  autoRemove: key(WEAK_FLAG, 'Removes the container after its end.', 'true', { default: false }),
  container: key(MAP, 'Container options of the Docker API.', '{env: [A=b]}'),
  host: key(MAP, 'Host options of the Docker API.', '{binds: ["./data:/data:ro"]}'),
  network: key(MAP, 'Network options of the Docker API.', '{EndpointsConfig: {lan: {}}}'),
  exec: key(MAP, 'Options of a command in a running container.', '{user: root}')
})

const http = openTable({
  headers: key(TEXT_MAP, 'Headers of the request.', '{Accept: text/plain}', { default: {} }),
  query: key(PAIRS, 'Added to the query of the URL.', '{page: 2, tag: [a, b]}', { default: {} }),
  body: key(TEXT, 'Body of the request.', '\'{"a": 1}\'', { default: '' }),
  timeout: key(WEAK_SECONDS, 'Limit of the request; 0 sets none.', '30', { default: 0 }),
  silent: key(WEAK_FLAG, 'Prints the body only.', 'true', { default: false }),
  json: key(WEAK_FLAG, 'Prints the answer as one JSON object.', 'true', { default: false }),
  debug: key(WEAK_FLAG, 'Prints the request too.', 'true', { default: false }),
  skipTLSVerify: key(WEAK_FLAG, 'Accepts any certificate.', 'true', { default: false })
})

const archive = openTable({
  source: key(TEXT, 'What to pack, unpack or list.', 'data', { required: true }),
  destination: key(TEXT, 'The archive to make, or the folder to unpack into.', 'data.tar.gz', {
    otherwise: '`.` when unpacking'
  }),
  format: key(TEXT, 'Format of the archive.', 'tar.gz', { otherwise: 'by its name' }),
  include: key(STRINGS('list of globs'), 'Only these entries.', '["**/*.csv"]', { default: [] }),
  exclude: key(STRINGS('list of globs'), 'Leaves out these entries.', '["*.tmp"]', { default: [] }),
  verifyIntegrity: key(WEAK_FLAG, 'Reads every entry once.', 'true', { default: false }),
  overwrite: key(WEAK_FLAG, 'Replaces files that exist.', 'true', { default: false }),
  preservePaths: key(WEAK_FLAG, 'Keeps folders when unpacking.', 'false', { default: true }),
  stripComponents: key(WEAK_COUNT, 'Leading folders to drop.', '1', { default: 0 }),
  compressionLevel: key(WEAK_NUMBER, 'Effort of the compression.', '9', { otherwise: 'by format' }),
  followSymlinks: key(WEAK_FLAG, 'Packs the targets of links.', 'true', { default: false }),
  continueOnError: key(WEAK_FLAG, 'Continues after a bad entry.', 'true', { default: false }),
  dryRun: key(WEAK_FLAG, 'Changes nothing.', 'true', { default: false }),
  verbose: key(WEAK_FLAG, 'Prints each entry.', 'true', { default: false })
})

const mail = openTable({
  to: key(TEXTS, 'Recipients.', '[ops@example.org]', { required: true }),
  from: key(TEXT, 'Sender.', 'troupe@example.org', { default: '' }),
  subject: key(TEXT, 'Subject.', 'The report', { default: '' }),
  message: key(TEXT, 'Text of the mail.', 'It is done.', { default: '' }),
  attachments: key(TEXTS, 'Files to attach.', '[report.pdf]', { default: [] }),
  contentType: key(TEXT, 'Type of the text.', 'text/plain', { otherwise: '`text/html`' })
})

const jq = openTable({ raw: key(WEAK_FLAG, 'Prints texts without quotes.', 'true', { default: false }) })

const fn = openTable({
  name: key(TEXT, 'The function of the host application.', 'order/charge', { required: true }),
  params: key(ANY, 'What it gets, as its schema wants it.', '{amount: 12}', { default: {} })
})

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

const gha = openTable({
  runner: key(TEXT, 'Image for the action.', 'node:22', { default: 'node:24-bookworm' }),
  autoRemove: key(WEAK_FLAG, 'Removes its containers.', 'false', { default: true }),
  reuseContainers: key(WEAK_FLAG, 'Keeps containers for the next run.', 'true', { default: false }),
  forceRebuild: key(WEAK_FLAG, 'Rebuilds images.', 'true', { default: false }),
  privileged: key(WEAK_FLAG, 'Runs privileged.', 'true', { default: false }),
  network: key(TEXT, 'Network of its containers.', 'host'),
  githubInstance: key(TEXT, 'Where actions come from.', 'git.example.org', { default: 'github.com' }),
  dockerSocket: key(TEXT, 'Docker socket for the action.', '/var/run/docker.sock'),
  containerOptions: key(TEXT, 'Further options of its containers.', '"--cpus 2"'),
  capabilities: key(MAP, 'Capabilities to add or drop.', '{add: [NET_ADMIN]}'),
  artifacts: key(ARTIFACTS, 'Stores what the action uploads.', '{path: artifacts}')
})

const ASK = key(TEXT, 'What is asked of the person who answers.', 'Has it been paid?', { default: '' })
const ON_TIMEOUT = key(
  oneOf('fail', 'skip', 'succeed'),
  'What becomes of the step when its `timeoutSec` is over.',
  'skip',
  { default: 'fail' }
)

const signal = table({
  ask: ASK,
  payloadSchema: key(MAP, 'JSON Schema that the payload must match.', '{type: object, required: [amount]}', {
    otherwise: 'any JSON'
  }),
  onTimeout: ON_TIMEOUT
})

const approval = table({
  ask: ASK,
  onTimeout: ON_TIMEOUT,
  onRefusal: key(oneOf('fail', 'succeed'), 'What becomes of the step when it is refused.', 'succeed', {
    default: 'fail'
  })
})

const sleep = table({
  for: key(TEXT, 'How long, as an ISO 8601 duration, or until when.', 'PT8H', { required: true })
})

/** Keys of `config` by executor type; those of shell and dag have none. Unknown keys are left alone. */
export const CONFIGS: Readonly<Partial<Record<ExecutorType, LevelTable>>> = {
  docker,
  ssh: { ...ssh, open: true },
  http,
  archive,
  mail,
  jq,
  function: fn,
  gha,
  signal,
  approval,
  sleep
}
