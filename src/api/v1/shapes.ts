/** Objects of version 1, made from those of version 2: names in PascalCase, some with another word. Source: api-semantics 9.4. */
import type { RunRecord, Step } from '../../../machines/vocabulary.ts'
import type { SearchMatch } from '../../definition/text/search.ts'
import type { StoredDefinition } from '../../definitions/stored-definition.ts'
import type { HandlerView, RunView } from '../../engine/engine.ts'
import { dagNameOf } from '../shapes/dag-names.ts'
import { dagDetails } from '../shapes/dag-shapes.ts'
import { gridShape, neverRunSummary, runDetails, runSummary } from '../shapes/shapes.ts'
import { stepShape } from '../shapes/step-shape.ts'
import type { TimeText } from '../shapes/time-text.ts'
import { turns } from '../turns.ts'

type Members = Record<string, unknown>

/** Every member name, at any depth, with an initial capital. */
function pascal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pascal)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.charAt(0).toUpperCase() + name.slice(1), pascal(member)])
  )
}

/** Shapes of steps, of which the same objects occur repeatedly. */
const capitals = new WeakMap<object, unknown>()

function stepWithCapitals(shape: object): unknown {
  const known = capitals.get(shape) ?? pascal(shape)
  capitals.set(shape, known)
  return known
}

/** Computes the shapes of many steps; yields to the event loop in between. */
export async function shapeSteps(steps: readonly Step[]): Promise<void> {
  const turn = turns()
  for (const step of steps) {
    stepWithCapitals(stepShape(step))
    await turn()
  }
}

const HANDLERS = { success: 'Success', failure: 'Failure', cancel: 'Cancel', exit: 'Exit' } as const

/** A definition as lists have it. */
export function dagShape({ definition, fileName }: StoredDefinition): Members {
  const { name, group, description, schedule, defaultParams, tags } = dagDetails(definition, fileName, '')
  return {
    Name: name,
    Group: group,
    Description: description,
    Schedule: schedule.map(({ expression }) => ({ Expression: expression })),
    DefaultParams: defaultParams,
    Params: definition.outline.params.map(({ name, value, positional }) => (positional ? value : `${name}=${value}`)),
    Tags: tags
  }
}

/** A definition as it is shown alone. */
export function dagWithSteps(stored: StoredDefinition): Members {
  const { definition, fileName } = stored
  const { histRetentionDays, preconditions, maxActiveRuns } = dagDetails(definition, fileName, '')
  const { handlers = {} } = definition.plan ?? {}
  const written = Object.entries(HANDLERS).flatMap(([kind, name]) => {
    const step = handlers[kind as keyof typeof HANDLERS] // Object.entries loses the type of the keys
    return step ? [[name, stepWithCapitals(stepShape(step))] as const] : []
  })
  return {
    ...dagShape(stored),
    Steps: definition.outline.steps.map((step) => stepWithCapitals(stepShape(step))),
    ...(written.length > 0 ? { HandlerOn: Object.fromEntries(written) } : {}),
    HistRetentionDays: histRetentionDays,
    MaxActiveRuns: maxActiveRuns,
    Preconditions: pascal(preconditions)
  }
}

/** @param run absent: the DAG never ran */
export function statusShape(run: RunRecord | undefined, time: TimeText): Members {
  const { name, dagRunId, status, statusLabel, startedAt, finishedAt, log, params } = run
    ? runSummary(run, time)
    : neverRunSummary('')
  return {
    Name: name,
    RequestId: dagRunId,
    Status: status,
    StatusText: statusLabel,
    StartedAt: startedAt,
    FinishedAt: finishedAt,
    Log: log,
    Params: params
  }
}

const HANDLER_NODES = ['onExit', 'onSuccess', 'onFailure', 'onCancel'] as const

export function statusWithNodes(view: RunView, time: TimeText): Members {
  const details = runDetails(view, time)
  const handlers = HANDLER_NODES.flatMap((kind) => {
    const node = details[kind]
    return node ? [[kind.charAt(0).toUpperCase() + kind.slice(1), nodeShape(node)] as const] : []
  })
  return {
    ...statusShape(view.run, time),
    Nodes: details.nodes.map(nodeShape),
    ...Object.fromEntries(handlers),
    ...(details.error ? { Error: details.error } : {})
  }
}

type NodeDetails = ReturnType<typeof runDetails>['nodes'][number]
const nodeShape = ({ step, stdout, startedAt, finishedAt, status, statusLabel, ...node }: NodeDetails): Members => ({
  Step: stepWithCapitals(step),
  Log: stdout,
  StartedAt: startedAt,
  FinishedAt: finishedAt,
  Status: status,
  StatusText: statusLabel,
  RetryCount: node.retryCount,
  DoneCount: node.doneCount,
  ...(node.error ? { Error: node.error } : {})
})

/** The node of one step, in the run that has it. */
export const nodeOf = (view: RunView, { step }: HandlerView, time: TimeText): Members | undefined => {
  const details = runDetails(view, time)
  const handlers = HANDLER_NODES.flatMap((kind) => details[kind] ?? [])
  const found = [...details.nodes, ...handlers].find((node) => node.step.name === step.name)
  return found && nodeShape(found)
}

// D233: in version 1 the `file` of a history entry is the run id
/** @param views newest first; a run's `File` is its id, which clients send back as `file` */
export const historyShape = (views: readonly RunView[], time: TimeText): Members => ({
  GridData: gridShape(views).map(({ name, history }) => ({ Name: name, Vals: history })),
  Logs: views.map((view) => ({ File: view.run.dagRunId, Status: statusWithNodes(view, time) }))
})

export const matchShape = ({ line, lineNumber, startLine }: SearchMatch): Members => ({
  Line: line,
  LineNumber: lineNumber,
  StartLine: startLine
})

/** A DAG with its newest run. @param status of that run */
export const dagStatus = (stored: StoredDefinition, dag: Members, status: Members): Members => ({
  DAG: dag,
  File: '',
  Dir: '',
  Status: status,
  Suspended: stored.suspended,
  ...(stored.definition.problems.length > 0 ? { Error: `${dagNameOf(stored)} has problems` } : {})
})
