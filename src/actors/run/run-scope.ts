/**
 * What the steps of a run see: variables by precedence, outputs by dependency, references to steps. In memory only, because
 * evaluated `env` and dotenv are never stored. Source: execution-semantics 3.
 */
import type {
  HandlerName,
  NodePlace,
  NodeRecord,
  Plan,
  RunKey,
  RunParam,
  SshTarget,
  Step
} from '../../../machines/vocabulary.ts'
import { dataParams } from '../../definition/dag/params.ts'
import type { Secrets } from '../../masking/secrets.ts'
import type { SpanPlace } from '../../tracing/context.ts'
import type { Trace } from '../../tracing/span.ts'
import { dependsOn, producersIn, type Visible, visibleTo } from '../step/visibility.ts'

export interface RunScope {
  key: RunKey
  plan: Plan
  /** Text of the definition. */
  spec: string
  runAttempt: number
  /** 0 for a root run, 1 for its sub runs, and so on. */
  depth: number
  params: RunParam[]
  dataParams: ReadonlySet<string>
  /** Rank 5, and the masks for everything that is written. Sub runs do not get them. */
  secrets: Secrets
  /** Ranks 6 and 7: dotenv over DAG `env`, evaluated. */
  env: Record<string, string>
  /** Names in `env`, and of variables from a calling run, that are data. Source: execution-semantics 3.1.5. */
  dataEnv: ReadonlySet<string>
  /** Rank 8: the part of the server's environment that a step may see. */
  base: Record<string, string>
  /** The DAG's working directory, absolute; it exists. */
  workingDir: string
  /** The engine created that directory for this run, and creates it again if it is removed. */
  hasOwnDir?: boolean
  /** Program and flags, when the DAG names a shell. */
  shell?: string[]
  /** Container in which steps without an executor run, expanded, with absolute paths. */
  ssh?: SshTarget
  runLog: string
  nodeLogs: string
  /** After a restart: the folder of the node logs, with the execution records, was gone. */
  isLost?: boolean
  /** A retry from a step on: nothing of what it executes goes on from an earlier attempt. */
  isFresh?: boolean
  /** On a worker: the number of its placement, for outside resources to refuse an older one. */
  fence?: number
  /** Absent: not traced. */
  trace?: Trace
  /** On a worker: the place of the run in the trace that its engine makes. */
  traced?: SpanPlace
  /** The trace of its caller, which a run that is not traced itself passes on. */
  passed?: SpanPlace
  /** Latest record of each node that was picked up. */
  nodes: Map<NodePlace, NodeRecord>
  visible: Visible[]
  /** Places of steps and handlers by `id`. */
  places: Map<string, NodePlace>
  /** Indexes of steps by name. */
  indexOf: Map<string, number>
  /** Warnings that have been logged: each is logged once. */
  warned: Set<string>
}

type PlanPlaces = Pick<RunScope, 'visible' | 'places' | 'indexOf'>

/** The part that all scopes of a plan share. */
const known = new WeakMap<Plan, PlanPlaces>()

export function openScope(scope: Omit<RunScope, 'nodes' | 'warned' | 'dataParams' | keyof PlanPlaces>): RunScope {
  const places = known.get(scope.plan) ?? placesIn(scope.plan)
  known.set(scope.plan, places)
  const data = new Set(dataParams(scope.params, scope.plan.params))
  return { nodes: new Map(), warned: new Set(), dataParams: data, ...scope, ...places }
}

function placesIn({ steps, handlers }: Plan): PlanPlaces {
  const places = new Map<string, NodePlace>()
  for (const step of Object.values(handlers)) if (step.id) places.set(step.id, placeOfHandler(step))
  steps.forEach(({ id }, index) => {
    if (id) places.set(id, index)
  })
  const indexOf = new Map(steps.map(({ name }, index) => [name, index]))
  return { visible: visibleTo(steps), places, indexOf }
}

/** Variables that params and outputs of a definition may not override. Source: execution-semantics 3.6. */
const RESERVED = /^DAG_RUN_/

/** The variables of a step. `run` contains those that are inserted into the text of a command; `all` is the process environment. */
export interface StepVariables {
  run: Record<string, string>
  all: Record<string, string>
  /** Names of variables in `all` that are data. */
  data: Set<string>
}

/**
 * Ranks 2 to 8 for a step or handler. `overlay` adds rank 1, the step's own `env`.
 * @param over its execution has ended: it sees its own output, as the nearest producer
 */
export function variablesOf(
  scope: RunScope,
  place: NodePlace,
  special: Record<string, string>,
  over = false
): StepVariables {
  const { params, dataParams, base, env, dataEnv, secrets } = scope
  const run: Record<string, string> = Object.assign(Object.create(null), special)
  const data = new Set(dataEnv)
  for (const name of Object.keys(secrets.values)) data.add(name)
  if (data.size > 0) for (const name of Object.keys(special)) data.delete(name)
  if (dataEnv.size > 0 && scope.plan.workingDir !== undefined) data.add('PWD') // it may contain them
  const set = (name: string, value: string, isData: boolean) => {
    if (RESERVED.test(name)) return
    run[name] = value
    if (isData) data.add(name)
    else data.delete(name)
  }
  const seen = outputsSeen(scope, place)
  if (over) for (const output of outputOf(scope, stepAt(scope.plan, place), scope.nodes.get(place))) seen.push(output)
  for (const [name, value] of seen) set(name, value, true)
  for (const { name, value } of params) set(name, value, dataParams.has(name))
  return { run, all: Object.assign(Object.create(null), base, env, secrets.values, run), data }
}

/** Farthest producer first, so that a nearer one with the same name wins. Handlers see every output. */
function outputsSeen(scope: RunScope, place: NodePlace): [string, string][] {
  const { plan, nodes, visible } = scope
  if (typeof place === 'number') {
    const producers = [...producersIn(visible[place] ?? { behind: [] })]
    return producers.reverse().flatMap((index) => outputOf(scope, plan.steps[index], nodes.get(index)))
  }
  const handlers = Object.values(plan.handlers)
  return [
    ...plan.steps.flatMap((step, index) => outputOf(scope, step, nodes.get(index))),
    ...handlers.flatMap((step) => outputOf(scope, step, nodes.get(placeOfHandler(step))))
  ]
}

const outputOf = (scope: RunScope, step: Step | undefined, record: NodeRecord | undefined): [string, string][] =>
  step?.output !== undefined && record?.output !== undefined
    ? [[step.output, asVariable(step, clearOutput(scope, record))]]
    : []

/** The result of a function is JSON: a text is the variable as it is. */
export const asVariable = ({ executor: { type } }: Step, output: string): string =>
  type === 'function' && output.startsWith('"') ? String(JSON.parse(output)) : output

/** The record contains it masked; blanks at its ends were part of a secret. */
const clearOutput = ({ secrets }: RunScope, { output = '', outputMarks }: NodeRecord): string =>
  outputMarks ? secrets.uncover(output, outputMarks).trim() : output

/** A step referenced by its id, once it has started. Source: execution-semantics 3.2.4. */
export function stepReference(
  scope: RunScope,
  id: string
): { stdout?: string; stderr?: string; exitCode?: string } | undefined {
  const place = scope.places.get(id)
  const node = place === undefined ? undefined : scope.nodes.get(place)
  if (!node) return undefined
  const { stdout, stderr, exitCode } = node
  return {
    ...(stdout === undefined ? {} : { stdout }),
    ...(stderr === undefined ? {} : { stderr }),
    ...(exitCode === undefined ? {} : { exitCode: String(exitCode) })
  }
}

/** Whether the step with an `id` is no predecessor of the node at `place`, and may not have ended when that node runs. */
export function isApart({ plan: { steps }, places, indexOf }: RunScope, place: NodePlace, id: string): boolean {
  const other = places.get(id)
  if (typeof place === 'string' || other === undefined || other === place) return false
  return typeof other === 'string' || !dependsOn(steps, indexOf, place, other)
}

/** The place of a handler is its name, which the reader of the definition gives it. Source: execution-semantics 8.5. */
export const placeOfHandler = ({ name }: Step): HandlerName => name as HandlerName

export function stepAt(plan: Plan, place: NodePlace): Step {
  const step =
    typeof place === 'number' ? plan.steps[place] : Object.values(plan.handlers).find(({ name }) => name === place)
  if (!step) throw new Error(`the plan ${plan.name} has no node ${place}`)
  return step
}
