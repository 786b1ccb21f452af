/** The checks as a plugin: `chai.use(chaiPlugin)`. Chai itself is the test's. */
import type { NodeStatus, RunStatus } from '../../machines/vocabulary.ts'
import {
  type Called,
  type Check,
  type Checked,
  checkCalls,
  checkRunStatus,
  checkStepOutput,
  checkStepStatus
} from './checks.ts'

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
  const say = (assertion: AssertionLike, { pass, message }: Check) =>
    assertion.assert(pass, message, `not wanted: ${message}`)
  Assertion.addMethod('runStatus', function (status: RunStatus) {
    say(this, checkRunStatus(this._obj as Checked, status)) // chai knows no type of what is expected of
  })
  Assertion.addMethod('stepStatus', function (step: string, status: NodeStatus) {
    say(this, checkStepStatus(this._obj as Checked, step, status))
  })
  Assertion.addMethod('stepOutput', function (step: string, output: unknown) {
    say(this, checkStepOutput(this._obj as Checked, step, output))
  })
  Assertion.addMethod('executed', function (step: `${string}/${string}`, times?: number) {
    say(this, checkCalls(this._obj as Called, step, times))
  })
}
