/**
 * The fields the format knows, level by level. A field under `later` is refused with `not supported yet`; to support one,
 * move its name to `supported` and read it. Every other name is unknown.
 * Source: definition-format "DAG-level fields", "Step fields"; execution-semantics 1.6, 1.9.
 */
import { nearest } from '../nearest.ts'

/** Names as they are written in messages; they are matched in any case. */
export interface FieldTable {
  supported: readonly string[]
  later: readonly string[]
}

const FIELDS = {
  dag: {
    supported: [
      ...['name', 'description', 'group', 'tags', 'type', 'workingDir', 'shell', 'env', 'params', 'preconditions'],
      ...['precondition', 'handlerOn', 'maxActiveRuns', 'maxActiveSteps', 'timeoutSec', 'maxCleanUpTimeSec'],
      ...['maxOutputSize', 'steps']
    ],
    later: [
      ...[
        'schedule',
        'restartWaitSec',
        'skipIfSuccessful',
        'queue',
        'queues',
        'delaySec',
        'histRetentionDays',
        'logDir'
      ],
      ...[
        'dotenv',
        'mailOn',
        'errorMail',
        'infoMail',
        'smtp',
        'secrets',
        'workerSelector',
        'container',
        'registryAuths'
      ],
      ...['ssh', 'otel', 'runConfig', 'maskEnv', 'onInterrupt']
    ]
  },
  step: {
    supported: [
      ...['name', 'id', 'description', 'command', 'args', 'script', 'shell', 'dir', 'workingDir', 'stdout', 'stderr'],
      ...['output', 'depends', 'preconditions', 'precondition', 'continueOn', 'retryPolicy', 'executor', 'env'],
      ...['timeoutSec', 'signalOnStop']
    ],
    later: [
      ...['repeatPolicy', 'call', 'run', 'params', 'parallel', 'mailOnError', 'shellPackages', 'workerSelector'],
      ...['onInterrupt', 'container']
    ]
  },
  /** `params` as an object with a `schema` text. */
  paramsSchema: { supported: [], later: ['schema', 'values'] },
  handlerOn: { supported: ['success', 'failure', 'cancel', 'exit'], later: [] },
  condition: { supported: ['condition', 'command', 'expected', 'error', 'negate'], later: [] },
  continueOn: { supported: ['failure', 'skipped', 'exitCode', 'output', 'markSuccess'], later: [] },
  retryPolicy: {
    supported: ['limit', 'intervalSec', 'exitCodes', 'exitCode', 'backoff', 'maxIntervalSec'],
    later: []
  },
  executor: { supported: ['type', 'config'], later: [] }
} satisfies Record<string, FieldTable>

export type Level = keyof typeof FIELDS

/** Executor types by the names a definition may give them. The empty name is the shell's. */
export const EXECUTOR_TYPES: FieldTable = {
  supported: ['', 'shell', 'command'],
  later: [
    ...['docker', 'container', 'ssh', 'http', 'archive', 'mail', 'jq', 'dag', 'subworkflow'],
    ...['gha', 'github_action', 'github-action']
  ]
}

/** A field name in its written form. */
export interface KnownField {
  name: string
  supported: boolean
}

const KNOWN = new Map(Object.entries(FIELDS).map(([level, table]) => [level, index(table)]))

function index({ supported, later }: FieldTable): Map<string, KnownField> {
  const all = [
    ...supported.map((name) => ({ name, supported: true })),
    ...later.map((name) => ({ name, supported: false }))
  ]
  return new Map(all.map((known) => [known.name.toLowerCase(), known]))
}

/** The field of a level that a key names; absent: unknown. */
export const knownField = (level: Level, key: string): KnownField | undefined =>
  KNOWN.get(level)?.get(key.toLowerCase())

/** The known field nearest to an unknown key. */
export const nearestField = (level: Level, key: string): string | undefined =>
  nearest(
    key,
    Array.from(KNOWN.get(level)?.values() ?? [], ({ name }) => name)
  )
