/** What an answer lacks, beside what a document promises. Members that it does not name are free. */

/** `typeof`, `integer`, `anything`; with `?` at its end: or null. One item: an array of such. A map: an object with these members. */
export type JsonShape = string | readonly [JsonShape] | Members
export interface Members {
  readonly [member: string]: JsonShape
}

/** Sentences about what is missing or of another type; none: the value has the shape. */
export function lacks(value: unknown, shape: JsonShape, at = 'body'): string[] {
  if (typeof shape === 'string')
    return isOf(value, shape) ? [] : [`${at}: wanted ${shape}, found ${JSON.stringify(value)}`]
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${at}: wanted an array, found ${JSON.stringify(value)}`]
    return value.flatMap((item, index) => lacks(item, shape[0], `${at}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return [`${at}: wanted an object, found ${JSON.stringify(value)}`]
  const members = new Map(Object.entries(value))
  return Object.entries(shape).flatMap(([member, wanted]) => lacks(members.get(member), wanted, `${at}.${member}`))
}

const isList = (shape: JsonShape): shape is readonly [JsonShape] => Array.isArray(shape)

function isOf(value: unknown, shape: string): boolean {
  if (shape.endsWith('?')) return value === null || isOf(value, shape.slice(0, -1))
  if (shape === 'anything') return value !== undefined
  return shape === 'integer' ? Number.isInteger(value) : typeof value === shape
}
