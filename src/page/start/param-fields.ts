/** The fields of a form for the params of a run, and the text of `params` that it sends. */
import { fieldsOf, type PayloadField } from '../run/step/payload-form.ts'

/** As `GET .../params` answers. */
export interface ParamForm {
  params: { name: string; value: string }[]
  schema?: object
  problem?: string
}

export interface ParamField {
  name: string
  label: string
  kind: PayloadField['kind']
  /** Values of a choice, as texts. */
  choices: string[]
  hint: string
  isRequired: boolean
  /** What the run gets if nothing is sent; undefined: nobody has said. */
  declared?: string
  /** What the field begins with. */
  start: string
}

export type Input = Readonly<Record<string, string>>

interface Described {
  properties?: Record<string, object>
  required?: unknown
}

/** The params in written order, then those that only the schema has. */
export function fieldsFor({ params, schema }: ParamForm): ParamField[] {
  const { properties = {}, required }: Described = schema ?? {}
  const known = typeof properties === 'object' && properties !== null ? properties : {}
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const declared = new Map(params.map(({ name, value }) => [name, value]))
  const names = new Set([...declared.keys(), ...Object.keys(known)])
  return [...names].map((name) => fieldFor(name, known[name], needed.includes(name), declared.get(name)))
}

function fieldFor(
  name: string,
  property: object | undefined,
  isRequired: boolean,
  declared: string | undefined
): ParamField {
  const [found] = property ? (fieldsOf({ type: 'object', properties: { [name]: property } }) ?? []) : []
  const { description, default: ownStart }: { description?: unknown; default?: unknown } = property ?? {}
  const start = declared ?? (ownStart === undefined ? '' : asText(ownStart))
  const choices = found?.kind === 'choice' ? found.values.map(asText) : []
  const field = {
    name,
    label: /^\d+$/.test(name) ? `Parameter ${name}` : (found?.label ?? name),
    kind: found ? fitting(found.kind, start) : ('text' as const),
    // A default that is no choice, such as a command, stays one.
    choices: found?.kind === 'choice' && start !== '' && !choices.includes(start) ? [start, ...choices] : choices,
    hint: typeof description === 'string' ? description : '',
    isRequired,
    start
  }
  return declared === undefined ? field : { ...field, declared }
}

/** A value that is evaluated at the start, such as a backtick command, is a text whatever comes of it. */
function fitting(kind: PayloadField['kind'], value: string): PayloadField['kind'] {
  if (kind === 'number') return value === '' || Number.isFinite(Number(value)) ? kind : 'text'
  if (kind === 'flag') return /^(?:true|false)?$/.test(value) ? kind : 'text'
  return kind
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/**
 * What is sent: only what differs from what the run gets anyway.
 * @param further words, or JSON, of params that have no field
 */
export function paramsOf(fields: readonly ParamField[], input: Input, further: string): string | undefined {
  const changed = fields.flatMap(({ name, start, declared }) => {
    const value = input[name] ?? start
    const isSame = value === declared || (declared === undefined && (input[name] === undefined || value === ''))
    return isSame ? [] : [[name, value] as const]
  })
  const words = further.trim()
  if (changed.length === 0) return words === '' ? undefined : words
  const object = JSON.stringify(Object.fromEntries(changed))
  if (words === '') return object
  return /^[[{]/.test(words) ? joined(object, words) : `[${object},${JSON.stringify(words)}]`
}

function joined(object: string, json: string): string {
  // Broken JSON goes to the server as it is, which says what is wrong with it.
  return json.startsWith('[') ? `[${object},${json.slice(1)}` : `[${object},${json}]`
}

/** Fills the fields with values of a run; what has no field becomes words. */
export function filledWith(
  fields: readonly ParamField[],
  params: ParamForm['params']
): { input: Input; further: string } {
  const known = new Set(fields.map(({ name }) => name))
  const input: Record<string, string> = {}
  const further: string[] = []
  for (const { name, value } of params)
    if (known.has(name)) input[name] = value
    else further.push(`${name}="${value.replace(/["\\]/g, '\\$&')}"`)
  return { input, further: further.join(' ') }
}
