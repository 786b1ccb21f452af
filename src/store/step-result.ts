/** What a step has come to, as those who use its result see it. Source: docs/embedding/README.md. */
import type { Json, NodeRecord, Step } from '../../machines/vocabulary.ts'

/**
 * The result of a function is what it returned, unless its step has failed after passes that had one, of a call the result of what it called, of a signal the payload with who gave it, of
 * everything else its output as text; null: it has none.
 * @param output of the record, perhaps with secrets
 * @param read of JSON
 */
export function resultOfStep(
  { executor: { type } }: Step,
  {
    given,
    output = undefined,
    status
  }: Pick<NodeRecord, 'given' | 'output'> & Partial<Pick<NodeRecord, 'status'>> = {},
  read: (text: string) => Json = (text) => JSON.parse(text)
): Json {
  if (output === undefined) return null
  if (type === 'function') return status === 'failed' ? null : read(output)
  if (type === 'dag') return calledResult(read(output))
  if (type !== 'signal' && type !== 'approval') return output
  const { at = 0, by } = given ?? {}
  return { payload: read(output), at, ...(by === undefined ? {} : { by }) }
}

/** The report of a call: of one sub DAG run, or of several, where a failed one has the result null. */
function calledResult(report: Json): Json {
  const { result = null, results }: Called & { results?: Called[] } = Object(report)
  return results ? results.map(({ result = null, status = '' }) => (WELL.has(status) ? result : null)) : result
}
const WELL: ReadonlySet<string> = new Set(['succeeded', 'partially_succeeded'])

interface Called {
  result?: Json
  status?: string
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
