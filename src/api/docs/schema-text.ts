/** A schema as HTML: a word for a simple one, a table for an object, a link for one with a name. */

/** A schema of the document. */
export interface SchemaObject {
  $ref?: string
  type?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  pattern?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  anyOf?: SchemaObject[]
  items?: SchemaObject
  properties?: Record<string, SchemaObject>
  required?: string[]
  additionalProperties?: SchemaObject
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML, quoted attributes included. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? '')

/** @param open includes the description of the schema */
export function schemaText(schema: SchemaObject, { open = false } = {}): string {
  const { $ref, description = '', properties, items, anyOf, additionalProperties, required = [] } = schema
  if ($ref !== undefined) {
    const name = escaped($ref.split('/').at(-1) ?? '')
    return `<a href="#schema-${name}">${name}</a>`
  }
  const prefix = open && description !== '' ? `<p>${escaped(description)}</p>` : ''
  if (properties) {
    const rows = Object.entries(properties).map(
      ([name, member]) =>
        `<tr><td><code>${escaped(name)}</code>${required.includes(name) ? '' : ' <small>may be missing</small>'}</td>` +
        `<td>${schemaText(member)}</td><td>${escaped(member.description ?? '')}</td></tr>`
    )
    return `${prefix}<table><tbody>${rows.join('')}</tbody></table>`
  }
  if (items) return `${prefix}array of ${schemaText(items)}`
  if (anyOf) return prefix + anyOf.map((one) => schemaText(one)).join(' or ')
  if (additionalProperties) return `${prefix}object of ${schemaText(additionalProperties)}`
  return prefix + wordOf(schema)
}

function wordOf({ type = 'any', enum: choices, const: only, pattern, minimum, maximum, maxLength }: SchemaObject) {
  if (only !== undefined) return `<code>${escaped(String(only))}</code>`
  if (choices) return choices.map((choice) => `<code>${escaped(String(choice))}</code>`).join(', ')
  const range = minimum === undefined ? '' : maximum === undefined ? ` from ${minimum}` : ` ${minimum} to ${maximum}`
  const length = maxLength === undefined ? '' : `, at most ${maxLength} characters`
  return escaped(type) + range + length + (pattern === undefined ? '' : ` <code>${escaped(pattern)}</code>`)
}
