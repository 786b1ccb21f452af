/** `executor` of a step: its type, and its config as JSON. Source: definition-format "Executors", execution-semantics 1.6, 10. */
import type { Json } from '../../../machines/vocabulary.ts'
import { didYouMeanInBrackets } from '../../nearest.ts'
import type { CustomTypes } from '../fields/custom-types.ts'
import { executorNames, executorType } from '../fields/executor-types.ts'
import { executor } from '../fields/fields-executor.ts'
import { fieldsOf, invalidKey } from '../fields/mapping.ts'
import { optional, trimmed } from '../fields/values.ts'
import { type Problems, shortened, wrong, wrongValue } from '../problems.ts'
import { type Field, isNull, member, type Scalar, type Value } from '../yaml/value.ts'
import { packageProblem } from './needed-package.ts'

export interface WrittenExecutor {
  /** The executor's name in `EXECUTORS`, or that of the host application. */
  type: string
  /** The name as written; empty: none. */
  written: string
  config: { [key: string]: Json }
  /** @see StepExecutor.own */
  own?: true
  /** Position for a missing key of the config. */
  configField: Field
}

/** Undefined when there is none, or, with a problem, when its type is unknown. */
export function executorOf(
  problems: Problems,
  field: Field | undefined,
  custom: CustomTypes
): WrittenExecutor | undefined {
  if (!field) return undefined
  const isMap = field.value.kind === 'map'
  const fields = isMap ? fieldsOf(problems, field, executor, invalidKey('executor')) : undefined
  const named = isMap ? fields?.get('type') : field
  const written = optional(problems, named, trimmed) ?? ''
  const type = executorType(written) ?? (custom.has(written) ? written : undefined)
  if (!type) {
    const hint = didYouMeanInBrackets(written, [...executorNames, ...custom.keys()])
    wrong(problems, named ?? field, `executor type "${shortened(written)}" is not registered${hint}`)
    return undefined
  }
  const lacking = packageProblem(type)
  if (lacking !== undefined) {
    wrong(problems, named ?? field, lacking)
    return undefined
  }
  const configField = fields?.get('config')
  if (configField && configField.value.kind !== 'map') wrongValue(problems, configField, 'must be a map')
  return {
    type,
    written,
    config: configField?.value.kind === 'map' ? mapping(configField.value) : {},
    configField: configField ?? member(field, 'config', field.value)
  }
}

const mapping = (value: Value & { kind: 'map' }): { [key: string]: Json } =>
  Object.fromEntries(value.entries.map(({ key, value }) => [key, jsonOf(value)]))

/** Data of a value. */
export function jsonOf(value: Value): Json {
  switch (value.kind) {
    case 'list':
      return value.items.map(jsonOf)
    case 'map':
      return mapping(value)
    case 'scalar':
      return isNull(value) ? null : scalar(value)
  }
}

/** A number that would lose digits (`1.10`, `007`, 2^60) stays text. */
const scalar = ({ data, text }: Scalar): Json => (typeof data === 'number' && String(data) !== text ? text : data)
