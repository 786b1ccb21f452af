/**
 * The JSON Schema (draft 2020-12) of one document of a definition, for editors. Made of the tables that the reader uses.
 * It knows forms; names that must agree with each other and texts with their own grammar are left to the reader.
 */
import { EXECUTORS } from './executor-types.ts'
import type { Schema } from './field-forms.ts'
import { LEVELS } from './fields.ts'
import { CONFIGS } from './fields-executor.ts'
import type { FieldRow, LevelTable } from './level.ts'

const NULL: Schema = { type: 'null' }

/** The whole schema. Field names in another case, which the reader takes too, are not part of it. */
export function definitionSchema(): Schema & { $schema: string; title: string; $defs: Record<string, Schema> } {
  const { dag, ...others } = LEVELS
  const levels = Object.entries<LevelTable>(others).map(([name, table]) => [name, levelSchema(table)])
  const configs = Object.entries(CONFIGS).map(([type, table]) => [configName(type), levelSchema(table)])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Troupe workflow definition',
    ...levelSchema(dag),
    patternProperties: { '^[xX]-': {} },
    $defs: {
      ...Object.fromEntries(levels),
      ...Object.fromEntries(configs),
      executor: { ...levelSchema(others.executor), allOf: configRules() },
      executorType: { enum: Object.entries(EXECUTORS).flatMap(([type, aliases]) => [type, ...aliases]) },
      stepOrCommand: { anyOf: [{ type: ['string', 'boolean'] }, { $ref: '#/$defs/step' }] }
    }
  }
}

const configName = (type: string) => `${type}Config`

/** The config of each type. */
const configRules = (): Schema[] =>
  Object.keys(CONFIGS).map((type) => {
    const names = Object.entries(EXECUTORS).flatMap(([name, aliases]) => (name === type ? [name, ...aliases] : []))
    return {
      if: { required: ['type'], properties: { type: { enum: names } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nothing awaits it.
      then: { properties: { config: { anyOf: [{ $ref: `#/$defs/${configName(type)}` }, NULL] } } }
    }
  })

function levelSchema({ rows, open, together }: LevelTable): Schema {
  const known = rows.filter((row) => row.elsewhere === undefined)
  const required = known.filter((row) => row.required).map((row) => row.name)
  return {
    type: 'object',
    properties: Object.fromEntries(known.map((row) => [row.name, fieldSchema(row)])),
    ...(required.length > 0 && { required }),
    ...(!open && { additionalProperties: false }),
    ...together
  }
}

/** A null counts as absent. */
function fieldSchema(row: FieldRow): Schema {
  const form = row.required || row.neverNull ? row.form.schema : orNull(row.form.schema)
  return {
    ...form,
    description: row.about,
    ...(row.default !== undefined && { default: row.default }),
    ...(row.aliasOf !== undefined && { deprecated: true })
  }
}

function orNull(schema: Schema): Schema {
  const { type, $ref, anyOf, enum: words } = schema
  if (words) return { ...schema, enum: [...words, null] }
  if (anyOf) return { ...schema, anyOf: [...anyOf, NULL] }
  if ($ref) return { anyOf: [schema, NULL] }
  return type ? { ...schema, type: [...[type].flat(), 'null'] } : schema
}

export const schemaText = (): string => `${JSON.stringify(definitionSchema(), undefined, 2)}\n`
