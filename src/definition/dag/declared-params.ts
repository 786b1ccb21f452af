/** `params` as written, of a definition or for a sub workflow; values stay unevaluated. Source: execution-semantics 2.1, 2.3.1, 9.2.1. */
import type { Param } from '../../../machines/vocabulary.ts'
import { PARAMS, TEXT } from '../fields/field-forms.ts'
import { checkVariable } from '../fields/forms.ts'
import { key, table } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { filled, isText, optional, partsOf, type Read, textOf } from '../fields/values.ts'
import { type Problems, wrong, wrongValue } from '../problems.ts'
import { type Field, member, toJson, type Value } from '../yaml/value.ts'
import { isJsonLike, MOST_PARAMS, parseParamJson, parseParamWords } from './params.ts'

export const paramsSchema = table({
  schema: key(TEXT, 'Path or URL of a JSON Schema for the params.', './params.schema.json', { required: true }),
  values: key(PARAMS, 'Params and their defaults.', '{LIMIT: 10}', { default: [] })
})

export interface DeclaredParams {
  params: Param[] | undefined
  paramSchema: string | undefined
}

/** Params of a definition, with or without a schema. */
export const declaredParams: Read<DeclaredParams> = (problems, field) => {
  if (!hasSchema(field.value)) return { params: params(problems, field), paramSchema: undefined }
  const fields = fieldsOf(problems, field, paramsSchema)
  return {
    params: optional(problems, fields?.get('values'), params),
    paramSchema: optional(problems, fields?.get('schema'), filled)
  }
}

/** Whether `params` is a map whose `schema` is a text. */
export function hasSchema(value: Value): boolean {
  if (value.kind !== 'map') return false
  const schema = value.entries.find(({ key }) => key === 'schema')?.value
  return schema?.kind === 'scalar' && typeof schema.data === 'string'
}

// D520: `params` of a step that begin with `{` or `[` are JSON or refused
/**
 * Params of a step. A text that begins like JSON is JSON: whether it is one is decided before anything is expanded, so no value
 * becomes syntax. An entry of a list may be such an object. Source: execution-semantics 2.2.5, 9.2.1.
 */
export const stepParams: Read<Param[]> = (problems, field) =>
  paramsBy(problems, field, (part, before) => {
    const text = textOf(part)
    if (part === field ? !isJsonLike(text) : !/^\s*\{/.test(text)) return parseParamWords(text, before)
    try {
      return parseParamJson(text)
    } catch {
      wrongValue(
        problems,
        part,
        'must be words, or JSON such as {"NAME": "${VALUE}"}: what begins with { or [ is JSON as it is written, with references in quotes'
      )
      return []
    }
  })

/** Words, maps, or a list of those. Bare words are named by their position among all params. */
const params: Read<Param[]> = (problems, field) =>
  paramsBy(problems, field, (part, before) => parseParamWords(textOf(part), before))

function paramsBy(problems: Problems, field: Field, parse: (part: Field, before: number) => Param[]): Param[] {
  const found: Param[] = []
  for (const part of partsOf(field)) {
    const { value } = part
    if (value.kind === 'map') {
      for (const { key, value: written } of value.entries) {
        const entry: Field = member(part, key, written)
        const said: Pick<Param, 'value' | 'isJson'> =
          written.kind === 'scalar' ? { value: textOf(entry) } : { value: toJson(written), isJson: true }
        found.push({ name: key, ...said, positional: false })
        checkVariable(problems, entry, key)
      }
    } else if (isText(part)) {
      for (const word of parse(part, found.length)) {
        checkVariable(problems, part, word.name)
        found.push(word)
      }
    } else wrongValue(problems, part, 'must be a string, a map, or a list of those')
  }
  if (found.length <= MOST_PARAMS) return found
  wrong(problems, field, `must be at most ${MOST_PARAMS} parameters, found ${found.length}`)
  return []
}
