/**
 * What functions of the host application answer for a step before its first attempt. The chart keeps the answers, and the journal has them:
 * nobody is asked twice, also not by a replay. Source: docs/executors/function.md.
 */
import type { Answers, AttemptInput } from '../../../machines/node.ts'
import type { Json, NodePlace, Step, Thrown } from '../../../machines/vocabulary.ts'
import { resultText } from '../../executors/function/result.ts'
import { saidBy, thrownOf } from '../../executors/function/thrown.ts'
import type { StepServices } from '../root/step-services.ts'
import { type RunScope, stepAt } from '../run/run-scope.ts'
import { endsBefore, lastResult, paramsOfRun, passOf } from './given.ts'
import { mustHaveCode } from './lacking.ts'

/** A function has thrown, or its answer cannot be used. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly thrown: Thrown
  constructor(name: string, thrown: Thrown) {
    super(`the function "${name}" gave no answer: ${saidBy(thrown)}`)
    this.thrown = thrown
  }
}

export interface Answered {
  /** Absent: of functions that are asked for values, the step has none. */
  answers?: Answers
  /** The function that has said that the step must not run. */
  refusedBy?: string
}

/** Items that one step may have. */
const MOST_ITEMS = 1_000

// D1056: answers of functions are asked for once, and are stored as they are
/** All functions of a step, one after the other; its preconditions first. @throws NoAnswer */
export async function answersFor(
  services: StepServices,
  scope: RunScope,
  input: AttemptInput,
  { functions = {}, each: { pages } = { maxConcurrent: 0 } }: Step
): Promise<Answered> {
  const { preconditions, ...values } = functions
  const given = () => givenAt(scope, input.place)
  if (preconditions !== undefined && !(await asked(services, scope, preconditions, given(), truth)))
    return { refusedBy: preconditions }
  const answers: Answers = {}
  const { env, params, items, ask, for: duration } = values
  if (env !== undefined) answers.env = await asked(services, scope, env, given(), variables)
  if (params !== undefined) answers.params = await asked(services, scope, params, given(), anyJson)
  // Pages of items are asked for when it is their turn.
  if (items !== undefined && pages === undefined) answers.items = await asked(services, scope, items, given(), list)
  if (ask !== undefined) answers.ask = await asked(services, scope, ask, given(), textAnswer)
  if (duration !== undefined) answers.for = await asked(services, scope, duration, given(), textAnswer)
  return Object.keys(answers).length > 0 ? { answers } : {}
}

/** A page of items. @throws NoAnswer */
export const pageAnswer = (services: StepServices, scope: RunScope, place: NodePlace, name: string): Promise<Json[]> =>
  asked(services, scope, name, { ...givenAt(scope, place), page: passOf(scope, place) }, list)

/** What a step has come to with a page. @throws NoAnswer */
export function collectAnswer(
  services: StepServices,
  scope: RunScope,
  place: NodePlace,
  name: string,
  results: Json[]
): Promise<Json> {
  const last = lastResult(scope, stepAt(scope.plan, place), place)
  return asked(services, scope, name, { ...givenAt(scope, place), page: passOf(scope, place), last, results }, anyJson)
}

/** Whether the test of a repeat policy holds, as a function says after a pass. @throws LackingCode, NoAnswer */
export async function passAnswer(services: StepServices, input: AttemptInput, name: string): Promise<boolean> {
  mustHaveCode(services, input)
  const scope = services.scope(input.run)
  const { place } = input
  const last = lastResult(scope, stepAt(scope.plan, place), place)
  return asked(services, scope, name, { ...givenAt(scope, place), pass: passOf(scope, place), last }, truth)
}

const givenAt = (scope: RunScope, place: NodePlace) => ({ params: paramsOfRun(scope), ...endsBefore(scope, place) })

/** @param read throws for an answer that cannot be used */
async function asked<T>(
  { functions }: StepServices,
  { plan, secrets }: RunScope,
  name: string,
  given: object,
  read: (answer: Json) => T
): Promise<T> {
  try {
    const text = resultText(await functions.get(name)?.run(given), plan.maxOutputSize)
    // The answer is stored as it is, where everybody reads it.
    if (secrets.hidesIn(text)) throw new TypeError('the answer holds a secret')
    return read(JSON.parse(text))
  } catch (error) {
    throw new NoAnswer(name, thrownOf(error, secrets.mask))
  }
}

const anyJson = (answer: Json): Json => answer

function textAnswer(answer: Json): string {
  if (typeof answer === 'string') return answer
  throw new TypeError(`wanted a text, found ${kindOf(answer)}`)
}

function truth(answer: Json): boolean {
  if (typeof answer === 'boolean') return answer
  throw new TypeError(`wanted true or false, found ${kindOf(answer)}`)
}

function variables(answer: Json): Record<string, string> {
  const found: Record<string, string> = {}
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new TypeError(`wanted an object with texts, found ${kindOf(answer)}`)
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value !== 'string') throw new TypeError(`${name}: wanted a text, found ${kindOf(value)}`)
    if (!/^[^=\0]+$/.test(name)) throw new TypeError(`a variable cannot be named ${JSON.stringify(name)}`)
    found[name] = value
  }
  return found
}

function list(answer: Json): Json[] {
  if (!Array.isArray(answer)) throw new TypeError(`wanted a list of items, found ${kindOf(answer)}`)
  if (answer.length <= MOST_ITEMS) return answer
  throw new RangeError(`wanted at most ${MOST_ITEMS} items, found ${answer.length}`)
}

const kindOf = (value: Json): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`
