/** Shapes of charts, actors, explanations and sequences, made by `../shapes/fact-shapes.ts`. Source: docs/inspect.md. */
import { array, count, flag, integer, object, optional, orNull, type Schema, text } from '../../schema/schema.ts'
import { described } from './operation.ts'
import { eventMembers, JournalEvent, Time } from './run-shapes.ts'
import { NodeStatusLabel, NodeStatusNumber, RunStatusLabel, RunStatusNumber } from './statuses.ts'

const epochMs = orNull(count)
const runStatus = { status: RunStatusNumber, statusLabel: RunStatusLabel }
const anything = { type: 'object' } as const satisfies Schema

export const ChartSummary = object({ id: text, description: text })

const transition = object(
  { event: text, targets: array(text), guard: optional(text), actions: array(text), description: optional(text) },
  'An empty event: taken at once. No targets: the state is not left.'
)
const actorName = object({ name: text, machine: optional(text) })

export const Chart = object({
  id: text,
  description: text,
  initial: text,
  events: array(text),
  actors: array(actorName),
  transitions: array(transition),
  states: array({
    ...anything,
    description:
      'A state: `path`, `key`, `type`, `description`, `tags`, `initial`, `states` within, `invokes`, `entry`, `exit`, `transitions`.'
  })
})

export const ActorFacts = object(
  {
    address: text,
    machine: text,
    step: optional(text),
    parent: optional(text),
    states: array(text),
    tags: array(text),
    status: { type: 'string', enum: ['active', 'done'] },
    since: Time,
    sinceMs: count,
    seq: count,
    context: { ...anything, additionalProperties: {} },
    accepts: array(text),
    refuses: array(object({ event: text, guard: text })),
    subRuns: optional(array(object({ name: text, dagRunId: text, ...runStatus }))),
    reach: optional({
      ...array(object({ path: text, transitions: array(count) })),
      description:
        'The states that it can be in, by what its plan has, and the places of the transitions that can be taken in the list of the chart; an empty path is the whole chart. Only with the parameter `actor`.'
    })
  },
  'An actor of a run, as of one event.'
)

export const Preview = object({
  event: text,
  isTaken: { ...flag, description: 'Anything would follow from it.' },
  states: array(text),
  context: { ...anything, additionalProperties: {} },
  effects: {
    ...array(object({ kind: { type: 'string', enum: ['sends', 'starts', 'does'] }, what: text, to: text })),
    description: 'What the chart would ask for.'
  }
})

export const NodeFacts = object({
  step: text,
  handler: flag,
  status: NodeStatusNumber,
  statusLabel: NodeStatusLabel,
  startedAt: Time,
  startedAtMs: epochMs,
  finishedAt: Time,
  finishedAtMs: epochMs,
  retryCount: count,
  doneCount: count,
  exitCode: orNull(integer),
  error: text
})

export const RunFacts = object({
  name: text,
  dagRunId: text,
  at: count,
  latest: count,
  happenedAt: Time,
  happenedAtMs: epochMs,
  event: orNull(JournalEvent),
  ...runStatus,
  nodes: array(NodeFacts),
  actors: array(ActorFacts)
})

export const Statechart = object({
  name: text,
  dagRunId: text,
  ...runStatus,
  charts: array(Chart),
  actors: array(ActorFacts)
})

export const Reason = object({
  cause: text,
  about: object({ kind: { type: 'string', enum: ['run', 'node', 'handler', 'dag'] }, name: text }),
  waiting: flag,
  text,
  since: Time,
  sinceMs: epochMs,
  until: Time,
  untilMs: epochMs,
  blockedBy: array(object({ kind: text, name: text, dagRunId: optional(text) })),
  unblock: text
})

const runSubject = object({ kind: { type: 'string', const: 'run' }, name: text, dagRunId: text, ...runStatus })
const dagSubject = object({ kind: { type: 'string', const: 'dag' }, name: text, fileName: text })
export const Explanation = object({ subject: { anyOf: [runSubject, dagSubject] }, reasons: array(Reason) })

export const Sequence = object({
  name: text,
  dagRunId: text,
  participants: array(text),
  messages: array(object({ seq: count, at: Time, atMs: count, from: text, to: text, event: text, state: text })),
  omitted: count,
  mermaid: text
})

/** The scheduler's decision about one kind of schedule of one definition in one minute. Source: machines/vocabulary.ts */
export const Decision = object({
  number: { ...count, description: 'Counts up over all definitions.' },
  fileName: text,
  name: { ...text, description: 'Name of the DAG.' },
  kind: { type: 'string', enum: ['start', 'stop', 'restart'] },
  slot: { ...Time, description: 'The scheduled minute.' },
  slotMs: count,
  at: { ...Time, description: 'When it was decided.' },
  atMs: count,
  outcome: { type: 'string', enum: ['fired', 'skipped'] },
  reason: optional({
    type: 'string',
    enum: [
      'suspended',
      'running',
      'started',
      'succeeded',
      'nothing_running',
      'restarting',
      'decided',
      'missed',
      'limit',
      'invalid'
    ],
    description: 'Why it was skipped.'
  }),
  error: optional(text),
  catchup: optional({ type: 'string', enum: ['last', 'all'], description: 'A missed minute was backfilled.' }),
  dagRunId: optional({ ...text, description: 'The run that was started, queued or restarted.' })
})

export const DecisionsPart = object({
  next: {
    ...orNull(count),
    description:
      'To be given as `before` for the next part, also when this one is short or empty. Null: this was the last.'
  },
  decisions: array(Decision)
})

/** An event with its causes, when requested. */
export const CausedEvent = object({
  ...eventMembers,
  causes: optional(array(object({ seq: count, actor: text, event: text })))
})

export const JournalPart = object({
  name: text,
  dagRunId: text,
  latest: count,
  next: { ...orNull(count), description: 'To be given as `after` for the next part. Null: this was the last.' },
  events: array(CausedEvent)
})

const change = optional({
  type: 'string',
  enum: ['changed', 'added', 'removed'],
  description: 'What differs from the run of `against`; `before` is what that one had.'
})
const compared = { length: optional(count), change, before: optional(text) }

export const StepValues = object(
  {
    step: text,
    against: optional(object({ name: text, dagRunId: text })),
    workingDir: text,
    texts: array(object({ name: text, written: text, text: optional(text), ...compared })),
    values: array(
      object({
        name: text,
        from: {
          type: 'string',
          enum: ['step', 'param', 'output', 'secret', 'dotenv', 'env', 'base', 'run', 'server'],
          description:
            'What sets it; `step` is the `env` of the step, `env` that of the definition, `base` that of the base file.'
        },
        of: optional(described(text, 'The step whose output it is.')),
        written: optional(described(text, 'Its text in the definition, where that is not the value.')),
        value: optional(described(text, 'Missing: a secret, or not on record.')),
        isPartial: optional(described(flag, 'A part of it is not on record, and stands there as written.')),
        isUsed: described(flag, 'The step names it, or it is part of one that it names.'),
        ...compared
      })
    ),
    omitted: count
  },
  'Secrets are masked; a value is cut after 1000 characters and a text after 10000, `length` is the whole. What differs comes first, then what the step names. `against`: the latest of the 200 runs before it that succeeded, with the step.'
)
