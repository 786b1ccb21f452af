/**
 * One table, to be read as a whole, and so longer than other files.
 *
 * Who may import whom, as data: one row for each folder of `src/`, lowest layer first. A row may only name rows above it, so that no
 * import runs back. Source: style "Who may import whom", with the project's additions (docs/decisions/project.md).
 */

/** What the files of a room may import, besides each other. */
export interface Row {
  /** `machines`, or a folder of `src/`, or a file directly in it. */
  room: string
  /** Rooms, or a folder or a file of one. With `types:` in front: types only. */
  may: string[]
  /** Packages. */
  npm?: string[]
  /** Modules of Node. */
  node?: true
}

const WORDS = 'types:machines/vocabulary.ts'
/** Closed lists, of which types and checks are made. */
const LISTS = 'machines/vocabulary/lists.ts'

export const TABLE: Row[] = [
  { room: 'machines', may: [], npm: ['xstate'] },
  { room: 'errors', may: [] },
  { room: 'nearest', may: [] },
  // What has a shape says it in this language; it runs in browsers, too.
  { room: 'schema', may: [] },
  { room: 'clock', may: [], node: true },
  { room: 'version', may: [], node: true },
  { room: 'log', may: ['errors', 'clock'], node: true },
  { room: 'platform', may: ['errors', 'clock', 'schema/schema.ts'], node: true },
  // The names of events stand in one place.
  {
    room: 'config',
    may: ['types:machines', 'machines/policy/notices.ts', 'errors', 'nearest', 'platform'],
    npm: ['yaml'],
    node: true
  },
  {
    // Whether a text of a sleep says a time is decided where it is slept.
    room: 'definition',
    may: [
      WORDS,
      'machines/policy/admission.ts',
      'machines/policy/waits.ts',
      'errors',
      'nearest',
      'schema/instead.ts',
      'platform/globs.ts',
      'platform/shell/shell-word.ts'
    ],
    npm: ['yaml', 'croner', 're2js', 'lossless-json', 'ajv'],
    node: true
  },
  { room: 'masking', may: [WORDS, 'clock'], node: true },
  {
    room: 'tracing',
    may: [WORDS, 'clock'],
    npm: [
      '@opentelemetry/sdk-trace-node',
      '@opentelemetry/resources',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/exporter-trace-otlp-grpc',
      '@grpc/grpc-js'
    ],
    node: true
  },
  {
    room: 'store',
    // The limit of a text stands in one place, and so does what a run waits for.
    may: [
      WORDS,
      LISTS,
      'machines/policy/waits.ts',
      'errors',
      'clock',
      'version',
      'schema',
      'platform',
      'definition/yaml/nesting.ts'
    ],
    npm: ['lmdb'],
    node: true
  },
  // Loaded where an audit log is kept or read; who keeps none loads its types.
  {
    room: 'audit',
    may: ['errors', 'schema', 'clock', 'platform', 'masking', 'store'],
    npm: ['lmdb', 'diff'],
    node: true
  },
  {
    room: 'executors',
    may: [WORDS, 'errors', 'clock', 'platform', 'definition', 'masking'],
    npm: [
      'dockerode',
      'ssh2',
      'undici',
      'lossless-json',
      'jq-wasm',
      'nodemailer',
      'tar',
      'yauzl',
      'yazl',
      'picomatch',
      '@standard-schema/spec'
    ],
    node: true
  },
  // `nats.ts` and `broker.ts` are loaded where there is a coordinator; `engine/workers/` and `cli/` say when.
  {
    room: 'bus',
    may: [WORDS, 'errors', 'nearest', 'schema', 'clock', 'log', 'platform'],
    npm: ['@nats-io/transport-node'],
    node: true
  },
  {
    room: 'inspect',
    may: ['machines', 'errors', 'nearest', 'platform/shell/shell-word.ts', 'definition', 'store'],
    npm: ['xstate', 'undici'],
    node: true
  },
  {
    room: 'definitions',
    may: [WORDS, 'errors', 'clock', 'platform', 'definition', 'store', 'executors/frame'],
    node: true
  },
  {
    room: 'actors',
    may: [
      'machines',
      'errors',
      'schema',
      'clock',
      'platform',
      'definition',
      'masking',
      'tracing',
      'bus',
      'store',
      'executors'
    ],
    npm: ['xstate', 'execa', 'undici'],
    node: true
  },
  {
    room: 'engine',
    may: [
      WORDS,
      'machines/policy/admission.ts',
      LISTS,
      'machines/policy/retried.ts',
      'machines/policy/waits.ts',
      'errors',
      'nearest',
      'clock',
      'version',
      'log',
      'platform',
      'config',
      'definition',
      'masking/secrets.ts',
      'store',
      'audit',
      'executors',
      'bus',
      'inspect',
      'definitions',
      'actors'
    ],
    npm: ['diff'],
    node: true
  },
  {
    // Runs the rooms of an engine that do the work of a run, and none that decide or store.
    room: 'worker',
    may: [
      'types:machines',
      'errors',
      'schema',
      'clock',
      'log',
      'platform',
      'config',
      'bus',
      'executors',
      'types:actors/root',
      'store/disk/lock-file.ts',
      'actors/pace',
      'actors/run',
      'actors/runner',
      'actors/step',
      'actors/sub-runs'
    ],
    node: true
  },
  {
    // Looks at a home from outside, and fixes it: no engine is needed.
    room: 'doctor',
    may: [
      'types:machines',
      'errors',
      'clock',
      'version',
      'platform',
      'config',
      'definition/problem-text.ts',
      'store',
      'bus',
      'executors/launcher/launcher-folder.ts',
      'executors/processes/state-file.ts',
      'definitions/definitions.ts',
      'actors/journal/recorded.ts',
      'actors/run/log-names.ts',
      'worker/coordinators.ts',
      'audit'
    ],
    npm: ['lmdb'],
    node: true
  },
  {
    room: 'backup',
    may: [
      WORDS,
      'errors',
      'schema',
      'clock',
      'platform',
      'config',
      'store',
      'executors/processes/state-file.ts',
      'executors/archive/partial-note.ts',
      'actors/run/log-names.ts',
      'doctor',
      'audit'
    ],
    npm: ['lmdb', 'tar'],
    node: true
  },
  {
    // Brings what another scheduler has kept into a home; loaded by its command alone.
    room: 'import',
    may: [
      WORDS,
      'machines/policy/instant.ts',
      'errors',
      'clock',
      'platform',
      'config',
      'definition',
      'store',
      'actors/run/log-names.ts',
      'actors/run/plan-hash.ts'
    ],
    npm: ['yaml'],
    node: true
  },
  {
    room: 'api',
    may: [
      'types:machines',
      LISTS,
      'machines/policy/instant.ts',
      'errors',
      'nearest',
      'schema',
      'clock',
      'log',
      'platform',
      'config',
      'definition',
      'masking/credential-names.ts',
      'store/files/logs.ts',
      'store/files/search-log.ts',
      'store/files/execution-lines.ts',
      'store/damage/unreadable.ts',
      'store/disk/connected-home.ts',
      'inspect/exports.ts',
      'types:definitions',
      'audit',
      'engine',
      // What commands do to a home from outside, a server does to its own.
      'doctor',
      'backup',
      'bus/keys',
      'bus/counted.ts'
    ],
    npm: ['koa', '@koa/router', 'prom-client', 'openid-client', 'jose'],
    node: true
  },
  // It runs in browsers; test/client bundles it for one, the contract included.
  { room: 'client', may: ['types:errors', 'types:schema', 'api/contract'] },
  // Runs in a browser; the build makes one file of it.
  {
    room: 'page',
    // What a retry resets is shown as it is decided.
    may: [LISTS, 'machines/policy/retried.ts', 'platform/seen-text.ts', 'platform/shell/shell-word.ts', 'types:client'],
    npm: [
      'preact',
      '@dagrejs/dagre',
      '@lezer/highlight',
      'cronstrue',
      '@codemirror/autocomplete',
      '@codemirror/commands',
      '@codemirror/lang-yaml',
      '@codemirror/language',
      '@codemirror/lint',
      '@codemirror/merge',
      '@codemirror/search',
      '@codemirror/state',
      '@codemirror/view'
    ]
  },
  {
    // Types for a run come from the engine; it is the engine that starts one.
    room: 'builder',
    may: [WORDS, 'errors', 'nearest', 'schema/instead.ts', 'definition', 'executors/function', 'types:engine'],
    npm: ['yaml', '@standard-schema/spec']
  },
  {
    room: 'host',
    may: [
      WORDS,
      LISTS,
      'errors',
      'nearest',
      'schema',
      'clock',
      'version',
      'log',
      'platform',
      'config',
      'definition/fields/custom-types.ts',
      'store',
      'executors/custom',
      'executors/function',
      'types:bus',
      'inspect/adapter.ts',
      'definitions',
      'engine',
      'builder',
      // Loaded where the host is a worker.
      'worker/start-worker.ts',
      // Served to those who debug a host application, and to its other processes; loaded when that is asked for.
      'api/server.ts',

      'api/owner',
      // Loaded by a process that is connected to the engine of another.
      'api/contract',
      'client'
    ],
    node: true
  },
  // What is mounted in a host application.
  { room: 'http', may: ['api/mount'] },
  {
    // For the tests of hosts and of workflows: a clock that stands still, a store in memory, executors that are told how to end.
    room: 'testing',
    may: [
      WORDS,
      LISTS,
      'machines/policy/instant.ts',
      'errors',
      'nearest',
      'schema',
      'clock',
      'log',
      'platform',
      'config',
      'definition',
      'store',
      'executors',
      'definitions',
      'actors',
      'engine',
      'host'
    ],
    npm: ['lmdb', 'yaml'],
    node: true
  },
  {
    room: 'index',
    may: [
      WORDS,
      'errors',
      'types:definition',
      'executors/custom',
      'executors/function',
      'types:definitions',
      'types:engine',
      'builder',
      'host'
    ]
  },
  {
    room: 'cli',
    may: [
      WORDS,
      LISTS,
      'machines/policy/instant.ts',
      'errors',
      'nearest',
      'schema/instead.ts',
      'clock',
      'log',
      'platform',
      'config',
      'definition',
      'inspect/exports.ts',
      'audit',
      // Paths of logs are made of names, and are nowhere in the events.
      'actors/run/log-names.ts',
      // `validate` reads a text without an engine.
      'definitions/definitions.ts',
      // An earlier attempt is made of a view that is here.
      'engine/views/at-attempt.ts',
      // Two texts are compared where they are shown.
      'engine/views/patch.ts',
      // Loaded by `coordinator`, `worker`, and `start-all` where it starts a coordinator.
      'bus',
      'worker',
      'types:engine',
      'doctor',
      'backup',
      'import',
      'api',
      'client',
      'host',
      'testing'
    ],
    node: true
  },
  {
    // No part of the program: the build makes the documentation with it, of the tables of these.
    room: 'site',
    may: [
      'errors',
      'version',
      'config',
      'definition',
      'inspect',
      'api/contract/document',
      'api/docs',
      'api/metrics',
      'cli/input'
    ],
    npm: ['@11ty/eleventy', 'esbuild', 'prom-client', 'minisearch'],
    node: true
  }
]
