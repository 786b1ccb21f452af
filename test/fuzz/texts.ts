/** Texts that have broken somebody's program, and texts that mean something to the server at hand. */

export const HOSTILE = [
  '',
  'latest',
  'local',
  '..',
  '.',
  '-rf',
  '--help',
  '../../etc/passwd',
  '..%2f..%2fetc',
  '%00',
  '\0',
  '%',
  '%ff%fe',
  '%25%32%66',
  'a b',
  'a\r\nX-Injected: 1',
  "'; DROP TABLE runs; --",
  '$(touch mark)',
  '`touch mark`',
  '${PATH}',
  '<script>',
  '\u202e\ud83d\ude00',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(300),
  'x'.repeat(5_000),
  '-1',
  '0',
  '+7',
  '1e9',
  '99999999999999999999',
  '-9007199254740991',
  'NaN',
  'null',
  'true',
  '(a+)+$',
  '['.repeat(500)
]

/** Cheap enough to be run a thousand times; it shows its parameters to the shell. */
export const CHEAP = 'maxActiveRuns: 2\nsteps:\n  - test -n "x$1${params}"\n'

const SPECS = [
  CHEAP,
  'steps:\n  - "true"\n',
  `name: hello\n${CHEAP}`,
  'name: full\nsteps: ["true"]\n',
  'name: ..\nsteps: ["true"]\n',
  'steps:\n  - name: x\n   y: [\n',
  'colour: red',
  'x-a: &a [*a]\n',
  '- '.repeat(3_000),
  '[{'.repeat(3_000),
  'steps: 7',
  '\t',
  ''
]
/** Remote nodes: the server itself, and one that is not there. */
export const MIRROR = 'mirror'
export const GONE = 'gone'

const RUN_IDS = ['r-1', 'r-2', 'holder', 'waiting', 'p-1', 'latest']
const STEPS = ['cmd_1', 'call', 'onExit']
const NAMES = ['hello', 'full', 'dotted.name', 'parent', 'adhoc']

/** What gets far, by the name of a parameter or a field. */
export const KNOWN: Readonly<Record<string, readonly unknown[]>> = {
  fileName: NAMES,
  machineId: ['engine', 'run', 'node'],
  newFileName: ['renamed', 'hello', 'new.name'],
  name: [...NAMES, 'new'],
  dagName: ['other', 'full', ' hello '],
  dagRunId: RUN_IDS,
  parentSubDAGRunId: RUN_IDS,
  stepName: STEPS,
  spec: SPECS,
  // Of version 1.
  file: RUN_IDS,
  requestId: RUN_IDS,
  step: STEPS,
  value: [...SPECS, 'true', 'false', 'renamed', 'hello'],
  params: ['a b=c', 'a="$(touch mark)" `touch mark` ;touch mark', '{"a":"$(touch mark)"}', '['.repeat(5_000)],
  queue: ['full', 'adhoc'],
  remoteNode: ['local', MIRROR, MIRROR, GONE],
  q: ['true', 'STEPS', '(', '.*', '(a+)+$'],
  tag: ['demo', 'DEMO'],
  sort: ['name', 'nextRun', 'latestRun', 'status', 'trend'],
  order: ['asc', 'desc'],
  duration: ['30m', '1h30m'],
  after: ['0', '3', 'now'],
  'Last-Event-ID': ['2', 'now'],
  follow: ['false'],
  suspend: [true, false],
  singleton: [true, false],
  dryRun: [true, false],
  status: [0, 1, 2, 3, 4, 5, 6]
}
