/** What only the user who owns the home may ask, over the owner's socket or in the engine's process: no server has it, and no document. Source: api-semantics 11. */
import { array, count, flag, integer, object, optional, type Shape, text } from '../../schema/schema.ts'
import { IdempotencyKey, IncludeDownstream, Priority, StopBody } from './body-fields.ts'
import { RUN, VIEW } from './needs.ts'
import { described, done, type Operation, ok } from './operation.ts'

const said = { ...text, 'x-absent-when': 'empty' } as const
const File = described(said, 'Absolute path: the working directories of the two sides may differ.')
const RunName = object({ name: text, dagRunId: text })

// D1671: a run that is started over the socket is followed on the same connection
const StartedRun = object(
  { key: RunName, queued: flag, after: count, warnings: optional(array(text)) },
  '`after`: number of the last event that it had before. Asked for as `application/x-ndjson`, a line `{event}` for each later one follows, and at the end `{ended}`, the run.'
)
export const LINES = 'application/x-ndjson'

const started = ok('It has started, or waits in its queue.', StartedRun)
const startErrors = ['already_exists', 'already_running', 'max_run_reached', 'idempotency_mismatch'] as const

/** Operations here have the ids of those of the API that do the same, for the audit log. */
export const OWNER_OPERATIONS = {
  startDag: {
    method: 'POST',
    path: '/owner/start',
    needs: RUN,
    tag: 'Starting',
    summary: 'Start a file, or the definition and params of an earlier run',
    body: object({
      file: optional(File),
      fromRun: optional(RunName),
      params: optional(said),
      dagRunId: optional(said),
      dagName: optional(said),
      noQueue: optional(flag),
      waitWhenFull: optional(flag),
      unlimited: optional(flag),
      at: optional(said),
      priority: optional(Priority),
      idempotencyKey: optional(IdempotencyKey)
    }),
    answers: started,
    errors: startErrors
  },
  enqueueDag: {
    method: 'POST',
    path: '/owner/enqueue',
    needs: RUN,
    tag: 'Starting',
    summary: 'Put a run of a file into its queue',
    body: object({
      file: File,
      params: optional(said),
      dagRunId: optional(said),
      dagName: optional(said),
      queue: optional(said),
      at: optional(said),
      priority: optional(Priority),
      idempotencyKey: optional(IdempotencyKey)
    }),
    answers: ok('The run waits.', RunName),
    errors: startErrors
  },
  retryRun: {
    method: 'POST',
    path: '/owner/dag-runs/{name}/{dagRunId}/retry',
    needs: RUN,
    tag: 'Runs',
    summary: 'Retry a run',
    body: object({
      stepName: optional(said),
      includeDownstream: optional(IncludeDownstream),
      unlimited: optional(flag)
    }),
    answers: started,
    errors: ['already_running']
  },
  stopAllRuns: {
    method: 'POST',
    path: '/owner/dag-runs/{name}/stop',
    needs: RUN,
    tag: 'Runs',
    summary: 'Stop all running runs of a DAG name',
    body: StopBody,
    answers: ok('The ids of those that were running.', object({ stopped: array(text) }))
  },
  streamTree: {
    method: 'GET',
    path: '/owner/dag-runs/{name}/{dagRunId}/tree',
    needs: VIEW,
    tag: 'Events',
    summary: 'Transitions of a run and of all sub DAG runs below it, as they happen',
    answers: {
      200: {
        description: 'A line `{}`, then `{event, place}` for each, as the engine has them; at the end `{ended: true}`.',
        type: LINES
      }
    }
  },
  validateFile: {
    method: 'POST',
    path: '/owner/validate',
    needs: VIEW,
    tag: 'Definitions',
    summary: 'Read a file',
    body: object({ file: File }),
    answers: ok(
      'Its DAG name, and what is wrong with it.',
      object({
        name: text,
        problems: array(object({ path: text, message: text, line: optional(integer), column: optional(integer) }))
      })
    )
  },
  isStalled: {
    method: 'GET',
    path: '/owner/stalled',
    needs: VIEW,
    tag: 'System',
    summary: 'Whether nothing can be stored',
    answers: ok('At the moment.', object({ stalled: flag }))
  },
  enterChange: {
    method: 'POST',
    path: '/owner/audit',
    needs: VIEW, // it is an entry, and has none itself
    tag: 'Home',
    summary: 'Enter into the audit log what a command has done to the home without an engine',
    body: object({
      operation: text,
      target: optional({ type: 'object', additionalProperties: text }),
      before: optional({ type: 'object', additionalProperties: {} }),
      after: optional({ type: 'object', additionalProperties: {} })
    }),
    answers: done('It is there, where one is kept.')
  }
} as const satisfies Record<string, Operation>

type Operations = typeof OWNER_OPERATIONS
/** A run that was started, or that is waiting in its queue. */
export type StartedRun = Shape<typeof StartedRun>
/** A start of the file with this absolute path, or of an earlier run's definition and params. */
export type Start = Shape<Operations['startDag']['body']>
export type Enqueue = Shape<Operations['enqueueDag']['body']>
/** What a command has done, as far as its entry in the audit log does not follow from that. */
export type OwnersEntry = Shape<Operations['enterChange']['body']>
