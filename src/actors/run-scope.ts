/**
 * What the steps of one run see: variables by precedence, outputs by dependency, references to steps. In memory only,
 * because evaluated `env` is never stored. Source: execution-semantics 3.
 */
import type { NodePlace } from '../../machines/node.ts'
import type { NodeRecord, Plan, RunKey, RunParam, Step } from '../../machines/vocabulary.ts'
import type { Secrets } from '../masking/secrets.ts'
import { producersIn, type Visible, visibleTo } from './visibility.ts'

export interface RunScope {
  key: RunKey
  plan: Plan
  params: RunParam[]
  /** Rank 5, and the masks for all that is written down. Sub runs do not get them. */
  secrets: Secrets
  /** Rank 7: DAG `env`, evaluated. */
  env: Record<string, string>
  /** Rank 8: what of the server's environment may reach a step. */
  base: Record<string, string>
  /** The DAG's working directory, absolute; it exists. */
  workingDir: string
  /** Program and flags, when the DAG names a shell. */
  shell?: string[]
  runLog: string
  nodeLogs: string
  /** Latest record of each node that was picked up. */
  nodes: Map<NodePlace, NodeRecord>
  visible: Visible[]
  /** Where the step or handler with an `id` stands. */
  places: Map<string, NodePlace>
}

export function openScope(scope: Omit<RunScope, 'nodes' | 'visible' | 'places'>): RunScope {
  const { steps, handlers } = scope.plan
  const places = new Map<string, NodePlace>()
  for (const { id, name } of Object.values(handlers)) if (id) places.set(id, name as NodePlace)
  steps.forEach(({ id }, index) => {
    if (id) places.set(id, index)
  })
  return { ...scope, nodes: new Map(), visible: visibleTo(steps), places }
}

/** What a definition may not override through params or outputs. Source: execution-semantics 3.6. */
const RESERVED = /^DAG_RUN_/

/** One step's variables. `run` holds those that are put into the text of a command; `all` is the process's environment. */
export interface StepVariables {
  run: Record<string, string>
  all: Record<string, string>
}

/** Ranks 2 to 8 for one step or handler. Rank 1, the step's own `env`, is laid over them by `overlay`. */
export function variablesOf(scope: RunScope, place: NodePlace, special: Record<string, string>): StepVariables {
  const run = Object.assign(Object.create(null) as Record<string, string>, special)
  for (const [name, value] of outputsSeen(scope, place)) if (!RESERVED.test(name)) run[name] = value
  for (const { name, value } of scope.params) if (!RESERVED.test(name)) run[name] = value
  return { run, all: Object.assign(Object.create(null), scope.base, scope.env, scope.secrets.values, run) }
}

/** Farthest producer first, so that a nearer one of the same name wins. Handlers see every output. */
function outputsSeen(scope: RunScope, place: NodePlace): [string, string][] {
  const { plan, nodes, visible } = scope
  const ofStep = (step: Step | undefined, record: NodeRecord | undefined): [string, string][] =>
    step?.output !== undefined && record?.output !== undefined ? [[step.output, clearOutput(scope, record)]] : []
  if (typeof place === 'number') {
    const producers = [...producersIn(visible[place] ?? { behind: [] })]
    return producers.reverse().flatMap((index) => ofStep(plan.steps[index], nodes.get(index)))
  }
  const handlers = Object.values(plan.handlers)
  return [
    ...plan.steps.flatMap((step, index) => ofStep(step, nodes.get(index))),
    ...handlers.flatMap((step) => ofStep(step, nodes.get(step.name as NodePlace)))
  ]
}

/** The record holds it masked; blanks at its ends were part of a secret. */
const clearOutput = ({ secrets }: RunScope, { output = '', outputMarks }: NodeRecord): string =>
  outputMarks ? secrets.uncover(output, outputMarks).trim() : output

/** A step that is referenced by its id, once it has started. Source: execution-semantics 3.2.4. */
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

/** Step or handler at a place. */
export function stepAt(plan: Plan, place: NodePlace): Step {
  const step =
    typeof place === 'number' ? plan.steps[place] : Object.values(plan.handlers).find(({ name }) => name === place)
  if (!step) throw new Error(`the plan ${plan.name} has no node ${place}`)
  return step
}
