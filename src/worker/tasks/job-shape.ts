/** Whether a job is one of its kind, as far as those who do it rely on. What it says in detail is made by the same program. */
import type { TaskKind } from '../../bus/jobs.ts'
import { isObject } from '../../bus/readers.ts'

export function isJob(what: TaskKind, text: string): boolean {
  const job = parsed(text)
  if (!isObject(job)) return false
  if (what === 'conditions' || what === 'close') return true
  return what === 'open' ? isOpenJob(job) : isStepJob(job)
}

const isOpenJob = ({ run, runAttempt, plan, params }: Record<string, unknown>): boolean =>
  isObject(run) &&
  isName(run.name) &&
  isName(run.dagRunId) &&
  isCount(runAttempt) &&
  isObject(plan) &&
  Array.isArray(plan.steps) &&
  isObject(plan.handlers) &&
  Array.isArray(params)

const isStepJob = ({ place, attempt, nodes }: Record<string, unknown>): boolean =>
  (typeof place === 'string' || (typeof place === 'number' && Number.isInteger(place))) &&
  (attempt === 0 || isCount(attempt)) && // before the first one, its preconditions are checked
  Array.isArray(nodes) &&
  nodes.every((one) => Array.isArray(one) && one.length === 2 && isObject(one[1]))

const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value > 0
const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
