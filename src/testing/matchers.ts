/** The checks as matchers, `expect.extend(matchers)` in vitest and jest, and as a plugin, `chai.use(chaiPlugin)`. The libraries are the test's. */
import type { NodeStatus, RunStatus } from '../../machines/vocabulary.ts'
import { type Check, checkCalls, checkRunStatus, checkStepOutput, checkStepStatus } from './checks.ts'

interface Matched {
  pass: boolean
  message(): string
}
const matcher =
  <A extends unknown[]>(check: (...args: A) => Check) =>
  (...args: A): Matched => {
    const { pass, message } = check(...args)
    return { pass, message: () => message }
  }

export const matchers = {
  toHaveRunStatus: matcher(checkRunStatus),
  toHaveStepStatus: matcher(checkStepStatus),
  toHaveStepOutput: matcher(checkStepOutput),
  toHaveExecuted: matcher(checkCalls)
}

/** For `declare module 'vitest' { interface Assertion<T> extends TroupeMatchers<T> {} }`, and likewise for jest. */
export interface TroupeMatchers<R = void> {
  toHaveRunStatus(status: RunStatus): R
  toHaveStepStatus(step: string, status: NodeStatus): R
  toHaveStepOutput(step: string, output: unknown): R
  toHaveExecuted(step: `${string}/${string}`, times?: number): R
}

/** As much of chai as a plugin needs. */
interface ChaiLike {
  Assertion: { addMethod(name: string, method: (this: AssertionLike, ...args: never[]) => void): void }
}
interface AssertionLike {
  _obj: unknown
  assert(pass: boolean, message: string, negated: string): void
}

/** Adds `runStatus(status)`, `stepStatus(step, status)`, `stepOutput(step, value)` and `executed(step, times?)`. */
export function chaiPlugin({ Assertion }: ChaiLike): void {
  const add = (name: string, check: (subject: never, ...args: never[]) => Check) =>
    Assertion.addMethod(name, function (...args) {
      const { pass, message } = check(this._obj as never, ...args) // chai knows no type of what is expected of
      this.assert(pass, message, `not wanted: ${message}`)
    })
  add('runStatus', checkRunStatus)
  add('stepStatus', checkStepStatus)
  add('stepOutput', checkStepOutput)
  add('executed', checkCalls)
}
