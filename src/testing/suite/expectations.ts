/** What a test file expects of a run, and where it is not so. */
import type { RunView } from '../../engine/engine.ts'
import { type Check, checkStepOutput, checkStepStatus } from '../checks.ts'
import type { StepName, TestEngine } from '../test-engine.ts'
import type { Expected, ExpectedStep } from './suite.ts'

/** A sentence, and the path in the test file of what it is about. */
export interface Failure {
  message: string
  path: string
}

export interface ExpectedOf {
  engine: TestEngine
  view: RunView | undefined
  /** `DAG/STEP` of a name. */
  named(name: string): StepName
  /** The run of a step: its own, or that of a called workflow. */
  viewOf(step: StepName): RunView | undefined
}

/** The path of a member, as places are found by. */
export const below = (path: string, key: string): string =>
  /^[\w-]+$/.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${JSON.stringify(key)}]`

const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value))

export function failuresOf(expected: Expected, about: ExpectedOf, path: string): Failure[] {
  const { engine, view } = about
  const failures: Failure[] = []
  const same = (member: string, what: string, wanted: unknown, found: unknown) => {
    if (JSON.stringify(wanted) !== JSON.stringify(found))
      failures.push({ message: `${what}: wanted ${shown(wanted)}, found ${shown(found)}`, path: below(path, member) })
  }
  const contains = (member: string, what: string, wanted: string, found: string | undefined) => {
    if (!found?.includes(wanted))
      failures.push({
        message: `${what}: wanted a text with ${shown(wanted)}, found ${shown(found)}`,
        path: below(path, member)
      })
  }
  if (expected.runs !== undefined)
    same(
      'runs',
      'the runs',
      expected.runs,
      engine
        .runs({ limit: 100_000 })
        .map(({ status }) => status)
        .toReversed()
    )
  const { runs: _, ...ofRun } = expected
  if (Object.keys(ofRun).length === 0) return failures
  if (!view) return [...failures, { message: 'there is no run of which this could be expected', path }]
  const { run } = view
  if (expected.status !== undefined) same('status', 'the status of the run', expected.status, run.status)
  if (expected.error !== undefined) contains('error', 'the error of the run', expected.error, run.error)
  if (expected.path !== undefined) same('path', 'the path of the run', expected.path, engine.path(run))
  for (const [name, value] of Object.entries(expected.params ?? {})) {
    const found = run.params.find((param) => param.name === name)?.value
    if (found !== value)
      failures.push({
        message: `param ${name}: wanted ${shown(value)}, found ${shown(found)}`,
        path: below(`${path}.params`, name)
      })
  }
  const ofSteps = Object.entries(expected.steps ?? {}).map(([name, written]) =>
    stepFailures(typeof written === 'string' ? { status: written } : written, name, about, below(`${path}.steps`, name))
  )
  return failures.concat(ofSteps.flat())
}

function stepFailures(expected: ExpectedStep, name: string, about: ExpectedOf, path: string): Failure[] {
  const { engine } = about
  const key = about.named(name)
  const step = key.slice(key.indexOf('/') + 1)
  const view = about.viewOf(key)
  if (!view) return [{ message: `step ${key}: there is no run of it`, path }]
  const failures: Failure[] = []
  const note = (member: string, { pass, message }: Check) => {
    if (!pass) failures.push({ message, path: below(path, member) })
  }
  const { node } = [...view.nodes, ...Object.values(view.handlers)].find((one) => one?.step.name === step) ?? {}
  const same = (member: string, wanted: unknown, found: unknown) =>
    note(member, {
      pass: JSON.stringify(wanted) === JSON.stringify(found),
      message: `the ${member} of step "${step}": wanted ${shown(wanted)}, found ${shown(found)}`
    })
  if (expected.status !== undefined) note('status', checkStepStatus(view, step, expected.status))
  if (expected.output !== undefined) note('output', checkStepOutput(view, step, expected.output))
  if (expected.exitCode !== undefined) same('exitCode', expected.exitCode, node?.exitCode)
  if (expected.calls !== undefined) same('calls', expected.calls, engine.calls(key).length)
  if (expected.path !== undefined) same('path', expected.path, engine.path(view.run, step))
  if (expected.error !== undefined)
    note('error', {
      pass: node?.error?.includes(expected.error) ?? false,
      message: `the error of step "${step}": wanted a text with ${shown(expected.error)}, found ${shown(node?.error)}`
    })
  return failures
}
