/** Who may import whom, as data. Source: style "Who may import whom", with the project's additions (docs/decisions/project.md). */
/** One row: files of a room, and what they may import. A path that ends in `/` is a folder, any other one file. */
export interface Row {
  room: string
  files: string[]
  /** Beside the room's own files. `types:` before a path: types only. */
  may: string[]
  /** Packages. */
  npm: string[]
  /** Modules of Node. */
  node: boolean
}

const WORDS = 'types:machines/vocabulary.ts'
const ENGINE = [
  'definitions',
  'definition-list',
  'definition-changes',
  'called-workflow',
  'start-run',
  'schedules',
  'queue-view',
  'retry-run',
  'relaunch-run',
  'base-config',
  'schema-source',
  'check-defaults',
  'params',
  'reschedule-run',
  'node-status',
  'dry-run',
  'rename-definition',
  'one-at-a-time',
  'resources',
  'run-view',
  'version',
  'engine-parts',
  'engine-facts',
  'inspected-engine',
  'host-values',
  'host-options',
  'checked-engine',
  'checked-reads',
  'closable',
  'admission',
  'own-home',
  'stop-runs',
  'owning-engine',
  'reading-engine',
  'create-engine',
  'engine',
  'index'
].map((name) => `src/${name}.ts`)

export const TABLE: Row[] = [
  { room: 'machines', files: ['machines/'], may: [], npm: ['xstate'], node: false },
  { room: 'errors', files: ['src/errors.ts'], may: [], npm: [], node: false },
  { room: 'clock', files: ['src/clock.ts'], may: [], npm: [], node: true },
  {
    room: 'config',
    files: ['src/config.ts', 'src/config/'],
    may: [
      'src/errors.ts',
      'src/clock.ts',
      'src/platform/make-folder.ts',
      'src/platform/open-regular.ts',
      'src/nearest.ts'
    ],
    npm: ['yaml'],
    node: true
  },
  { room: 'log', files: ['src/log.ts'], may: ['src/clock.ts', 'src/errors.ts'], npm: [], node: true },
  { room: 'nearest', files: ['src/nearest.ts'], may: [], npm: [], node: false },
  { room: 'make-folder', files: ['src/platform/make-folder.ts'], may: ['src/clock.ts'], npm: [], node: true },
  { room: 'open-regular', files: ['src/platform/open-regular.ts'], may: ['src/clock.ts'], npm: [], node: true },
  { room: 'at-home', files: ['src/platform/at-home.ts'], may: [], npm: [], node: true },
  {
    room: 'home-folder',
    files: ['src/platform/home-folder.ts'],
    may: ['src/errors.ts', 'src/platform/make-folder.ts'],
    npm: [],
    node: true
  },
  { room: 'process-identity', files: ['src/platform/process-identity.ts'], may: [], npm: [], node: true },
  {
    room: 'spec',
    files: ['src/definition/'],
    may: [WORDS, 'src/clock.ts', 'src/errors.ts', 'src/nearest.ts'],
    npm: ['yaml', 'croner', 're2js', 'lossless-json', 'ajv'],
    node: true
  },
  { room: 'masking', files: ['src/masking/'], may: [WORDS, 'src/clock.ts'], npm: [], node: true },
  {
    room: 'tracing',
    files: ['src/tracing/'],
    may: [WORDS, 'src/clock.ts'],
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
    room: 'executors',
    files: ['src/executors/'],
    may: [
      ...[
        WORDS,
        'src/clock.ts',
        'src/errors.ts',
        'src/platform/process-identity.ts',
        'src/platform/make-folder.ts',
        'src/platform/open-regular.ts',
        'src/platform/at-home.ts',
        'src/definition/'
      ],
      'src/masking/'
    ],
    npm: [
      ...['execa', 'dockerode', 'ssh2', 'undici', 'lossless-json', 'jq-wasm', 'nodemailer', 'tar', 'yauzl', 'yazl'],
      'picomatch'
    ],
    node: true
  },
  {
    room: 'store',
    files: ['src/store/'],
    // The limit of a text stands in one place.
    may: [
      'src/definition/yaml/nesting.ts',
      WORDS,
      'src/clock.ts',
      'src/errors.ts',
      'src/platform/process-identity.ts',
      'src/platform/make-folder.ts',
      'src/platform/open-regular.ts'
    ],
    npm: ['lmdb'],
    node: true
  },
  {
    room: 'actors',
    files: ['src/actors/'],
    may: [
      'machines/',
      'src/executors/',
      'src/store/',
      'src/definition/',
      'src/masking/',
      'src/tracing/',
      'src/clock.ts',
      'src/log.ts',
      'src/errors.ts',
      'src/platform/process-identity.ts',
      'src/platform/make-folder.ts',
      'src/platform/at-home.ts'
    ],
    npm: ['xstate', 'croner', 'execa'],
    node: true
  },
  {
    room: 'inspect',
    files: ['src/inspect/'],
    may: ['machines/', 'src/store/', 'src/definition/', 'src/errors.ts', 'src/nearest.ts'],
    npm: ['xstate', 'undici'],
    node: true
  },
  {
    room: 'engine',
    files: ENGINE,
    may: [
      WORDS,
      'src/inspect/',
      // Served to those who debug a host application; loaded when that is asked for.
      'src/api/server.ts',
      'src/actors/',
      'src/store/',
      'src/executors/',
      'src/definition/',
      'src/config.ts',
      'src/clock.ts',
      'src/errors.ts',
      'src/log.ts',
      'src/nearest.ts',
      'src/platform/make-folder.ts',
      'src/platform/at-home.ts',
      'src/platform/home-folder.ts'
    ],
    npm: [],
    node: true
  },
  // It runs in browsers; test/client bundles it for one, the contract included.
  { room: 'client', files: ['src/client/'], may: ['src/api/contract/', 'types:src/errors.ts'], npm: [], node: false },
  {
    // Looks at a home from outside, and mends it: no engine is needed.
    room: 'doctor',
    files: ['src/doctor/'],
    may: [
      'types:machines/',
      'src/store/',
      'src/executors/launcher/launcher-folder.ts',
      'src/executors/processes/state-file.ts',
      'src/actors/journal/recorded.ts',
      'src/actors/run/log-names.ts',
      'src/definitions/definitions.ts',
      'src/definition/problem-text.ts',
      'src/config.ts',
      'src/clock.ts',
      'src/errors.ts',
      'src/platform/home-folder.ts',
      'src/platform/make-folder.ts',
      'src/platform/process-identity.ts'
    ],
    npm: ['lmdb'],
    node: true
  },
  {
    room: 'backup',
    files: ['src/backup/'],
    may: [
      WORDS,
      'src/store/',
      'src/doctor/',
      'src/executors/processes/state-file.ts',
      'src/executors/archive/partial-note.ts',
      'src/config.ts',
      'src/clock.ts',
      'src/errors.ts',
      'src/platform/make-folder.ts',
      'src/platform/open-regular.ts',
      'src/platform/home-folder.ts'
    ],
    npm: ['lmdb'],
    node: true
  },
  {
    room: 'api',
    files: ['src/api/'],
    may: [
      'types:machines/',
      'src/engine/engine.ts',
      'src/errors.ts',
      'src/config.ts',
      'src/clock.ts',
      'src/nearest.ts',
      'src/platform/open-regular.ts',
      'src/definition/',
      'src/inspect/exports.ts',
      'src/masking/credential-names.ts',
      'src/store/files/logs.ts',
      // What is said of a record that cannot be read stands in one place.
      'src/store/damage/unreadable.ts'
    ],
    npm: ['koa', '@koa/router', 'prom-client', 'openid-client', 'jose'],
    node: true
  },
  // Runs in a browser; the build makes one file of it.
  { room: 'page', files: ['src/page/'], may: [], npm: ['preact', '@dagrejs/dagre'], node: false },
  {
    room: 'cli',
    files: ['src/cli/'],
    may: [
      WORDS,
      'src/engine/engine.ts',
      'src/host/create-engine.ts',
      'src/errors.ts',
      'src/config.ts',
      'src/clock.ts',
      'src/log.ts',
      'src/platform/make-folder.ts',
      'src/platform/home-folder.ts',
      'src/nearest.ts',
      // `validate` reads a text without an engine.
      'src/definitions/definitions.ts',
      'src/definition/',
      'src/inspect/exports.ts',
      'src/api/',
      'src/doctor/',
      'src/backup/',
      // Paths of logs are made of names, and are nowhere in the events.
      'src/actors/run/log-names.ts'
    ],
    npm: [],
    node: true
  }
]

/** The page runs in a browser and has a clock of its own. */
const PAGE_CLOCK = 'src/page/clock.ts'

/** Words that belong to one room: who looks at the time, waits, draws random numbers or reads the environment. */
export const WORDS_OF_A_ROOM: { word: string; pattern: RegExp; room: string; also?: string[] }[] = [
  { word: 'Date.now', pattern: /\bDate\s*\.\s*now\b/, room: 'src/clock.ts', also: [PAGE_CLOCK] },
  { word: 'new Date()', pattern: /\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())/, room: 'src/clock.ts' },
  // A member of that name in an object, as in XState's interface of a clock, is no call.
  {
    word: 'setTimeout',
    pattern: /\bsetTimeout\b(?!\s*:)/,
    room: 'src/clock.ts',
    also: [PAGE_CLOCK, 'src/client/pause.ts']
  },
  { word: 'setInterval', pattern: /\bsetInterval\b(?!\s*:)/, room: 'src/clock.ts' },
  { word: 'Math.random', pattern: /\bMath\s*\.\s*random\b/, room: 'src/clock.ts' },
  { word: 'process.env', pattern: /\bprocess\s*\.\s*env\b/, room: 'src/config.ts' }
]
