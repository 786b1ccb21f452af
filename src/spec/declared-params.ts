/** `params` as written, of a definition or for a sub workflow; values stay unevaluated. Source: execution-semantics 2.1, 2.3.1, 9.2.1. */
import type { Param } from '../../machines/vocabulary.ts'
import { checkVariable } from './forms.ts'
import { fieldsOf } from './mapping.ts'
import { parseParamWords } from './params.ts'
import { wrongValue } from './problems.ts'
import { type Field, member, toJson, type Value } from './value.ts'
import { filled, isText, optional, partsOf, type Read, textOf } from './values.ts'

export interface DeclaredParams {
  params: Param[] | undefined
  paramSchema: string | undefined
}

/** Params of a definition, with or without a schema. */
export const declaredParams: Read<DeclaredParams> = (problems, field) => {
  if (!hasSchema(field.value)) return { params: params(problems, field), paramSchema: undefined }
  const fields = fieldsOf(problems, field, 'paramsSchema')
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

/** Words, maps, or a list of those. Bare words are named by their position among all params. */
export const params: Read<Param[]> = (problems, field) => {
  const found: Param[] = []
  for (const part of partsOf(field)) {
    const { value } = part
    if (value.kind === 'map') {
      for (const { key, value: given } of value.entries) {
        const entry: Field = member(part, key, given)
        const said: Pick<Param, 'value' | 'isJson'> =
          given.kind === 'scalar' ? { value: textOf(entry) } : { value: toJson(given), isJson: true }
        found.push({ name: key, ...said, positional: false })
        checkVariable(problems, entry, key)
      }
    } else if (isText(part)) {
      const words = parseParamWords(textOf(part), found.length)
      for (const { name } of words) checkVariable(problems, part, name)
      found.push(...words)
    } else wrongValue(problems, part, 'must be a string, a map, or a list of those')
  }
  return found
}
