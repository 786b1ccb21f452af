/** Shapes of runs, nodes, steps, logs and events. Source: http-api "Resources and their fields", api-semantics 2. */
import { STOPPER_TYPES, TRIGGER_REPEATS, TRIGGER_TYPES, WAITS } from '../../../machines/vocabulary/lists.ts'
import { array, count, flag, integer, object, optional, orNull, type Schema, text } from '../../schema/schema.ts'
import { NodeStatusLabel, NodeStatusNumber, RunStatusLabel, RunStatusNumber } from './statuses.ts'

export const Time = {
  type: 'string',
  description: 'RFC 3339, whole seconds, offset of the configured zone. Empty: not yet.',
  pattern: '^(?:\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:Z|[+-]\\d\\d:\\d\\d))?$'
} as const satisfies Schema

export const Condition = object(
  { condition: text, expected: text, error: text, negate: optional(flag), matched: optional(flag) },
  'A precondition. `matched` is there once it was evaluated.'
)

const numberOrText = { anyOf: [{ type: 'number' }, text] } as const satisfies Schema

export const Step = object(
  {
    name: text,
    id: optional(text),
    description: optional(text),
    dir: optional(text),
    command: optional(text),
    args: optional(array(text)),
    cmdWithArgs: optional(text),
    script: optional(text),
    stdout: optional(text),
    stderr: optional(text),
    output: optional(text),
    depends: optional(array(text)),
    run: optional(text),
    call: optional(text),
    params: optional(text),
    parallel: optional(
      object({
        items: optional({ anyOf: [text, array({ anyOf: [text, { type: 'object', additionalProperties: text }] })] }),
        maxConcurrent: integer
      })
    ),
    preconditions: optional(array(Condition)),
    repeatPolicy: optional(
      object({
        repeat: flag,
        interval: integer,
        mode: { type: 'string', enum: ['while', 'until'] },
        limit: integer,
        exitCode: optional(array(integer)),
        condition: optional(Condition),
        function: optional(text)
      })
    ),
    mailOnError: optional(flag),
    executor: optional(object({ type: text })),
    retryPolicy: optional(
      object({
        limit: numberOrText,
        intervalSec: numberOrText,
        exitCodes: array(integer),
        backoff: { type: 'number' },
        maxIntervalSec: { type: 'number' }
      })
    ),
    continueOn: optional(
      object({
        failure: flag,
        skipped: flag,
        exitCode: array(integer),
        output: array(text),
        markSuccess: flag
      })
    )
  },
  'A step of a definition. Members other than `name` are left out when they hold nothing.'
)

const runStatus = { status: RunStatusNumber, statusLabel: RunStatusLabel }

export const TriggerType = {
  type: 'string',
  enum: TRIGGER_TYPES
} as const satisfies Schema

export const Trigger = object(
  {
    type: { type: 'string', enum: [...TriggerType.enum, 'parent'] },
    again: optional({ type: 'string', enum: TRIGGER_REPEATS }),
    by: optional(text),
    slot: optional(Time),
    of: optional(object({ name: text, dagRunId: text }))
  },
  'What asked for a run, or for its latest attempt: the scheduler (`slot` is the scheduled minute), a request to the API, the command line, the application that embeds the engine, or the run `of` that called it; `import` is a run that ended elsewhere. `by` is a user or token. `again`: it repeats a run, itself or `of`.'
)

// D1662: a duration from whole seconds would be wrong by one
/** To the millisecond, absent: not yet. */
const instants = { startedAtMs: optional(count), finishedAtMs: optional(count) }

export const WaitKind = { type: 'string', enum: WAITS } as const satisfies Schema

export const RunWaitingFor = object(
  { for: WaitKind, until: Time },
  'What a running run waits for outside: an approval or a signal if one of its steps, or of those of the runs that it has called, waits for one; a sleep if nothing of it is at work. `until` is the first limit of such steps; empty: there is none.'
)

const summaryMembers = {
  rootDAGRunName: text,
  rootDAGRunId: text,
  parentDAGRunName: text,
  parentDAGRunId: text,
  dagRunId: text,
  name: text,
  ...runStatus,
  waitingFor: optional(RunWaitingFor),
  queuedAt: Time,
  startedAt: Time,
  finishedAt: Time,
  ...instants,
  log: text,
  params: text,
  workerId: text,
  attempt: count,
  at: optional({ ...Time, description: 'The run was asked for not before then. Missing: at once.' }),
  priority: optional({ ...integer, description: 'Missing: 0.' }),
  trigger: optional(Trigger),
  stoppedBy: optional(
    object(
      { type: { type: 'string', enum: STOPPER_TYPES }, by: optional(text) },
      'Who or what stopped the run first: the scheduler, a request to the API, the command line, the application that embeds the engine, or the engine as it closed. `by` is a user or token.'
    )
  )
}

export const Permissions = {
  ...array({ type: 'string', enum: ['read', 'run', 'write'] }),
  description: 'What the caller may do with it. Missing unless access rules are for them: then it is the same with all.'
} as const satisfies Schema

export const RunSummary = object(
  { ...summaryMembers, error: optional(text), permissions: optional(Permissions) },
  'A run in a list. `error` is there when it has one. `trigger` is missing in runs of releases before 0.6, `stoppedBy` in those that were not stopped.'
)

export const SubRunRef = object(
  {
    dagRunId: text,
    params: text,
    name: text,
    ...runStatus,
    waitingFor: optional(RunWaitingFor),
    ...instants,
    error: optional(text)
  },
  'A run that a step has called, or will call. `error` is there when it has one.'
)

export const WaitingFor = object(
  {
    for: WaitKind,
    ask: text,
    since: Time,
    until: Time,
    payloadSchema: optional({ type: 'object', additionalProperties: {} })
  },
  'What a step waits for. An empty `until`: it has no limit. Without a `payloadSchema` any JSON is taken.'
)

export const Thrown = object(
  { name: text, message: text, code: optional(text), stack: optional(text) },
  'An error that a function has thrown, or a cause of one.'
)

export const Node = object(
  {
    step: Step,
    stdout: text,
    stderr: text,
    startedAt: Time,
    finishedAt: Time,
    ...instants,
    status: NodeStatusNumber,
    statusLabel: NodeStatusLabel,
    retryCount: count,
    doneCount: count,
    exitCode: optional(integer),
    subRuns: array(SubRunRef),
    subRunsRepeated: array(SubRunRef),
    children: optional(array(SubRunRef)),
    childrenRepeated: optional(array(SubRunRef)),
    error: text,
    waitingFor: optional(WaitingFor),
    next: optional(
      object(
        { what: { type: 'string', enum: ['retry', 'repeat'] } as const, atMs: count },
        'The execution that it waits for between two.'
      )
    ),
    given: optional(
      object(
        { by: text, at: Time, payload: text },
        'The signal or approval that it has got: by whom, empty if that is not known, when, and its payload as JSON.'
      )
    ),
    workerId: optional(text),
    lease: optional(count),
    thrown: optional(array(Thrown))
  },
  'A step in a run. `workerId`: the worker that its latest execution was given to, and `lease`: the number of the placement of its run there, which a step gets as `ENGINE_FENCE`; absent for what the engine executed itself. `thrown`: what its function has thrown, then the causes of that. `children` and `childrenRepeated` are older names of `subRuns` and `subRunsRepeated`.'
)

export const RunDetails = object(
  {
    ...summaryMembers,
    error: text,
    errors: optional(array(text)),
    nodes: array(Node),
    preconditions: array(Condition),
    onExit: orNull(Node),
    onSuccess: orNull(Node),
    onFailure: orNull(Node),
    onCancel: orNull(Node),
    nodeLogs: optional(text),
    maxActiveSteps: optional(count),
    warnings: optional(array(text))
  },
  'A run with its nodes and handlers. `nodeLogs` is the folder with the logs of its steps, `maxActiveSteps` how many of them may run at a time if there is a limit. `errors` is there when parts of it cannot be read, because the store is damaged: one `state unreadable: ...` for each. `warnings`: likely mistakes of the start; absent when there are none.'
)

/** Rule A3. */
export const RunAnswer = object({ dagRun: RunDetails, dagRunDetails: RunDetails }, 'The same run under both keys.')

export const SubRunTiming = object({
  dagRunId: text,
  params: text,
  ...runStatus,
  startedAt: Time,
  finishedAt: orNull(Time)
})

export const GridRow = object(
  { name: text, history: array(NodeStatusNumber) },
  'A step, or a handler, in the runs of the answer: `history[i]` belongs to `dagRuns[i]`.'
)

export const LogChunk = object(
  {
    content: text,
    lineCount: count,
    totalLines: count,
    hasMore: flag,
    isEstimate: flag,
    firstLine: optional(count),
    times: optional(
      array(
        object(
          { line: count, at: Time },
          'Lines of the answer from `line` (1: its first) to the `line` of the next entry were begun in the second that begins `at`. Empty: unknown.'
        )
      )
    )
  },
  'A part of a log. `times` are there when the time of at least one line is known; `firstLine` is then the number of its first line in the log, unless that is too long to be counted. With `execution` it is there always.'
)

export const LogFinds = object(
  {
    lines: { ...array(count), description: 'Numbers of the lines, from 1 on, in their order.' },
    nextOffset: { ...count, description: 'The `offset` to go on with; before it all has been searched.' },
    hasMore: { ...flag, description: 'Whether there is more to search now.' }
  },
  'What was found in a part of a log. The last line is searched again by what follows, if its end was not written yet.'
)

export const MergedLog = object(
  {
    lines: array(
      object(
        { step: text, stream: { type: 'string', enum: ['stdout', 'stderr'] } as const, at: Time, text },
        '`at` is the second in which the line was begun, empty if that is unknown.'
      )
    ),
    cursor: text,
    hasMore: flag
  },
  'Lines of several logs in the order of their times. `cursor` gets what follows, also what is written later; `hasMore`: there is more now. The end of a line that is still being written comes later, and a line above 64 KiB in pieces.'
)

export const eventMembers = {
  name: text,
  dagRunId: text,
  seq: count,
  at: Time,
  atMs: count,
  actor: text,
  event: text,
  from: text,
  to: text,
  cause: optional(count),
  step: optional(text),
  trigger: optional(Trigger),
  status: optional(NodeStatusNumber),
  statusLabel: optional({ type: 'string', enum: [...new Set([...RunStatusLabel.enum, ...NodeStatusLabel.enum])] })
}
export const JournalEvent = object(
  eventMembers,
  'A transition of an actor. The status is that of the run, or with `step` of its node.'
)
