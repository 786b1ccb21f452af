/** What tests expect of runs: checked by plain functions, which the plugin for chai and the matchers for vitest and jest stand on. */
import type { NodeStatus, RunStatus } from '../../machines/vocabulary.ts'
import type { RunView } from '../engine/engine.ts'
import { didYouMean } from '../nearest.ts'
import type { MockCall } from './ends.ts'

/** Whether a check holds; `message`: what was wanted and found, and for a negated check what was not wanted. */
export interface Check {
  pass: boolean
  message: string
}
export type Checked = RunView | undefined

const found = (subject: string, wanted: unknown, is: unknown): Check => ({
  pass: wanted === is,
  message: wanted === is ? `${subject} is ${shown(is)}` : `${subject}: wanted ${shown(wanted)}, found ${shown(is)}`
})
const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value))
const nameOf = ({ run }: RunView) => `run ${run.dagRunId} of ${run.name}`
const NO_RUN: Check = {
  pass: false,
  message: 'wanted a run, found nothing: pass what engine.run(key) or engine.result(key) returns'
}

/** The status of a run, as `engine.run(key)` shows it. */
export const checkRunStatus = (view: Checked, status: RunStatus): Check =>
  view ? found(nameOf(view), status, view.run.status) : NO_RUN

/** The status of a step or handler. */
export function checkStepStatus(view: Checked, step: string, status: NodeStatus): Check {
  const one = view && stepIn(view, step)
  if (!view || !one) return missing(view, step)
  return found(`step "${step}" of ${nameOf(view)}`, status, one.node.status)
}

/** The output of a step: a text, or a value that it is as JSON. */
export function checkStepOutput(view: Checked, step: string, output: unknown): Check {
  const one = view && stepIn(view, step)
  if (!view || !one) return missing(view, step)
  const text = typeof output === 'string' || output === undefined ? output : JSON.stringify(output)
  const is = one.node.output
  return found(`the output of step "${step}" of ${nameOf(view)}`, text, typeof output === 'string' ? is : compact(is))
}

/** How often a step was executed; without a number, at least once. */
export function checkCalls(engine: Called, step: `${string}/${string}`, times?: number): Check {
  const { length } = engine.calls(step)
  if (times === undefined)
    return { pass: length > 0, message: `step ${step} was executed ${length === 0 ? 'never' : timesText(length)}` }
  return { pass: length === times, message: `step ${step}: wanted ${timesText(times)}, found ${timesText(length)}` }
}
export interface Called {
  calls(step: `${string}/${string}`): readonly MockCall[]
}
const timesText = (count: number) => (count === 1 ? '1 execution' : `${count} executions`)

/** JSON without blanks. */
function compact(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

const nodesOf = ({ nodes, handlers }: RunView): RunView['nodes'] => [
  ...nodes,
  ...Object.values(handlers).filter((handler) => handler !== undefined)
]
const stepIn = (view: RunView, name: string) => nodesOf(view).find(({ step }) => step.name === name)

function missing(view: Checked, step: string): Check {
  if (!view) return NO_RUN
  const names = nodesOf(view).map(({ step }) => step.name)
  return {
    pass: false,
    message: `${nameOf(view)} has no step "${step}"${didYouMean(step, names)}; it has ${names.join(', ')}`
  }
}
