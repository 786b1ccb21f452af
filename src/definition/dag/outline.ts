/** What a run of a plan would do, level by level, with texts as written. Source: api-semantics 11 (dry). */
import type { Condition, Plan, RunParam, Step } from '../../../machines/vocabulary.ts'
import { mergeParams, paramsText, parseOverride } from './params.ts'

export interface OutlineStep {
  name: string
  /** The command of a step, such as `echo ${DAY}`; of a call, the sub workflow. */
  does: string
  executor: string
  depends: string[]
  preconditions: string[]
  /** The sub workflow that it calls, whether that is in the same file, and its items. */
  calls?: { name: string; local: boolean; params: string; items?: number | string }
}

export interface RunOutline {
  name: string
  /** Params of the start over the defaults. */
  params: string
  preconditions: string[]
  /** Steps of one level may run at the same time; each waits for a step of the level before. */
  levels: OutlineStep[][]
  handlers: OutlineStep[]
  /** 0: no limit. */
  maxActiveSteps: number
  /** Seconds that a restart waits between the end of the old run and the start of the new one. */
  restartWaitSec: number
}

/** @param input params in the grammar of execution-semantics 2.1.1, evaluated as little as the defaults @throws TroupeError bad_request */
export const outlineOf = (plan: Plan, input: string): RunOutline =>
  outlineWith(plan, mergeParams(plan.params, parseOverride(input)))

/** @param params those of the run, defaults included */
export function outlineWith(plan: Plan, params: RunParam[]): RunOutline {
  const { name, preconditions, steps, handlers, maxActiveSteps, restartWaitMs } = plan
  const locals = new Set(plan.locals.map((local) => local.name))
  const levels: OutlineStep[][] = []
  const levelOf = levelsOf(steps)
  for (const step of steps) {
    const level = levelOf(step.name)
    levels[level] ??= []
    levels[level]?.push(outlineStep(step, locals))
  }
  const { success, failure, cancel, exit } = handlers
  const called = [success, failure, cancel, exit].filter((step) => step !== undefined)
  return {
    name,
    params: paramsText(params),
    preconditions: preconditions.map(conditionText),
    levels,
    handlers: called.map((step) => outlineStep(step, locals)),
    maxActiveSteps,
    restartWaitSec: restartWaitMs / 1_000
  }
}

/** The longest path from the start to a step; the plan has no cycles. No recursion: a chain may have 10,000 steps. */
function levelsOf(steps: readonly Step[]): (name: string) => number {
  const dependents = new Map<string, string[]>()
  const pending = new Map(steps.map(({ name, depends }) => [name, depends.length]))
  for (const { name, depends } of steps)
    for (const before of depends) {
      const after = dependents.get(before) ?? []
      dependents.set(before, after)
      after.push(name)
    }
  const levels = new Map<string, number>()
  const ready = steps.flatMap(({ name, depends }) => (depends.length === 0 ? [name] : []))
  for (const name of ready)
    for (const after of dependents.get(name) ?? []) {
      levels.set(after, Math.max(levels.get(after) ?? 0, (levels.get(name) ?? 0) + 1))
      const left = (pending.get(after) ?? 0) - 1
      pending.set(after, left)
      if (left === 0) ready.push(after)
    }
  return (name) => levels.get(name) ?? 0
}

function outlineStep(step: Step, locals: ReadonlySet<string>): OutlineStep {
  const { name, executor, depends, preconditions } = step
  return {
    name,
    does: doesText(step),
    executor: executor.type,
    depends,
    preconditions: preconditions.map(conditionText),
    ...callOf(step, locals)
  }
}

function callOf({ call, params = [], parallel }: Step, locals: ReadonlySet<string>): Pick<OutlineStep, 'calls'> {
  if (call === undefined) return {}
  const items = typeof parallel?.items === 'object' ? parallel.items.length : parallel?.items
  return {
    calls: {
      name: call,
      local: locals.has(call),
      params: paramsText(params),
      ...(items === undefined ? {} : { items })
    }
  }
}

function doesText({ call, command, argv, args, script }: Step): string {
  if (call !== undefined) return call
  const words = [...(argv ?? (command === undefined ? [] : [command])), ...args].join(' ')
  return [words, script?.trim() ?? ''].filter(Boolean).join('\n')
}

function conditionText({ condition, expected, negate }: Condition): string {
  const text = expected === undefined ? condition : `${condition} is ${expected}`
  return negate ? `not: ${text}` : text
}
