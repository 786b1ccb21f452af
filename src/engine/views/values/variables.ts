/**
 * The variables of a step, derived from what is stored: plan, params, outputs. No command runs, and what only the server knows (its
 * environment, dotenv files, secrets) has a name here and no value. Source: execution-semantics 3.4; docs/http-api.md.
 */
import type { EnvEntry, NodePlace, NodeRecord, RunKey, Step } from '../../../../machines/vocabulary.ts'
import { asVariable } from '../../../actors/run/run-scope.ts'
import { producersIn, visibleTo } from '../../../actors/step/visibility.ts'
import type { StepValues } from '../../../definition/text/lookup.ts'
import { expandField, expandRawText } from '../../../definition/text/variables.ts'
import type { RunView } from '../../engine.ts'

export type ValueSource = 'step' | 'param' | 'output' | 'secret' | 'dotenv' | 'env' | 'base' | 'run' | 'server'

export interface Variable {
  name: string
  from: ValueSource
  /** The step whose output it is. */
  of?: string
  /** The text in the definition. */
  written?: string
  /** Absent: it is not on record. */
  value?: string
  /** A part of the value is not on record, and stands there as written. */
  isPartial?: true
}

export type Variables = Map<string, Variable>

/** How many characters of values may still be put into texts: references to long values multiply. */
export interface Budget {
  left: number
}

/** Length of a text that is expanded. */
const MOST_WRITTEN = 10_000

export interface Put {
  text: string
  isPartial: boolean
}

/** A text with values in place of its references; those without a known value stay as written, and so do backticks. */
export async function put(
  written: string,
  variables: Variables,
  budget: Budget,
  step?: (id: string) => StepValues | undefined
): Promise<Put> {
  const text = written.slice(0, MOST_WRITTEN)
  let isPartial = text.includes('`') || written.length > MOST_WRITTEN
  function variable(name: string): string | undefined {
    const known = variables.get(name)
    const { length = 0 } = known?.value ?? ''
    if (known?.value === undefined || known.isPartial || length > budget.left) isPartial = true
    if (known?.value === undefined || length > budget.left) return undefined
    budget.left -= length
    return known.value
  }
  const look = { variable, ...(step ? { step } : {}) }
  const whole = isPartial ? undefined : await expandField(text, look).catch(() => undefined)
  if (whole !== undefined && !isPartial) return { text: whole, isPartial }
  return { text: await expandRawText(text, look), isPartial: true }
}

/** Adds entries of an `env`, each of which sees those before it. @param hidden names that something else sets */
export async function addEntries(
  variables: Variables,
  entries: readonly EnvEntry[],
  from: (key: string) => ValueSource,
  budget: Budget,
  hidden: ReadonlySet<string> = new Set()
): Promise<void> {
  for (const { key, value: written } of entries) {
    if (hidden.has(key)) continue
    const { text: value, isPartial } = await put(written, variables, budget)
    variables.set(key, { name: key, from: from(key), written, value, ...(isPartial ? { isPartial } : {}) })
  }
}

/** A step of a run, and the records of its nodes by name at the moment that is shown. */
export interface StepOfRun {
  view: RunView
  place: NodePlace
  step: Step
  nodes: ReadonlyMap<string, NodeRecord>
}

/** Variables of a run that its steps get in their own values: outputs, params. A later one of the same name hides an earlier. */
export function addOfRun(variables: Variables, { view, place, nodes }: StepOfRun): void {
  const { run, plan } = view
  const producers =
    typeof place === 'number'
      ? [...producersIn(visibleTo(plan.steps)[place] ?? { behind: [] })].reverse().map((index) => view.nodes[index])
      : nodesOf(view)
  for (const producer of producers) {
    const { step, node } = producer ?? {}
    const at = step && nodes.get(step.name)
    if (step?.output === undefined || node?.output === undefined || at?.finishedAt === undefined) continue
    // A later attempt of the run, or a later pass, has put another output in its place.
    const isOfThen = at.finishedAt === node.finishedAt
    variables.set(step.output, {
      name: step.output,
      from: 'output',
      of: step.name,
      ...(isOfThen ? { value: plainOutput(step, node.output) } : {})
    })
  }
  for (const { name, value } of run.params) variables.set(name, { name, from: 'param', value })
}

/** All nodes of a run: its steps, then its handlers. */
export const nodesOf = ({ nodes, handlers }: RunView) => [...nodes, ...Object.values(handlers)]

function plainOutput(step: Step, output: string): string {
  try {
    return asVariable(step, output)
  } catch {
    return output // what is masked in it is no JSON any more
  }
}

/** What the engine itself tells a step. */
export function addOfEngine(variables: Variables, { name, dagRunId }: RunKey, step: string, workingDir: string): void {
  const told = { DAG_NAME: name, DAG_RUN_ID: dagRunId, DAG_RUN_STEP_NAME: step, PWD: workingDir }
  for (const [key, value] of Object.entries(told)) variables.set(key, { name: key, from: 'run', value })
}
