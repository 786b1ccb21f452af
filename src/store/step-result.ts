/** What a step has come to, as those who use its result see it. Source: docs/embedding/README.md. */
import type { Json, NodeRecord, Step } from '../../machines/vocabulary.ts'

/**
 * The result of a function is what it returned, of a call the result of what it called, of a signal the payload with who gave it, of
 * everything else its output as text; null: it has none.
 * @param output of the record, perhaps with secrets
 * @param read of JSON
 */
export function resultOfStep(
  { executor: { type } }: Step,
  { given, output = undefined }: Pick<NodeRecord, 'given' | 'output'> = {},
  read: (text: string) => Json = (text) => JSON.parse(text)
): Json {
  if (output === undefined) return null
  if (type === 'function') return read(output)
  if (type === 'dag') return calledResult(read(output))
  if (type !== 'signal' && type !== 'approval') return output
  const { at = 0, by } = given ?? {}
  return { payload: read(output), at, ...(by === undefined ? {} : { by }) }
}

/** The report of a call: of one sub DAG run, or of several. */
function calledResult(report: Json): Json {
  const { result = null, results }: { result?: Json; results?: { result?: Json }[] } = Object(report)
  return results ? results.map(({ result = null }) => result) : result
}

/** The result of a run, if its plan says what that is; undefined: it does not. @param at what a step has come to, by its name */
export function resultOfRun(
  { result }: { result?: string | Record<string, string> },
  at: (step: string) => Json
): Json | undefined {
  if (result === undefined) return undefined
  if (typeof result === 'string') return at(result)
  return Object.fromEntries(Object.entries(result).map(([name, step]) => [name, at(step)]))
}
