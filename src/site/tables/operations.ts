/** The operations of the OpenAPI document one by one. */
import type { OpenApiDocument, OperationObject } from '../../api/contract/document/document.ts'
import type { SchemaObject } from '../../api/docs/schema-text.ts'

interface ParameterObject {
  name: string
  in: string
  required: boolean
  description: string
  schema: SchemaObject
}
export interface ApiOperation {
  method: string
  path: string
  operation: OperationObject
}

/** Each operation of the document. */
export const operationsOf = ({ paths }: OpenApiDocument): ApiOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )

/** Parameters, with those that operations share. */
export const parametersOf = ({ components }: OpenApiDocument, { parameters }: OperationObject): ParameterObject[] =>
  parameters.map((parameter) => {
    const name = '$ref' in parameter ? String(parameter.$ref).split('/').at(-1) : undefined
    // The document's own parameters have no more than these members.
    return (name === undefined ? parameter : components.parameters[name]) as ParameterObject
  })

/** The document's own bodies are JSON. */
export function bodyOf({ requestBody }: OperationObject): SchemaObject | undefined {
  const body = requestBody as { content: Record<string, { schema: SchemaObject }> } | undefined
  return body?.content['application/json']?.schema
}
