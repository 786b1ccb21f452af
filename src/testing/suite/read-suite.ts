/** From the text of a test file to its tests, or to all of its problems, each with line and column. */
import { LineCounter } from 'yaml'
import type { Problem } from '../../definition/definition.ts'
import { collectProblems, wrong } from '../../definition/problems.ts'
import { readDocuments } from '../../definition/yaml/document.ts'
import { MAX_TEXT_BYTES } from '../../definition/yaml/nesting.ts'
import { type Places, readShape } from './shape.ts'
import { suite as form, type Suite, type SuiteTest } from './suite.ts'

export interface ReadSuite {
  suite?: Suite
  problems: Problem[]
  /** Line and column of a path such as `tests[0].expect.steps.load`. */
  placeOf(path: string): Pick<Problem, 'line' | 'column'>
}

export function readSuite(text: string): ReadSuite {
  const lines = new LineCounter()
  const problems = collectProblems(lines)
  const places: Places = new Map()
  const placeOf = (path: string) => {
    const at = places.get(path)
    if (at === undefined) return {}
    const { line, col } = lines.linePos(at)
    return { line, column: col }
  }
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
    problems.add(`wanted at most ${MAX_TEXT_BYTES} bytes`, '')
    return { problems: problems.list(), placeOf }
  }
  const [root, more] = readDocuments(text, lines, problems)
  if (!root && !problems.found()) problems.add('the file is empty', '')
  if (more) wrong(problems, more, 'wanted one document, found another')
  const suite = root && (readShape(form, root, problems, places) as unknown as Suite | undefined) // as the shape says
  const tests: (SuiteTest | null)[] = Array.isArray(suite?.tests) ? suite.tests : []
  for (const [index, test] of tests.entries()) {
    const path = `tests[${index}]`
    const { name } = test ?? {}
    if (name !== undefined && tests.findIndex((other) => other?.name === name) !== index)
      problems.add(
        `field 'name': there is another test named ${JSON.stringify(name)}`,
        `${path}.name`,
        places.get(`${path}.name`)
      )
  }
  return { ...(suite && !problems.found() ? { suite } : {}), problems: problems.list(), placeOf }
}
