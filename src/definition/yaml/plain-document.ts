/** A YAML text of another format, as JSON: with the limits of definitions. Source: execution-semantics 10.9.4, architecture 7. */
import { LineCounter } from 'yaml'
import type { Json } from '../../../machines/vocabulary.ts'
import { collectProblems } from '../problems.ts'
import { jsonOf } from '../steps/executor.ts'
import { readDocuments } from './document.ts'

/** @throws Error with all problems of the text, with their lines */
export function plainDocument(text: string): Json {
  const lines = new LineCounter()
  const problems = collectProblems(lines)
  const [document, second] = readDocuments(text, lines, problems)
  if (second) problems.add('wanted one document', '', second.value.at)
  const found = problems.list().map(({ message, line }) => (line === undefined ? message : `line ${line}: ${message}`))
  if (found.length > 0) throw new Error(found.join('; '))
  return document ? jsonOf(document.value) : null
}
