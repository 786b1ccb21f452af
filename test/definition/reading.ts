/** Shorthands of the reader's tests: a text to its plan, or to its problems as sentences. */
import type { Plan, Step } from '../../machines/vocabulary.ts'
import { problemText } from '../../src/definition/problem-text.ts'
import { type ReadOptions, readDefinition } from '../../src/definition/read.ts'

/** The plan of a text that has no problems. */
export function planOf(text: string, options: ReadOptions = {}): Plan {
  const { plan, problems } = readDefinition(text, { fallbackName: 'demo', ...options })
  if (!plan) throw new Error(`wanted a plan, found: ${problems.map(problemText).join('; ')}`)
  return plan
}

/** The only step of a text. */
export function stepOf(text: string, options: ReadOptions = {}): Step {
  const [step, ...others] = planOf(text, options).steps
  if (!step || others.length > 0) throw new Error(`wanted one step, found ${others.length + (step ? 1 : 0)}`)
  return step
}

/** A definition of one step with these lines, each a field. */
export const oneStep = (...lines: string[]): string =>
  `steps:\n  - ${['name: a', ...lines].join('\n').replaceAll('\n', '\n    ')}\n`

/** The step of these lines. */
export const stepWith = (...lines: string[]): Step => stepOf(oneStep(...lines))

/** What is wrong with the step of these lines. */
export const wrongWith = (...lines: string[]): string[] => messagesOf(oneStep(...lines))

/** The step of these lines, with a command. */
export const commandWith = (...lines: string[]): Step => stepWith('command: x', ...lines)

/** What is wrong with it. */
export const wrongCommandWith = (...lines: string[]): string[] => wrongWith('command: x', ...lines)

/** Messages without their places. */
export const messagesOf = (text: string, options: ReadOptions = {}): string[] =>
  readDefinition(text, { fallbackName: 'demo', ...options }).problems.map(({ message }) => message)

/** Problems with path, line and column. */
export const problemsOf = (text: string, options: ReadOptions = {}) =>
  readDefinition(text, { fallbackName: 'demo', ...options }).problems

/** `depends` by step name. */
export const dependsOf = (text: string): Record<string, string[]> =>
  Object.fromEntries(planOf(text).steps.map(({ name, depends }) => [name, depends]))

export const namesOf = (text: string, options: ReadOptions = {}): string[] =>
  planOf(text, options).steps.map(({ name }) => name)

export const warningsOf = (text: string, options: ReadOptions = {}): string[] =>
  readDefinition(text, { fallbackName: 'demo', ...options }).warnings
