/** The checks as matchers: `expect.extend(matchers)` in vitest and jest. */
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

interface Matched {
  pass: boolean
  message(): string
}
const matched = ({ pass, message }: Check): Matched => ({ pass, message: () => message })

export const matchers = {
  toHaveRunStatus: (view: Checked, status: RunStatus): Matched => matched(checkRunStatus(view, status)),
  toHaveStepStatus: (view: Checked, step: string, status: NodeStatus): Matched =>
    matched(checkStepStatus(view, step, status)),
  toHaveStepOutput: (view: Checked, step: string, output: unknown): Matched =>
    matched(checkStepOutput(view, step, output)),
  toHaveExecuted: (engine: Called, step: `${string}/${string}`, times?: number): Matched =>
    matched(checkCalls(engine, step, times))
}

/** For `declare module 'vitest' { interface Assertion<T> extends TroupeMatchers<T> {} }`, and likewise for jest. */
export interface TroupeMatchers<R = void> {
  toHaveRunStatus(status: RunStatus): R
  toHaveStepStatus(step: string, status: NodeStatus): R
  toHaveStepOutput(step: string, output: unknown): R
  toHaveExecuted(step: `${string}/${string}`, times?: number): R
}
