/** Whether a JSON value matches a schema of `field-forms.ts`: the keywords that configs of executors use. */
import type { Json } from '../../../machines/vocabulary.ts'
import type { Schema } from './field-forms.ts'

export function fits(value: Json, schema: Schema): boolean {
  const { type, anyOf, items, properties = {}, required = [], additionalProperties, minimum, maximum, pattern } = schema
  if (schema.enum && !schema.enum.some((word) => word === value)) return false
  if (type !== undefined && ![type].flat().some((name) => isOf(value, name))) return false
  if (anyOf && !anyOf.some((one) => fits(value, one))) return false
  if (typeof value === 'string' && pattern !== undefined && !new RegExp(pattern).test(value)) return false
  if (typeof value === 'number' && (value < (minimum ?? value) || value > (maximum ?? value))) return false
  if (Array.isArray(value)) return !items || value.every((item) => fits(item, items))
  if (typeof value !== 'object' || value === null) return true
  return (
    required.every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, member]) => {
      const form = Object.hasOwn(properties, key) ? properties[key] : additionalProperties
      return typeof form === 'object' ? fits(member, form) : form !== false
    })
  )
}

function isOf(value: Json, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
