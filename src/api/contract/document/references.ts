/** Schemas with a name: the document has each once, with references to it. Source: the OpenAPI Specification 3.1, "Components Object". */
import type { Schema } from '../../../schema/schema.ts'
import * as dagShapes from '../dag-shapes.ts'
import * as factShapes from '../fact-shapes.ts'
import * as homeShapes from '../home/shapes.ts'
import * as runShapes from '../run-shapes.ts'
import * as serviceShapes from '../service-shapes.ts'
import * as statuses from '../statuses.ts'

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && ('type' in value || 'anyOf' in value)

/** A schema's name is the name of its export. */
const names = new Map(
  [dagShapes, runShapes, factShapes, serviceShapes, homeShapes, statuses].flatMap((shapes) =>
    Object.entries(shapes).flatMap(([name, value]: [string, unknown]): [Schema, string][] =>
      isSchema(value) ? [[value, name]] : []
    )
  )
)

/** `refer` replaces a schema by its reference; `schemas` has those that were referred to so far. */
export function referencing(): { refer(schema: Schema): object; schemas: Record<string, object> } {
  const schemas: Record<string, object> = {}
  const refer = (schema: Schema): object => {
    const name = names.get(schema)
    if (name === undefined) return inner(schema)
    if (!(name in schemas)) {
      schemas[name] = {} // its place, should it be meant again within itself
      schemas[name] = inner(schema)
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const inner = ({ items, properties, anyOf, additionalProperties, ...rest }: Schema): object => ({
    ...rest,
    ...(anyOf ? { anyOf: anyOf.map(refer) } : {}),
    ...(items ? { items: refer(items) } : {}),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, refer(schema)])) }
      : {}),
    ...(additionalProperties ? { additionalProperties: refer(additionalProperties) } : {})
  })
  return { refer, schemas }
}
