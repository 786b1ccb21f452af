/** The fields of a form that a JSON Schema describes, and the payload that they make. A schema of another kind gets one box for JSON. */

export interface PayloadField {
  name: string
  label: string
  kind: 'text' | 'number' | 'flag' | 'choice'
  /** Values of a choice. */
  values: readonly unknown[]
  isRequired: boolean
  /** The initial value, as the input has it. */
  start: string
}

interface Property {
  type?: unknown
  enum?: unknown
  title?: unknown
  default?: unknown
}

const KINDS: Partial<Record<string, PayloadField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'flag'
}
/** More are better written as JSON. */
const MOST_FIELDS = 30

/** Undefined: it needs a box for JSON. */
export function fieldsOf(schema: object | undefined): PayloadField[] | undefined {
  const { type, properties, required }: { type?: unknown; properties?: unknown; required?: unknown } = schema ?? {}
  if (type !== 'object' || typeof properties !== 'object' || properties === null) return undefined
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const found = Object.entries<unknown>({ ...properties })
  const fields = found.flatMap(([name, property]) => fieldOf(name, Object(property), needed.includes(name)) ?? [])
  return fields.length > 0 && fields.length === found.length && found.length <= MOST_FIELDS ? fields : undefined
}

function fieldOf(name: string, { type, enum: values, title, default: start }: Property, isRequired: boolean) {
  const label = typeof title === 'string' && title !== '' ? title : name
  if (Array.isArray(values)) {
    const chosen = values.indexOf(start)
    return { name, label, kind: 'choice' as const, values, isRequired, start: chosen < 0 ? '' : String(chosen) }
  }
  const kind = typeof type === 'string' ? KINDS[type] : undefined
  const known = typeof start === 'string' || typeof start === 'number' || typeof start === 'boolean'
  return kind && { name, label, kind, values: [], isRequired, start: known ? String(start) : '' }
}

/** An empty field that is not required is left out. The server checks the rest, and says what is wrong. */
export function payloadOf(fields: readonly PayloadField[], input: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    fields.flatMap(({ name, kind, values, isRequired, start }): [string, unknown][] => {
      const text = input[name] ?? start
      if (kind === 'flag') return [[name, text === 'true']]
      if (text === '' && !(isRequired && kind === 'text')) return []
      if (kind === 'choice') return [[name, values[Number(text)]]]
      return [[name, kind === 'number' ? Number(text) : text]]
    })
  )
}
