/**
 * YAML text to the documents it holds, as plain values. Core schema of YAML 1.2, no custom tags; what the package only warns
 * of is an error here. Source: execution-semantics 1.1.2, 1.6.5, reliability 5.3 R2, components 14.
 */
import { Composer, type CST, type Document, isScalar, type LineCounter } from 'yaml'
import { messageOf } from '../../errors.ts'
import type { Problems } from '../problems.ts'
import { mendingOf } from './cut-text.ts'
import { tokensOf } from './nesting.ts'
import { plainValues } from './plain-values.ts'
import { plainYaml } from './plain-yaml.ts'
import type { Field } from './value.ts'

/** Reported syntax errors of one text. Most are consequences of the first. */
const MAX_SYNTAX_ERRORS = 10

/** Repeated keys are found in plain-values.ts: the package's own search is quadratic. */
const OPTIONS = { version: '1.2', schema: 'core', resolveKnownTags: false, uniqueKeys: false } as const

/**
 * The documents of a text that are not empty, main document first. Local ones have the path `documents[<i>]`.
 * None, with a problem, when the text is not YAML or goes beyond a limit; none at all when it is empty.
 */
export function readDocuments(text: string, lines: LineCounter, problems: Problems): Field[] {
  const plain = plainYaml(text, lines)
  return plain ? [{ name: '', path: '', value: plain }] : readByPackage(text, lines, problems)
}

/** The documents of any text, however unusual. */
export function readByPackage(text: string, lines: LineCounter, problems: Problems): Field[] {
  const read = tokensOf(text, lines)
  if ('refused' in read) {
    problems.add(read.refused, '', read.at)
    return []
  }
  const documents = compose(read.tokens, text, problems)
  if (problems.found()) return []
  const filled = documents.filter(
    ({ contents }) => contents !== null && !(isScalar(contents) && contents.value === null)
  )
  if (filled.length === 0) problems.lacks('the definition is empty', '')
  return plainValues(filled, problems)
}

function compose(tokens: CST.Token[], text: string, problems: Problems): Document.Parsed[] {
  const composer = new Composer({ ...OPTIONS, prettyErrors: false })
  let errors = 0
  const onError = (source: ErrorSource, _code: string, message: string) => {
    if (++errors > MAX_SYNTAX_ERRORS) return
    const at = offsetOf(source)
    problems.add(`invalid YAML: ${message}${mendingOf(message, text, at)}`, '', at)
  }
  // The composer's own handler makes an Error object each time; for 1 MiB of mistakes that takes longer than 10 s.
  Object.assign(composer, { onError })
  try {
    const trees = tokens.filter((token) => token.type !== 'error')
    for (const token of tokens) if (token.type === 'error') onError(token, '', token.message)
    const documents = [...composer.compose(trees, true, text.length)]
    // A few mistakes bypass the handler, such as an end of document without a document.
    const others = documents.flatMap((document) => [...document.errors, ...document.warnings])
    for (const other of others) onError(other.pos[0], other.code, other.message)
    return documents
  } catch (cause) {
    problems.add(`invalid YAML: ${messageOf(cause)}`, '')
    return []
  }
}

type ErrorSource = number | readonly number[] | { offset: number }

function offsetOf(source: ErrorSource): number {
  if (typeof source === 'number') return source
  return 'offset' in source ? source.offset : (source[0] ?? 0)
}
