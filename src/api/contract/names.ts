/** Names and ids, each kind once; `../rules/names.ts` checks with these. Messages quote the description. Source: api-semantics 1.3. */
import type { Schema } from '../../schema/schema.ts'

// D208: names may not be `.` or `..`
export const DagName = {
  type: 'string',
  description: '1 to 40 of the characters A-Z a-z 0-9 _ . -',
  minLength: 1,
  maxLength: 40,
  pattern: '^[A-Za-z0-9_.-]+$',
  not: { enum: ['.', '..'] }
} as const satisfies Schema

/** Name of a definition that is to be created: it becomes a file. */
export const NewFileName = {
  type: 'string',
  description: '1 to 40 of the characters A-Z a-z 0-9 _ . - and neither . nor - in front',
  minLength: 1,
  maxLength: 40,
  pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*$'
} as const satisfies Schema

export const FileName = {
  type: 'string',
  description: 'characters of A-Z a-z 0-9 _ -',
  minLength: 1,
  maxLength: 250,
  pattern: '^[A-Za-z0-9_-]+$'
} as const satisfies Schema

/** Names may contain dots, so files may: such a file is served when it exists. */
export const DottedFileName = { ...FileName, pattern: '^[A-Za-z0-9_-][A-Za-z0-9_.-]*$' } as const satisfies Schema

export const LATEST = 'latest'

/** Id of a run, chosen by a caller. */
export const RunId = {
  type: 'string',
  description: '1 to 64 of the characters A-Z a-z 0-9 _ - and not the word latest',
  minLength: 1,
  maxLength: 64,
  pattern: '^[-a-zA-Z0-9_]+$',
  not: { const: LATEST }
} as const satisfies Schema

/** Only ever compared with the names of a run's steps. */
export const StepName = {
  type: 'string',
  description: 'the name of a step, of at most 1000 characters',
  maxLength: 1_000,
  pattern: '^[^\\u0000]*$'
} as const satisfies Schema

/** Only ever compared with those of the workers. */
const WorkerId = {
  type: 'string',
  description: 'the id of a worker, of at most 200 characters',
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]*$'
} as const satisfies Schema

/** Only ever compared with those of the versions of a definition. */
export const Revision = {
  type: 'string',
  description: '22 of the characters A-Z a-z 0-9 _ -',
  pattern: '^[A-Za-z0-9_-]{22}$'
} as const satisfies Schema

/** Only ever compared with those of the targets. */
const TargetName = {
  type: 'string',
  description: '1 to 60 of the characters A-Z a-z 0-9 _ . -',
  minLength: 1,
  maxLength: 60,
  pattern: '^[A-Za-z0-9_.-]+$'
} as const satisfies Schema

export const KeyName = { ...DagName } as const satisfies Schema

/** The kinds of path parameters. With a route that has another one, the API does not start. */
export const PATH_PARAMETERS = {
  fileName: {
    schema: DottedFileName,
    description: 'File name of a definition without its extension. One with dots is found when there is such a file.'
  },
  name: { schema: DagName, description: 'Name of a DAG.' },
  dagRunId: { schema: RunId, description: 'Id of a run.' },
  subDAGRunId: { schema: RunId, description: 'Id of a sub DAG run, at any depth.' },
  machineId: { schema: DagName, description: 'Id of a statechart.' },
  stepName: { schema: StepName, description: 'Name of a step; of a log also onExit, onSuccess, onFailure, onCancel.' },
  workerId: { schema: WorkerId, description: 'Id of a worker.' },
  revision: { schema: Revision, description: 'Revision of a text.' },
  targetName: { schema: TargetName, description: 'Name of a target of `notify`.' },
  keyName: { schema: KeyName, description: 'Name of an API key.' }
} as const satisfies Record<string, { schema: Schema; description: string }>

export type PathParameter = keyof typeof PATH_PARAMETERS

/** Ids that may be `latest` where something is read: acting on a moving target is unsafe. */
export const MOVING: ReadonlySet<string> = new Set(['dagRunId', 'subDAGRunId'])

/** Id of a run that is read. */
export const MovingRunId = { anyOf: [RunId, { type: 'string', const: LATEST }] } as const satisfies Schema
