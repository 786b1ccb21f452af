/** Fields of several bodies. Source: http-api "Starting and queueing", "Runs (global)"; api-semantics 1.3, 4.1, 4.4, 4.6, 12. */
import { flag, integer, object, optional, text } from '../../schema/schema.ts'
import { DagName, RunId } from './names.ts'
import { described } from './operation.ts'

export const Spec = described(text, 'YAML of a definition, at most 1 MiB.')
export const InlineSpec = { ...Spec, 'x-absent-when': 'blank' } as const
// D228: in the document a body field has its pattern
export const NewRunId = { ...RunId, 'x-absent-when': 'empty' } as const
/** Surrounding white space is ignored. */
export const DagNameOverride = { ...DagName, 'x-absent-when': 'blank', 'x-trimmed': true } as const
export const QueueName = { ...DagName, 'x-absent-when': 'blank', 'x-trimmed': true } as const
/** Name of what is run when it has none itself. */
export const FallbackName = { ...DagName, 'x-absent-when': 'empty' } as const

export const IdempotencyKey = described(
  { ...text, pattern: '^[ -~]{1,255}$' },
  'The same key again, with the same DAG name, text and params, starts nothing and is answered like the first, while that is kept and a day at least. 1 to 255 printable ASCII characters.'
)
const At = described(
  text,
  'The run waits in its queue until then: an instant with its offset, or `+` and a duration such as `+10m`; one that is past is now. At most 366 days, and not with `singleton`.'
)
export const Priority = described(
  { ...integer, minimum: -1_000, maximum: 1_000 },
  'The highest of those that wait in a queue is next. Above that of the definition it needs the permission `write`, too. Default: that of the definition, or 0.'
)
export const startFields = {
  params: optional(described(text, 'Parameters: `a b KEY=value`, or a JSON object or array as text.')),
  dagRunId: optional(NewRunId),
  singleton: optional(
    described(flag, 'Refuse when a run of this DAG name is running; for an enqueue, also when one is queued.')
  ),
  dryRun: optional(described(flag, 'Perform all checks and start nothing.')),
  at: optional(At),
  priority: optional(Priority),
  idempotencyKey: optional(IdempotencyKey)
} as const
export const IncludeDownstream = described(
  flag,
  'Rerun everything that depends on `stepName`, too, whatever its status; other branches stay as they are. Default false.'
)
// D1379: `disableMaxActiveRuns` needs `write` beside `run`
/** A start at once, past the limit. */
export const Unlimited = described(
  flag,
  'Start it whatever `maxActiveRuns` says, and without waiting in a queue. Needs the permission `write`, too. Default: false.'
)
/** The body of a stop. Source: execution-semantics 7.3.6. */
export const StopBody = object({
  force: optional(described(flag, 'Kill what is running, handlers included; no further handler begins. Default false.'))
})
