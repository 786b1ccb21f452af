/** The mocks of a test file, as a test engine takes them. */
import type { Json } from '../../../machines/vocabulary.ts'
import { type Ends, exits, later, type One } from '../ends.ts'
import type { StepName, TestEngine } from '../test-engine.ts'
import type { MockEnd, MockEnds, MockTable } from './suite.ts'

/** `DAG/STEP` of a name in a test file: a step of its workflow, or of another one. */
export const stepNamed = (dag: string, steps: readonly string[], name: string): StepName =>
  !steps.includes(name) && name.includes('/') ? (name as StepName) : `${dag}/${name}`

/** @param named `DAG/STEP` of a name @throws TroupeError bad_request */
export function applyMocks(
  engine: Pick<TestEngine, 'mock'>,
  { steps, types, commands }: MockTable,
  named: (name: string) => StepName
): void {
  for (const [name, ends] of Object.entries(steps ?? {})) engine.mock(named(name), endsOf(ends))
  for (const [type, ends] of Object.entries(types ?? {})) engine.mock({ type }, endsOf(ends))
  for (const [command, ends] of Object.entries(commands ?? {})) engine.mock({ command }, endsOf(ends))
}

function endsOf(written: MockEnds): Ends<Json> {
  if (Array.isArray(written)) return written.flatMap(oneOf)
  const ends = oneOf(written)
  const [only] = ends
  return typeof written === 'object' && written.times !== undefined ? ends : (only as One<Json>) // there is one
}

function oneOf(written: string | MockEnd): One<Json>[] {
  if (typeof written === 'string') return [written]
  const { exit = 0, stdout = '', stderr = '', output, after, times = 1 } = written
  const end = exits(exit, {
    stdout,
    stderr,
    ...(output === undefined ? {} : { output: typeof output === 'string' ? output : JSON.stringify(output) })
  })
  return Array.from({ length: times }, () => (after === undefined ? end : later<Json>(after, end)))
}
