/** The code of a host application that a plan needs and a program lacks. Source: docs/executors/function.md, docs/executors/custom.md. */
import type { MissingCode, Plan, Step } from '../../../machines/vocabulary.ts'
import { executorType } from '../../definition/fields/executor-types.ts'
import { TroupeError } from '../../errors.ts'

/** What a program has. */
export interface HostCode {
  hasExecutor(type: string): boolean
  hasFunction(name: string): boolean
}

/** The code that an engine has. */
export const hostCode = ({ executors, functions }: HostParts): HostCode => ({
  hasExecutor: (type) => executors.some((executor) => executor.type === type),
  hasFunction: (name) => functions.has(name)
})

interface HostParts {
  executors: readonly { type: string }[]
  functions: { has(name: string): boolean }
}

/** The first that it lacks for a step. */
function missingFor(step: Step, { hasExecutor, hasFunction }: HostCode): MissingCode | undefined {
  const { type } = step.executor
  if (type !== FUNCTION && step.call === undefined && !step.wait && !hasExecutor(type))
    return { kind: 'executor', name: type, step: step.name }
  const name = functionsOf(step).find((name) => !hasFunction(name))
  return name === undefined ? undefined : { kind: 'function', name, step: step.name }
}

/** The first that it lacks for a run, which waits for it as a whole. */
function missingIn({ steps, handlers }: Plan, code: HostCode): MissingCode | undefined {
  for (const step of [...steps, ...Object.values(handlers)]) {
    const missing = step.onMissing === 'fail' ? undefined : missingFor(step, code)
    if (missing) return missing
  }
  return undefined
}

/** What a plan lacks, and what one of its steps lacks, for the services of steps; a plan does not change. */
export function missingCode(code: HostCode) {
  const known = new WeakMap<Plan, { missing: MissingCode | undefined }>()
  return {
    missing: (step: Step) => missingFor(step, code),
    missingIn(plan: Plan): MissingCode | undefined {
      const found = known.get(plan) ?? { missing: missingIn(plan, code) }
      known.set(plan, found)
      return found.missing
    }
  }
}

export const FUNCTION = 'function'

export const functionName = ({ executor: { config } }: Step): string => String(config.name ?? '').trim()

/** All functions that a step needs. */
function functionsOf(step: Step): string[] {
  const called = step.executor.type === FUNCTION ? functionName(step) : undefined
  const named = [called, Object.values(step.functions ?? {}), step.repeat?.function, step.each?.collect]
  return named.flat().flatMap((name) => name ?? [])
}

/**
 * Refuses a new run that this program cannot execute: it might wait forever. A run that has begun does wait.
 * @throws TroupeError bad_request naming the steps and what they need
 */
export function refuseUnsupported(plan: Plan, hosted: HostCode): void {
  const code: HostCode = {
    ...hosted,
    hasExecutor: (type) => executorType(type) !== undefined || hosted.hasExecutor(type)
  }
  const lacking = stepsOf(plan).flatMap((step) => missingFor(step, code) ?? [])
  if (lacking.length === 0) return
  const steps = lacking.map(({ step, kind, name }) => `step "${step}" needs the ${kind} "${name}"`)
  throw new TroupeError(
    'bad_request',
    `${steps.join(', ')}: an application that opened this home registers it, this program does not have it; start the run there`
  )
}

const stepsOf = ({ steps, handlers, locals }: Plan): Step[] => [
  ...steps,
  ...Object.values(handlers),
  ...locals.flatMap(stepsOf)
]
