/** What a server says of its own home: settings, examination, keys of workers. An addition: docs/http-api.md "The home of the server". */
import { array, count, flag, object, optional, text } from '../../../schema/schema.ts'
import { Time } from '../run-shapes.ts'

const Setting = object(
  { key: text, value: {}, source: text },
  'A secret that is not empty is `***`. `source` is `default`, or such as `ENGINE_PORT`, `port` for an option of the start, `/home/me/config.yaml:3:1`.'
)

export const SettingsAnswer = object(
  {
    file: { ...text, description: 'The configuration file that was read; empty: none.' },
    settings: array(Setting),
    warnings: array(text),
    unsupported: { ...array(text), description: 'Keys with values that this release does not support.' }
  },
  'Every setting of a server, with the source of its value.'
)

const Finding = object({
  check: text,
  severity: { type: 'string', enum: ['error', 'warning', 'note'] },
  message: text,
  mending: text,
  fixable: flag
})

export const Examination = object(
  {
    home: text,
    engine: optional({
      ...count,
      description: 'Process id of the engine. Missing: unknown, since the store cannot be read.'
    }),
    runs: optional({ ...count, description: 'Missing: they cannot be counted.' }),
    counts: object({ error: count, warning: count, note: count }),
    findings: array(Finding),
    fixed: { ...array(Finding), description: 'Empty: only `troupe doctor --fix` fixes, where no engine is running.' },
    notExamined: { ...array(text), description: 'What can only be looked at while no engine is running.' }
  },
  'What was found in a home. `mending` says how to fix it.'
)

export const GivenWorkerKey = object(
  {
    id: text,
    home: { ...text, description: 'Id of the home folder of the worker.' },
    publicKey: text,
    keyFile: { ...text, description: 'Text of the file with the key, which is a secret. The server does not keep it.' },
    natsUser: optional({
      ...text,
      description: 'What has to be added to NATS servers that are not of the coordinator. Missing: nothing has to.'
    }),
    isTakenUp: { ...flag, description: 'A coordinator runs and knows the key. Otherwise the next one will.' },
    problem: optional({
      ...text,
      description: 'Why a coordinator that runs does not know it. Missing: there is none, or it does.'
    })
  },
  'A worker and its new key.'
)

export const RevokedWorker = object(
  {
    id: text,
    home: text,
    publicKey: text,
    revokedAt: Time,
    isForeign: {
      ...flag,
      description: 'The NATS servers are not of the coordinator: its key connects until it is removed there.'
    },
    isTakenUp: { ...flag, description: 'A coordinator runs and has closed its connection. Otherwise none runs.' }
  },
  'A worker whose key counts no more.'
)

const facts = { type: 'object', additionalProperties: {} } as const

export const AuditEntry = object(
  {
    seq: { ...count, description: '1, 2, 3...' },
    at: { ...text, description: 'RFC 3339, UTC, with milliseconds.' },
    principal: object({
      kind: {
        ...text,
        description:
          '`token`, `user`, `person`, `subject`, `caller`...: as in `access.roles`; `owner`: the user of the system who owns the home; `anyone`: the server asks for no credentials; `stranger`: it does, and did not get them; `host`: the application that the engine is part of; `engine`.'
      },
      name: text
    }),
    address: optional({ ...text, description: 'Of the client. Missing: it came over no network.' }),
    door: { type: 'string', enum: ['api', 'v1', 'page', 'mount', 'node', 'socket', 'cli', 'host', 'engine'] },
    requestId: optional(text),
    step: optional({
      ...object({ name: text, dagRunId: text, stepName: text }),
      description: 'The step in which the command ran, as its environment said.'
    }),
    operation: {
      ...text,
      description: 'Id of an operation of this document, or such as `signIn`; of unknown callers method and path.'
    },
    target: optional({ type: 'object', additionalProperties: text, description: 'Parameters of the path, by name.' }),
    outcome: { ...text, description: '`done`, or an error code.' },
    status: optional({ ...count, description: 'HTTP status of the answer.' }),
    hidden: optional({ ...flag, description: 'It may be there: the caller must not see it.' }),
    reason: optional(text),
    before: optional(facts),
    after: optional(facts),
    repeated: optional({ ...count, description: 'So many more like it, since the entry before that is like it.' }),
    until: optional({ ...text, description: 'When the last of these was.' }),
    previous: { ...text, description: '`hash` of the entry before.' },
    hash: { ...text, description: 'SHA-256 of the line of the entry without this member, hexadecimal.' }
  },
  'A change, or a refusal.'
)
